"""Cases and predictions given as Python values: lists of dicts, or a DataFrame of pandas, polars or Arrow.

They have the shape of a case file, or of a line of recorded predictions, and are read by the suite's own readers. So
they are checked as files are, with the same messages; "case 3" takes the place of a file and line.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import Any  # Any: records, dicts, or a DataFrame that is recognised by its methods

import msgspec

from karat.core.case_files.loaded import GIVEN, LoadedCases, LoadedPredictions
from karat.core.json_types import JsonObject
from karat.core.problems import Problem, UserError
from karat.core.records import Case, Prediction, Where
from karat.core.suite import Suite

Row = JsonObject
IDS = ("id", "instance_id", "task_id")

FOLDER = "karat-given-"
"""How the name of the folder begins where given predictions lie while they are read."""


def given_cases(suite: Suite, cases: object, folder: Path) -> LoadedCases:
    """Cases from records, dicts or a DataFrame. File names in them are relative to ``folder``."""
    items = _items(cases, "cases")
    if all(isinstance(item, Case) for item in items):
        return LoadedCases(tuple(items))
    if suite.cases_from is None:
        raise UserError(
            f"the suite {suite.name} reads cases only from files", hint="Give the path of a file or folder."
        )
    rows, bad = _rows(items, "case")
    loaded = suite.cases_from([row for _, row in rows], folder) if rows else LoadedCases(())
    named = tuple(msgspec.structs.replace(case, source=Where()) for case in loaded.cases)
    numbers = [number for number, _ in rows]
    return LoadedCases(named, (*bad, *(_numbered(problem, "case", numbers) for problem in loaded.problems)))


def given_predictions(suite: Suite, predictions: object, folder: Path) -> LoadedPredictions:
    """Predictions from records, dicts or a DataFrame, all of one kind."""
    items = _items(predictions, "predictions")
    if all(isinstance(item, Prediction) for item in items):
        return LoadedPredictions(tuple(items))
    rows, bad = _rows(items, "prediction")
    plain = [_with_text_id(row) for _, row in rows]
    try:
        loaded = (
            suite.predictions_from(plain, folder) if suite.predictions_from is not None else _as_lines(suite, plain)
        )
    except UserError as error:  # not one can be read
        loaded = LoadedPredictions((), error.problems or (Problem(error.message, hint=error.hint),))
    numbers = [number for number, _ in rows]
    told = (_numbered(problem, "prediction", numbers) for problem in loaded.problems)
    return LoadedPredictions(loaded.predictions, (*bad, *told), loaded.notes)


def _as_lines(suite: Suite, rows: Sequence[Row]) -> LoadedPredictions:
    with tempfile.TemporaryDirectory(prefix=FOLDER) as folder:
        file = Path(folder) / f"{GIVEN}.jsonl"
        file.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
        return suite.read_predictions(file)


def _with_text_id(row: Row) -> Row:
    """Ids that came as numbers, as they do from a DataFrame, are texts here."""
    return {
        key: str(value) if key in IDS and isinstance(value, int) and not isinstance(value, bool) else value
        for key, value in row.items()
    }


_LINE = re.compile(rf"\b(?:{GIVEN}(?:\.jsonl)?(?::|, line )|line )(\d+)")


def _numbered(problem: Problem, noun: str, numbers: Sequence[int]) -> Problem:
    """The problem with the number of the case in place of a file and line, also where the text names another one."""

    def number(line: int) -> int:
        return numbers[line - 1] if 0 < line <= len(numbers) else line

    message = _LINE.sub(lambda found: f"{noun} {number(int(found[1]))}", problem.message)
    if FOLDER in message:  # the file that the predictions were written to for the suite's own reader
        message = " ".join(f"the {noun}s" if FOLDER in word else word for word in message.split(" "))
    head = f"{noun} {number(problem.line)}: " if problem.line else ""
    return Problem(f"{head}{message}", hint=problem.hint, severity=problem.severity)


# -- from tables and lists to dicts -----------------------------------------------------------------------------------


def _items(given: object, noun: str) -> list[Any]:
    if _is_frame(given):
        return _rows_of_frame(given)
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        kind = type(given).__name__
        raise UserError(f"{noun} cannot be given as {kind}", hint="Give a path, a list of dicts or a DataFrame.")
    return list(given)


def _is_frame(value: object) -> bool:
    return any(hasattr(value, name) for name in ("to_dicts", "to_pylist")) or (
        hasattr(value, "to_dict") and hasattr(value, "columns")
    )


def _rows_of_frame(frame: Any) -> list[Row]:
    """The rows without their empty cells: a table has the same columns in every row, a file only those that say
    something."""
    if hasattr(frame, "to_dicts"):
        rows = frame.to_dicts()
    elif hasattr(frame, "to_pylist"):
        rows = frame.to_pylist()
    else:
        rows = _whole_numbers(frame.to_dict("records"))
    return [{key: value for key, cell in row.items() if (value := _filled(cell)) is not None} for row in rows]


def _whole_numbers(rows: list[Row]) -> list[Row]:
    """pandas turns whole numbers into floats in a column with an empty cell; here they are whole again."""
    for key in rows[0] if rows else ():
        column = [row[key] for row in rows]
        floats = all(isinstance(cell, float) for cell in column)
        if floats and any(map(math.isnan, column)) and all(c.is_integer() for c in column if not math.isnan(c)):
            for row in rows:
                row[key] = None if math.isnan(row[key]) else int(row[key])
    return rows


def _filled(cell: object) -> object:
    """A cell without what is empty in it; None when nothing is left."""
    if isinstance(cell, Mapping):
        return {key: value for key, item in cell.items() if (value := _filled(item)) is not None}
    if isinstance(cell, list | tuple):
        return [_filled(item) if isinstance(item, Mapping) else item for item in cell]
    return None if _is_empty(cell) else cell


def _is_empty(value: object) -> bool:
    """None, and pandas' words for it: NaN, NaT, NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and math.isnan(value)


def _rows(items: Sequence[object], noun: str) -> tuple[list[tuple[int, Row]], list[Problem]]:
    """The items that are dicts, each with its number; a problem for each of the others, which cost only themselves."""
    rows: list[tuple[int, Row]] = []
    problems: list[Problem] = []
    for number, item in enumerate(items, start=1):
        try:
            rows.append((number, _row(item, number, noun)))
        except UserError as error:
            problems.append(Problem(error.message, hint=error.hint))
    return rows, problems


def _row(item: object, number: int, noun: str) -> Row:
    if isinstance(item, Mapping):
        try:
            return {str(key): _plain(value) for key, value in item.items()}
        except TypeError as error:
            raise UserError(
                f"{noun} {number}: {error}", hint="Use JSON values: strings, numbers, lists, dicts."
            ) from None
    raise UserError(
        f"{noun} {number}: expected a dict here, found {type(item).__name__}",
        hint=f"Give all of the {noun}s as dicts, or all as karat.{noun.capitalize()}.",
    )


def _plain(value: object) -> object:
    """The value as JSON has it."""
    if _is_empty(value):
        return None
    if isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if _is_frame(value):
        return [_plain(row) for row in _rows_of_frame(value)]
    if hasattr(value, "tolist"):  # numpy's numbers and arrays, a column of a table
        return _plain(value.tolist())
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    raise TypeError(f"values of type {type(value).__name__} are not supported")
