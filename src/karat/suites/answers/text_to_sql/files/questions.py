"""Question files as cases: BIRD, Spider with its dialogues, defog, the IBM toolkit, and a team's own.

The fields of the first row say which kind of file it is. Every row becomes one case, whose gold is SQL
(:class:`Queries`). Rows keep their number from 0 in ``case.source.item``, by which predictions without an id are
paired.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any  # Any: a row of a question file may hold anything

from karat.core.case_files.drafts import status_in
from karat.core.case_files.loaded import LoadedCases
from karat.core.expect.reading import read_expect
from karat.core.files.reading import as_text
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import Problem, did_you_mean, nearest
from karat.core.records import Case, Turn, Where
from karat.suites.answers.records import Gold, GoldStatus, Queries
from karat.suites.answers.text_to_sql.files.rows import FileRow, Unread, fields_of, first_line, read_file, read_rows
from karat.suites.answers.text_to_sql.queries.gold_choices import BadChoices, queries_in

SQL_KEYS = ("sql", "query", "SQL", "gold_sql")
DATABASE_KEYS = ("db", "db_id", "db_name", "database", "database_id")
TEXT_ENDINGS = (".sql", ".txt")
TABLE_ENDINGS = (".json", ".csv", ".tsv", ".yaml", ".yml")
KNOWN = (
    *("id", "question", "sql", "db", "order", "ties", "tags", "difficulty"),
    *("prediction", "evidence", "as_of", "dialect", "status", "cluster", "expect"),
)
NAMES = {
    *(*KNOWN, *SQL_KEYS, *DATABASE_KEYS, "question_id", "instance_id", "query_category", "instructions"),
    *("db_type", "interaction", "evaluation", "condition_cols"),
}
"""Fields that are recognised by their name."""
FORMATS = {
    "BIRD": ("question_id", "db_id", "question", "evidence", "SQL", "difficulty"),
    "Spider": ("db_id", "question", "query", "query_toks", "question_toks"),
    "defog": ("db_name", "db_type", "query_category", "query", "question", "instructions"),
    "the IBM toolkit": ("question_id", "db_id", "question", "SQL", "sql", "meta"),
    "your own": ("id", "db", "question", "sql"),
}
"""The fields of the formats that load, for an error about a row of none of them."""
ALIKE = 80.0
"""How much alike two keys are, in percent, for one to be the other mistyped."""
_LEFT_OUT = {
    *("query_toks", "query_toks_no_value", "question_toks", "sql", "SQL", "query", "gold_sql", "interaction"),
    *("question", "before", "tags", "status", "cluster", "expect"),
}
_YES_NO = {"yes": True, "true": True, "no": False, "false": False}


class _NoTab:
    """A line of a gold file that is not gold. It keeps its row, so that predictions are still paired by theirs."""


class BadRow(ValueError):
    """Why a row is no question."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def load_questions(path: Path) -> LoadedCases:
    """Every question of a file, and every problem."""
    if path.name.lower().endswith(TEXT_ENDINGS):
        return cases_of(_gold_lines(path), str(path))
    read = read_rows(path)
    problems = read.problems
    if read.keyed:
        problems = [*problems, Problem("a list of questions was expected, not one object", file=str(path), line=1)]
    rows = [] if read.keyed else [one for row in read.rows for one in _turns(row)]
    return cases_of(rows, str(path), problems)


def cases_of(rows: Sequence[FileRow], file: str, problems: Sequence[Problem] = ()) -> LoadedCases:
    """Rows as cases. Two with one id are an error that names both lines."""
    found: list[Problem] = list(problems)
    told: set[str] = set()
    cases: dict[str, Case[Gold]] = {}
    for item, row in enumerate(rows):
        where = Where(file, 0, item, row.line)
        if isinstance(row.value, Unread):
            continue
        try:
            value = _usual_names(row.value)
            _refuse_split_text(value, file)
            case = _case(value, item, where)
            found += _mistyped(value, file, row.line, told)
        except BadRow as error:
            found.append(Problem(str(error), file=file, line=row.line, hint=error.hint))
            continue
        if case.id in cases:
            message = f'the question "{case.id}" appears twice: also in line {cases[case.id].source.line}'
            hint = "Give each question an id of its own; only the first of the two is used."
            found.append(Problem(message, file=file, line=row.line, hint=hint))
        else:
            cases[case.id] = case
    return LoadedCases(tuple(cases.values()), tuple(found), 1)


