"""Spider2's question files (``spider2-lite.jsonl``, ``spider2-snow.jsonl``): the question of each instance and the
database that it is about. They have no gold SQL; the gold is ``evaluation_suite/gold`` beside them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from karat.core.case_files.loaded import LoadedCases
from karat.core.problems import Problem, UserError, count_of
from karat.core.records import Case, Turn
from karat.suites.answers.records import Gold
from karat.suites.answers.text_to_sql.files.rows import first_line, read_rows

GOLD_FOLDERS = ("evaluation_suite/gold", "gold", "../evaluation_suite/gold")
DATABASE_KEYS = ("db_id", "db")
ASKED_KEYS = ("instruction", "question")
GOLD_KEYS = ("evaluation", "condition_cols", "sql", "SQL", "query", "gold_sql")


def is_spider2_questions(path: Path) -> bool:
    """Whether a file has questions of Spider2. Only its first line is looked at."""
    if not path.is_file() or not path.name.lower().endswith((".jsonl", ".ndjson")):
        return False
    row = first_line(path)
    if not isinstance(row, Mapping) or any(key in row for key in GOLD_KEYS):
        return False
    has = [any(key in row for key in keys) for keys in (("instance_id",), DATABASE_KEYS, ASKED_KEYS)]
    return all(has)


def gold_beside(questions: Path) -> Path:
    """The gold folder of a question file."""
    for name in GOLD_FOLDERS:
        if (questions.parent / name).is_dir():
            return questions.parent / name
    tried = ", ".join(str(questions.parent / name) for name in GOLD_FOLDERS)
    hint = "Give it with --gold_dir, or keep the files as they are published."
    raise UserError(f"there is no gold beside {questions}: tried {tried}", hint=hint)


def with_questions(gold: LoadedCases, questions: Path) -> LoadedCases:
    """The gold's instances with their questions and databases. An instance without a question stays as it is, and is
    counted."""
    read = read_rows(questions)
    problems = [*gold.problems, *read.problems]
    known: dict[str, tuple[str, str]] = {}
    for row in read.readable:
        name = row.value.get("instance_id") if isinstance(row.value, Mapping) else None
        if not isinstance(name, str) or not name:
            problems.append(Problem('a question without "instance_id"', file=str(questions), line=row.line))
            continue
        asked, database = (
            next((str(row.value[key]) for key in keys if row.value.get(key)), "")
            for keys in (ASKED_KEYS, DATABASE_KEYS)
        )
        known[name] = (asked, database)
    cases = tuple(_asked(case, *known[case.id]) if case.id in known else case for case in gold.cases)
    without = [case.id for case in gold.cases if case.id not in known]
    if without:
        said = f"{count_of(len(without), 'instance')} of the gold without a question: {', '.join(without[:5])}"
        problems.append(Problem(said, file=str(questions), severity="warning"))
    return LoadedCases(cases, tuple(problems), gold.files)


def _asked(case: Case[Gold], asked: str, database: str) -> Case[Gold]:
    turns = tuple(_said(turn, asked) for turn in case.conversation)
    metadata = {**({"db_id": database} if database else {}), **case.metadata}
    return msgspec.structs.replace(case, conversation=turns, metadata=metadata)


def _said(turn: Turn[Gold], asked: str) -> Turn[Gold]:
    return msgspec.structs.replace(turn, content=turn.content or asked) if turn.target is not None else turn
