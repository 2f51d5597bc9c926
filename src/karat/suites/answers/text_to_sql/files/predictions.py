"""Files of predicted SQL, as predictions.

- Spider's text: one query per line, in the order of the questions; what follows a tab is the database.
- BIRD's JSON: row of the question file → ``SQL<TAB>----- bird -----<TAB>database``.
- A JSON object of ids: id → SQL, or → an object with the SQL.
- JSON lines, a JSON list or CSV: ``id``, ``question_id``, ``instance_id`` or ``row``, and the SQL.
- A JSON list of texts: one query each, in the order of the questions.

A prediction that says only its row is read as one for ``row N``, one under a number in a JSON object as one for
``key N``, and one without a key as one for ``line N``;
:mod:`karat.suites.answers.text_to_sql.files.pairing` puts the question's id there, once the questions are known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any  # Any: a value of a prediction file, of any shape

import msgspec

from karat.core.case_files.loaded import LoadedPredictions
from karat.core.files.reading import as_text
from karat.core.json_types import JsonMapping
from karat.core.problems import Problem, UserError
from karat.core.records import AnyCase, Prediction
from karat.suites.answers.records import Answer
from karat.suites.answers.sql.texts import first_sql_in, sql_in
from karat.suites.answers.text_to_sql.files.rows import FileRow, FileRows, fields_of, first_line, read_file, read_rows

ID_KEYS = ("id", "question_id", "instance_id")
SQL_KEYS = ("sql", "query", "predicted_sql", "generated_query", "prediction", "generated_sql", "predicted_query")
OTHER_SQL_KEYS = (
    "answer",
    "response",
    "output",
    "completion",
    "predicted",
    "pred",
    "generated",
    "model_output",
)
"""Where the SQL is looked for in a row that has none of the keys above; it must be in one of these only."""
ANSWER_KEYS = ("answer_type", "answer_or_path", "response", "answer", "kind")
"""Keys of a row of a submission."""
BIRD_MARK = "\t----- bird -----\t"
NONE = "no prediction"
_QUERY = re.compile(r"\s*(?:```|(?:select|with)\b)", re.IGNORECASE)


def read_text_lines(path: Path) -> LoadedPredictions:
    """Spider's text. Blank lines between dialogues are no predictions."""
    lines = [line.rstrip("\r") for line in as_text(read_file(path), path).split("\n")]
    while lines and not lines[-1].strip():
        lines.pop()
    return LoadedPredictions(tuple(made(f"line {n}", *_parted(line, "\t")) for n, line in enumerate(lines, start=1)))


def read_keyed(path: Path) -> LoadedPredictions:
    """BIRD's JSON, a JSON object of ids, JSON lines, a JSON list or CSV. UserError when no row has a place for SQL."""
    read = _one_row(read_rows(path))
    problems = list(read.problems)
    if read.rows and not read.keyed and all(row.value is None or isinstance(row.value, str) for row in read.rows):
        texts = (row.value or "" for row in read.rows)
        return LoadedPredictions(
            tuple(made(f"line {n}", *_parted(text, "\t")) for n, text in enumerate(texts, start=1))
        )
    found: dict[str, Prediction] = {}
    lines: dict[str, int] = {}
    placed = False
    for row in read.readable:
        database = ""
        if read.keyed:
            key, value = row.value
            name, why = f"key {key}" if key.isdecimal() else key, ""
            text, placed = (
                (_sql(value), placed or bool(_sql_keys(value))) if isinstance(value, Mapping) else (value, True)
            )
            text, database = _parted(text if isinstance(text, str) else "", BIRD_MARK)
        else:
            name, text, why = _row(row.value)
            placed = placed or bool(why or _sql_keys(row.value))
        if why:
            problems.append(Problem(why, file=str(path), line=row.line, hint=f"Expected {', '.join(ID_KEYS)} or row"))
            continue
        if name in found:
            message = f'a second prediction for "{name}": it is used in place of the one in line {lines[name]}'
            problems.append(Problem(message, file=str(path), line=row.line, severity="warning"))
        found[name], lines[name] = made(name, text, database), row.line
    if found and not placed:
        raise _no_sql(path, read)
    return LoadedPredictions(tuple(found.values()), tuple(problems))