def _refuse_split_text(row: Any, file: str) -> None:
    """``{question: Who came, and when}``: in braces YAML ends a text at the comma, and makes a key of the rest."""
    if not isinstance(row, Mapping) or not file.lower().endswith((".yaml", ".yml")):
        return
    rest = next((str(key) for key, value in row.items() if value in (None, "") and " " in str(key).strip()), "")
    if rest:
        hint = 'In {…} a comma ends a text: put the text in quotes, such as question: "first, second".'
        raise BadRow(f'the key "{rest:.60}" has no value', hint)


def _mistyped(row: Any, file: str, line: int, told: set[str]) -> list[Problem]:
    """A warning for each key that is nearly one with a meaning; once per file."""
    found = []
    for key in map(str, row) if isinstance(row, Mapping) else ():
        close = nearest(key, KNOWN, cutoff=ALIKE) if key not in NAMES and key not in told else []
        if close:
            told.add(key)
            hint = f'Did you mean "{close[0]}"?'
            message = f'the key "{key}" has no meaning here'
            found.append(Problem(message, file=file, line=line, hint=hint, severity="warning"))
    return found


def is_question_file(path: Path) -> bool:
    """Whether a file is one of questions with gold SQL. Only its first row is looked at."""
    if not path.is_file():
        return False
    name = path.name.lower().removesuffix(".gz")
    if name.endswith(TEXT_ENDINGS):
        return True
    if name.endswith((".jsonl", ".ndjson")):
        return is_question(first_line(path))
    if not name.endswith(TABLE_ENDINGS):
        return False
    rows = read_rows(path)
    return not rows.keyed and any(is_question(row.value) for row in rows.readable[:1])


def is_question(row: Any) -> bool:
    """Whether a row of a file is a question with gold SQL, and not a gold row of the other forms."""
    row = _usual_names(row)
    if not isinstance(row, Mapping) or "evaluation" in row or "condition_cols" in row:
        return False
    if "interaction" in row:
        return True
    about = any(key in row for key in DATABASE_KEYS)
    if any(key in row for key in SQL_KEYS):
        return about or "question" in row
    return about and "question" in row and "instance_id" not in row  # its SQL is missing, which is said of this row


def _usual_names(row: Any) -> Any:
    """A row whose fields have the names that are known here, however they are written: ``Question``, ``DB_ID``. A field
    that is already there under its own name stays what it is."""
    if not isinstance(row, Mapping) or all(name in NAMES or str(name).islower() for name in row):
        return row
    known = {str(name).strip().lower(): name for name in row if name not in NAMES}
    usual = {name: lower for lower, name in known.items() if lower in NAMES and lower not in row}
    return {usual.get(name, name): value for name, value in row.items()}


# -- rows -------------------------------------------------------------------------------------------------------------


def _gold_lines(path: Path) -> list[FileRow]:
    """``SQL<TAB>db_id`` in each line; a blank line ends a dialogue."""
    text = as_text(read_file(path), path)
    lines = [line.rstrip("\r") for line in text.split("\n")]
    dialogues = any(not line.strip() for line in "\n".join(lines).strip("\n").split("\n"))
    rows: list[FileRow] = []
    dialogue, turn = 0, 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            dialogue, turn = (dialogue + 1, 0) if turn else (dialogue, turn)
            continue
        sql, tab, database = line.rpartition("\t")
        about = {"dialogue": dialogue, "turn": turn} if dialogues else {}
        row = {"query": sql.strip(), "db_id": database.strip(), "question": "", **about}
        rows.append(FileRow(number, row if tab else _NoTab()))
        turn += 1
    return rows


def _turns(row: FileRow) -> Iterator[FileRow]:
    """A dialogue of SParC or CoSQL as one row for each of its turns, with what was said before it."""
    value = row.value
    if not isinstance(value, Mapping) or not isinstance(value.get("interaction"), list):
        yield row
        return
    said: list[str] = []
    for turn, one in enumerate(value["interaction"]):
        if isinstance(one, Mapping):
            asked = str(one.get("utterance", one.get("question", "")))
            about = {"db_id": value.get("database_id", value.get("db_id", "")), "dialogue": row.line, "turn": turn}
            yield FileRow(row.line, {"query": one.get("query"), "question": asked, "before": tuple(said), **about})
            said.append(asked)


