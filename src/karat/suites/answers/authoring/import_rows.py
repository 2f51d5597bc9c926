"""Rows of a spreadsheet or another tool's file as gold of the project's own form, and a submission.

What is expected decides how it is compared: a number (``12,840``, ``17.5%``) by number_match, the name of a CSV file
that is there, or a table written out, by table_match, any other text by string_match. A list must be there in full; a
row of the contract's ``evaluation`` is kept as it is.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any  # Any: cells of an imported file, and the evaluation that is made of them

from karat.core.case_files.import_rows import AnyOf, Imported, ImportRow, json_in, unique
from karat.core.files.reading import read_bytes
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import Problem, count_of
from karat.suites.answers.cases import FILE_FUNCTIONS
from karat.suites.answers.submission.safe_paths import OutsideFolder, inside

GOLD, SUBMISSION, METADATA = "gold", "submission", "results_metadata.jsonl"
_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_SQL = re.compile(r"\s*(?:```\s*sql\b|(?:select|with)\b.*\b(?:from|select)\b)", re.IGNORECASE | re.DOTALL)
_NOT_NAME = re.compile(r"[^\w.-]+")


class _LeftOut(Exception):
    """Why a row cannot become an instance."""


def import_rows(rows: Sequence[ImportRow], folder: Path) -> Imported:
    """``gold/karat_gold.jsonl`` with its tables; ``submission/results_metadata.jsonl`` where there are answers."""
    made = Imported(GOLD)
    names: dict[str, str] = {}
    taken: set[str] = set()
    gold: list[bytes] = []
    answers: list[bytes] = []
    renamed = 0
    for row in rows:
        try:
            if row.id in names:
                raise _LeftOut(
                    "a second try: a submission has one answer per instance" if row.repeat else _twice(row.id)
                )
            name = _NOT_NAME.sub("_", row.id).strip("._") or "case"
            tables: dict[str, bytes] = {}
            evaluation = _evaluation(row.expected, tables, folder)
            name = unique(name, taken)
            answer = _answer(row, folder) if row.answer is not None else None
        except _LeftOut as why:
            made.left_out.append(Problem(str(why), line=row.line))
            continue
        renamed += name != row.id
        names[row.id] = name
        line: JsonObject = {"instance_id": name, "instruction": row.question}
        gold.append(_line(line | ({"tags": list(row.tags)} if row.tags else {}) | {"evaluation": evaluation}))
        made.files |= {f"{GOLD}/{name}/{file}": data for file, data in tables.items()}
        made.count += 1
        if answer is not None:
            kind, given, files = answer
            made.files |= {f"{SUBMISSION}/{name}/{file}": data for file, data in files.items()}
            answers.append(_line({"instance_id": name, "answer_type": kind, "answer_or_path": given}))
        elif row.error:
            made.notes.append(
                f'the call for "{name}" failed, which a submission cannot record: it counts as not submitted'
            )
    made.files[f"{GOLD}/karat_gold.jsonl"] = b"".join(gold)
    if answers:
        made.predictions, made.answers = SUBMISSION, len(answers)
        made.files[f"{SUBMISSION}/{METADATA}"] = b"".join(answers)
    if renamed:
        made.notes.append(
            f"{count_of(renamed, 'id was', 'ids were')} changed, because an instance id is also a folder name"
        )
    if any(row.before for row in rows):
        made.notes.append("the conversation before the question is left out: an instance is one question")
    return made


def _twice(name: str) -> str:
    return f'the id "{name}" appears twice'


def _line(value: JsonMapping) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


# -- what is expected -------------------------------------------------------------------------------------------------


def _evaluation(expected: Any, tables: dict[str, bytes], folder: Path) -> Any:
    if isinstance(expected, AnyOf) and len(expected) == 1:
        expected = expected[0]
    expected = json_in(expected)
    parts = expected if isinstance(expected, list) else [expected]
    if parts and all(isinstance(part, Mapping) and "func" in part for part in parts):
        if any(part["func"] in FILE_FUNCTIONS for part in parts):
            raise _LeftOut("its evaluation names gold files, which are not imported: give the table or its CSV file")
        return list(parts) if isinstance(expected, list) else dict(expected)
    if (table := _table(expected, folder)) is not None:
        tables["result.csv"] = table
        return {
            "func": "table_match",
            "parameters": {"gold": "result.csv", "condition_cols": [], "ignore_order": True},
        }
    if isinstance(expected, list):
        return _several(expected)
    if expected is None or (isinstance(expected, str) and not expected.strip()):
        raise _LeftOut("nothing is expected: the cell is empty")
    if isinstance(expected, Mapping):
        raise _LeftOut(
            "the expected value is an object, not a text, number or table: its keys are "
            f"{', '.join(map(str, expected))[:80]}"
        )
    number = _number(expected)
    if number is not None:
        return {"func": "number_match", "parameters": number}
    text = str(expected).strip()
    if _SQL.match(text):
        raise _LeftOut(
            "the expected value is SQL: a CSV file with the columns id, question and sql is a question file already "
            "(karat check --questions FILE)"
        )
    return {"func": "string_match", "parameters": {"gold": [text]}}


def _several(expected: list[Any]) -> JsonObject:
    """Several values: all of them must be there, or any, where the file says so."""
    parts = [part for part in expected if part not in (None, "")]
    if not parts or any(isinstance(part, list | Mapping) for part in parts):
        raise _LeftOut("the expected list is empty or contains lists or objects")
    conj = "or" if isinstance(expected, AnyOf) else "and"
    numbers = [_number(part) for part in parts]
    if all(number is not None and "percentage" not in number for number in numbers):
        values = [number["gold"] for number in numbers if number is not None]
        return {"func": "number_match", "parameters": {"gold": values, "conj": conj}}
    return {"func": "string_match", "parameters": {"gold": [str(part).strip() for part in parts], "conj": conj}}


def _number(value: Any) -> JsonObject | None:
    """The parameters of number_match; None when it is not a number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return {"gold": value} if value == value and abs(value) != float("inf") else None
    text = str(value).strip()
    percent = text.endswith("%")
    bare = text.removesuffix("%").strip()
    if not _NUMBER.fullmatch(bare):
        return None
    if percent:
        return {"gold": f"{bare.replace(',', '')}%", "percentage": True}
    plain = bare.replace(",", "")
    return {"gold": int(plain) if re.fullmatch(r"[+-]?\d+", plain) else float(plain)}


