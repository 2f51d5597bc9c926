"""``karat answers --questions``: predicted SQL against gold SQL, both executed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from itertools import chain, count
from pathlib import Path

import msgspec

from karat.core.case_files.drafts import is_draft, without_drafts
from karat.core.case_files.loaded import LoadedPredictions
from karat.core.files.atomic import write_bytes
from karat.core.files.near_paths import near_path
from karat.core.json_types import JsonMapping
from karat.core.plugins import load_suite
from karat.core.problems import Problem, UserError
from karat.core.records import AnyCase
from karat.core.remote.paths import local_input
from karat.core.results.result import RunResult
from karat.runs.executors.choice import scoring_executor
from karat.runs.project_file.project import from_settings
from karat.suites.answers.options import Options
from karat.suites.answers.text_to_sql.files.pairing import paired
from karat.suites.answers.text_to_sql.files.predictions import prediction_field
from karat.suites.answers.text_to_sql.files.questions import expected_fields, is_question_file
from karat.suites.answers.text_to_sql.files.rows import fields_of, read_rows
from karat.suites.answers.text_to_sql.fillings.suite import MadeSuite, make_suite, sqlite_file
from karat.suites.answers.text_to_sql.highlights import searched_only_in_sqlite
from karat.verbs.inputs.loading import load_cases, load_predictions
from karat.verbs.inputs.step_timing import step

OUTCOMES = {"right": "pass", "wrong": "fail"}
"""The strict profile's words for the outcome of a case."""


def score_queries(
    questions: Path,
    predictions: Path | None,
    databases: str,
    *,
    test_suite: str = "",
    settings: Sequence[str] = (),
    workers: int | None = None,
    executor: Executor | None = None,
) -> RunResult:
    """Score predicted SQL against a question file. Without ``predictions``, the field ``prediction`` of the questions
    is used. ``settings`` are further ``KEY=VALUE`` options of the suite."""
    from karat.runs.scores.run_scoring import score_recorded

    suite = load_suite("answers")
    fixed = {"databases": databases, **({"test_suite": test_suite} if test_suite else {})}
    options = from_settings(Options, settings, "--option", fixed)
    _refuse_other_files(Path(local_input(questions)), questions)
    loaded = load_cases(suite, questions, drafts=True)
    every, cases = loaded.cases, without_drafts(loaded)  # rows are counted over all of them
    if not cases.cases:
        raise UserError(f"there is nothing to score in {questions}", problems=cases.problems)
    if not any(turn.target is not None and turn.target.queries for turn in cases.cases[0].conversation):
        hint = "A gold folder of result files is scored with --result_dir and --gold_dir."
        raise UserError(f"{questions} contains no questions with gold SQL", hint=hint)
    given: LoadedPredictions
    if predictions is not None:
        file = Path(local_input(predictions))
        if not file.exists():
            otherwise = "Predictions are a file of SQL (text, JSON, JSONL, CSV) or a folder of .sql files."
            raise UserError(f"there is no file of predictions {predictions}", hint=near_path(file, otherwise))
        given = load_predictions(suite, file)
    else:
        given = prediction_field(cases.cases)
        if not given.predictions:
            hint = "Give --predictions, or add a prediction to each question."
            raise UserError(f"there are no predictions in {questions}", hint=hint)
    recorded = _without(every, paired(every, given))
    with step("scored"), scoring_executor(suite, workers, executor) as pool:
        result = score_recorded(
            suite,
            cases.cases,
            recorded.predictions,
            options,
            problems=(*cases.problems, *recorded.problems),
            source=str(predictions or questions),
            executor=pool,
        )
    if said := searched_only_in_sqlite(result):
        more = Problem(said, severity="warning")
        return msgspec.structs.replace(result, problems=(*result.problems, more))
    return result


def _refuse_other_files(file: Path, given: Path) -> None:
    """UserError for a file that is not there, or whose rows have no place for gold SQL."""
    if not file.exists():
        otherwise = "Questions are a file of YAML, CSV, JSON or JSONL, with gold SQL."
        raise UserError(f"there is no file of questions {given}", hint=near_path(file, otherwise))
    if not file.is_file() or is_question_file(file):
        return
    read = read_rows(file)
    first = read.readable[0] if read.readable and not read.keyed else None
    if first is not None and isinstance(first.value, Mapping):
        said = f"{given}:{first.line} is no question with gold SQL: its fields are {fields_of(first.value)}"
        raise UserError(said, hint=expected_fields(first.value))


def _gold_failed(case: JsonMapping) -> bool:
    return str(case.get("error") or "").startswith("gold_error")


def with_case_keys(document: bytes) -> bytes:
    """A JSON result whose cases also have what this verb promises at their top: db, difficulty, outcome and the
    rest."""
    found = msgspec.json.decode(document)
    for case in found["cases"]:
        details = case.get("details") or {}
        sql = details.get("sql") or {}
        state = (details.get("strict") or {}).get("state", "")
        case |= {
            "db": sql.get("db", ""),
            "difficulty": sql.get("difficulty", ""),
            "outcome": OUTCOMES.get(state, state) or ("gold_error" if _gold_failed(case) else case["status"]),
            "reason": details.get("reason", "") or case.get("error", ""),
            "components": sql.get("components", []),
            "counterexample": sql.get("counterexample"),
            "gold_status": sql.get("gold_status", "good") if sql else "error" if _gold_failed(case) else "",
            "rows": sql.get("rows"),
            "timing": sql.get("timing"),
            "cost": sql.get("cost"),
        }
    return msgspec.json.format(msgspec.json.encode(found), indent=2)


def write_examples(result: RunResult, folder: Path) -> list[str]:
    """The scripts of all counter-examples of a result, one file each; returns their names."""
    written: dict[str, None] = {}
    for case in result.cases:
        example = ((case.details.get("sql") or {}).get("counterexample")) or {}
        if example:
            name = re.sub(r"[^\w.-]", "_", case.id)[:100]
            ways = chain((name,), (f"{name}-{number}" for number in count(2)))  # "a/b" and "a_b" are two cases
            file = next(path for way in ways if str(path := folder / f"{way}.sql") not in written)
            write_bytes(file, str(example["rebuild_script"]).encode("utf-8", "replace"))
            written[str(file)] = None
    return list(written)


def _without(every: Sequence[AnyCase], recorded: LoadedPredictions) -> LoadedPredictions:
    """The predictions without those for drafts."""
    drafts = {case.id for case in every if is_draft(case)}
    kept = tuple(one for one in recorded.predictions if one.case_id not in drafts)
    return msgspec.structs.replace(recorded, predictions=kept)


def fill_suite(database: Path, questions: Path | None, out: Path, *, count: int = 20, seed: int = 1) -> MadeSuite:
    """Make a test suite for a SQLite database; the gold of the questions about it says which fillings are worth
    keeping."""
    sqlite_file(database)
    golds: list[str] = []
    if questions is not None:
        for case in load_cases(load_suite("answers"), questions).cases:
            for turn in case.conversation:
                queries = turn.target.queries if turn.target is not None else None
                if queries is not None and queries.database.lower() in ("", database.stem.lower()):
                    golds += queries.sql
        if not golds:
            hint = f'Questions name their database in db; this one is "{database.stem}".'
            raise UserError(f"there is no question about {database.stem} in {questions}", hint=hint)
    return make_suite(database, golds, out, count=count, seed=seed)