def _one_row(read: FileRows) -> FileRows:
    """A JSON object that is itself one prediction, as the row that it is."""
    whole = dict(row.value for row in read.rows) if read.keyed else {}
    if any(key in whole for key in ID_KEYS) and _sql_keys(whole):
        return FileRows([FileRow(read.rows[0].line, whole)], read.problems)
    return read


def _no_sql(path: Path, read: FileRows) -> UserError:
    first = read.rows[0].value[1] if read.keyed else read.readable[0].value
    several = _named(first, OTHER_SQL_KEYS)
    expected = f"The SQL is expected in one of {', '.join(SQL_KEYS)}, answer, response or output"
    if len(several) > 1:
        hint = f"{expected}; {' and '.join(several)} could both be it. Name the column with the SQL sql."
    else:
        hint = f"{expected}; the question in one of {', '.join(ID_KEYS)} or row."
    return UserError(f"there is no SQL in {path}: it has the fields {fields_of(first)}", hint=hint)


def _named(value: JsonMapping, names: Sequence[str]) -> list[str]:
    """The keys of a row that are one of these names, in whatever case, in the order of the names."""
    by_name = {str(key).strip().casefold(): key for key in reversed(list(value))}
    return [by_name[name] for name in names if name in by_name]


def _sql_keys(value: JsonMapping) -> list[str]:
    """The keys of a row under which its SQL may be."""
    others = _named(value, OTHER_SQL_KEYS)
    return _named(value, SQL_KEYS) or (others if len(others) == 1 else [])


def _sql(value: JsonMapping) -> str:
    return next((value[key] for key in _sql_keys(value) if isinstance(value[key], str)), "")


def holds_sql(path: Path) -> bool:
    """Whether a file has predictions of this kind, and not the rows of a submission."""
    row = first_line(path)
    if isinstance(row, Mapping) and any(key in row for key in ANSWER_KEYS):
        bare = "instance_id" not in row and not any(key in row for key in ("answer_type", "answer_or_path", "kind"))
        return bare and bool(_QUERY.match(_sql(row)))
    if not path.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson")):
        return True
    return isinstance(row, Mapping) and any(
        row[key] is None or isinstance(row[key], str) for key in _named(row, SQL_KEYS)
    )


def _parted(text: str, mark: str) -> tuple[str, str]:
    sql, _, database = text.partition(mark)
    return sql, database.strip()


def _row(value: Any) -> tuple[str, str, str]:
    """Name, SQL, and why the row is no prediction."""
    if not isinstance(value, Mapping):
        return "", "", f"a prediction is an object, not {value!r:.60}"
    name = next((_key(value[key]) for key in _named(value, ID_KEYS) if value[key] not in (None, "")), "")
    row = next((_key(value[key]) for key in _named(value, ("row",))), "")
    if not name and row not in ("", "None"):
        name = f"row {row}"
    if not name:
        return "", "", f"a prediction that does not say which question it answers; it has the fields {fields_of(value)}"
    return name, _sql(value), ""


def _key(value: Any) -> str:
    """An id as text; a whole number is often written as ``7.0`` by what wrote the file."""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def made(name: str, text: str, database: str = "") -> Prediction:
    """The stored answer: ``text`` is the SQL that strict judges, ``raw`` the text as the public code runs it."""
    sql = sql_in(text)
    problem = "" if text.strip() else NONE
    raw = text if text.strip() != sql else ""
    answer = Answer(name, "sql", sql, (), problem, raw, first_sql=first_sql_in(text), database=database)
    return Prediction(name, None, response=msgspec.json.encode(answer))


def prediction_field(cases: Sequence[AnyCase]) -> LoadedPredictions:
    """The predictions in the question file itself (``prediction``), where there are any."""
    found = []
    for case in cases:
        text = case.metadata.get("prediction")
        if "prediction" in case.metadata:
            found.append(made(case.id, text if isinstance(text, str) else ""))
    return LoadedPredictions(tuple(found))