def _table(value: Any, folder: Path) -> bytes | None:
    """The CSV of an expected or given table: a file beside the imported one, rows as objects, or a table written
    out."""
    if isinstance(value, list) and value and all(isinstance(row, Mapping) for row in value):
        columns = list(dict.fromkeys(name for row in value for name in row))
        return _csv([columns, *([row.get(name) for name in columns] for row in value)])
    if not isinstance(value, str):
        return None
    text = value.strip()
    if text.lower().endswith(".csv") and "\n" not in text:
        try:
            file = inside(folder, text)
        except OutsideFolder:
            raise _LeftOut(f'"{text}" is outside the folder of the imported file') from None
        if not file.is_file():
            raise _LeftOut(f'there is no file "{text}" next to the imported file')
        return read_bytes(file)
    lines = text.splitlines()
    if len(lines) < 2:
        return None
    rows = list(csv.reader(io.StringIO(text)))
    widths = {len(row) for row in rows}
    if len(widths) == 1 and widths.pop() > 1 and all(_looks_like_name(cell) for cell in rows[0]):
        return _csv(rows)
    return None


def _looks_like_name(cell: str) -> bool:
    """Whether a cell may be the heading of a column: not a number, not a sentence."""
    return bool(cell.strip()) and not _NUMBER.fullmatch(cell.strip()) and len(cell.split()) <= 4


def _csv(rows: Sequence[Sequence[Any]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(["" if cell is None else cell for cell in row] for row in rows)
    return text.getvalue().encode()


# -- what was answered ------------------------------------------------------------------------------------------------


def _answer(row: ImportRow, folder: Path) -> tuple[str, Any, dict[str, bytes]] | None:
    value = json_in(row.answer)
    try:
        table = _table(value, folder)
    except _LeftOut:
        table = None  # a text about a file: it is judged as a text
    if table is not None:
        return "file", "result.csv", {"result.csv": table}
    if isinstance(value, Mapping):
        for key, kind in (("sql", "sql"), ("answer", "answer"), ("output", "answer")):
            if isinstance(value.get(key), str | int | float):
                return kind, str(value[key]), {}
    if isinstance(value, list | Mapping):
        value = json.dumps(value, ensure_ascii=False)
    text = str(value)
    if not text.strip():
        return None
    return ("sql" if _SQL.match(text) else "answer"), text, {}