def _case(row: Any, item: int, where: Where) -> Case[Gold]:
    if isinstance(row, _NoTab):
        hint = "A gold file has the SQL, a tab and the name of the database in each line."
        raise BadRow("a gold line without a tab", hint)
    if not isinstance(row, Mapping):
        raise BadRow(f"a question is an object, not {row!r:.60}")
    form = next(form for form, fits in FORMS.items() if fits(row))
    expect, wrong = read_expect(row.get("expect"), where.file, where.line)
    if wrong:
        raise BadRow(wrong[0].message, wrong[0].hint)
    if expect is not None and not any(row.get(key) for key in SQL_KEYS):
        turn = Turn[Gold](role="user", content=str(row.get("question") or ""), expect=expect)
        return Case(_id(row, form, item), (turn,), tags=_tags(row), metadata=_metadata(row), source=where)
    texts = _golds(row, form)
    database = next((str(row[key]) for key in DATABASE_KEYS if row.get(key) not in (None, "")), "")
    name = _id(row, form, item)
    problem, sql = "", texts
    if form == "defog":
        try:
            sql = queries_in(texts[0])
        except BadChoices as error:
            problem, sql = str(error), ()
    queries = Queries(
        sql,
        database,
        form,
        written=texts[0] if form == "defog" else "",
        order=_flag(row.get("order"), "order"),
        difficulty=str(row.get("difficulty") or ""),
        category=str(row.get("query_category") or ""),
        evidence=str(row.get("evidence") or row.get("instructions") or ""),
        kind=str(row.get("db_type") or row.get("dialect") or ""),
    )
    status: GoldStatus = "unreadable" if problem else "good"
    gold = Gold(name, (), "own", as_of=str(row.get("as_of") or ""), status=status, problem=problem, queries=queries)
    asked = str(row.get("question") or "")
    turns = (
        *(Turn[Gold](role="user", content=text) for text in row.get("before", ())),
        Turn("user", asked, gold, expect),
    )
    return Case(
        name,
        turns,
        tags=_tags(row),
        metadata=_metadata(row),
        source=where,
        status=status_in(row),
        cluster=str(row.get("cluster") or ""),
    )


def _golds(row: JsonMapping, form: str) -> tuple[str, ...]:
    keys = ("sql",) if form == "ibm" else ("SQL",) if form == "bird" else ("query",) if form == "spider" else SQL_KEYS
    key = next((key for key in keys if row.get(key) not in (None, "", [])), "")
    value = row.get(key)
    texts = value if isinstance(value, list) else [value]
    found = tuple(text.strip() for text in texts if isinstance(text, str) and text.strip())
    if not found or len(found) != len(texts):
        raise BadRow(f"a question without gold SQL; it has the fields {fields_of(row)}", expected_fields(row))
    return found


def expected_fields(row: JsonMapping) -> str:
    """Where the gold SQL of a row without any is expected, the field that may be meant, the format that it is most
    like."""
    expected = "Gold SQL is in sql, query, SQL or gold_sql: a text, or a list of texts."
    unknown = [str(one) for one in row if str(one) not in (*KNOWN, *DATABASE_KEYS)]
    keys = ("sql", "query", "gold_sql")  # SQL would be offered in the place of sql
    meant = next((did_you_mean(one, keys) for one in unknown if nearest(one, keys)), "")
    return " ".join(filter(None, (expected, _nearest_format(row), meant)))


def _nearest_format(row: JsonMapping) -> str:
    """The format that has most of the row's fields."""
    name = max(FORMATS, key=lambda one: len(set(row) & set(FORMATS[one])) / len(FORMATS[one]))
    return f"The nearest format is {name}: {', '.join(FORMATS[name])}."


def _id(row: JsonMapping, form: str, item: int) -> str:
    keys = ("id", "question_id", "instance_id") if form == "own" else ("question_id", "id")
    value = next((row[key] for key in keys if row.get(key) not in (None, "")), item)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def _flag(value: Any, name: str) -> bool | None:
    if isinstance(value, bool):
        return value
    if value in (None, ""):
        return None
    if str(value).lower() not in _YES_NO:
        raise BadRow(f'"{name}" is {value!r:.40}; it is yes or no')
    return _YES_NO[str(value).lower()]


def _tags(row: JsonMapping) -> tuple[str, ...]:
    value = row.get("tags")
    given = value if isinstance(value, list) else re.split(r"[;,|\n]", str(value)) if value else []
    found = [*map(str, given), *([str(row["difficulty"])] if row.get("difficulty") else [])]
    if row.get("query_category"):
        found.append(str(row["query_category"]))
    return tuple(dict.fromkeys(tag.strip() for tag in found if tag.strip()))


def _metadata(row: JsonMapping) -> JsonObject:
    return {str(key): value for key, value in row.items() if key not in _LEFT_OUT and value not in (None, "")}


FORMS: dict[str, Callable[[JsonMapping], bool]] = {
    "ibm": lambda row: isinstance(row.get("sql"), list) and "SQL" in row,
    "bird": lambda row: "SQL" in row and "db_id" in row,
    "defog": lambda row: "db_name" in row and "query" in row and ("id" not in row or "query_category" in row),
    "spider": lambda row: "query" in row and "db_id" in row and "id" not in row,
    "own": lambda _row: True,
}
"""Form → whether a row is of it; the first that fits counts."""
