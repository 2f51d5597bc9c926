"""Sheets of dial-xl's own tests give what its tests expect; those that need pivots are refused by name."""

from __future__ import annotations

import json
import math
import re
from datetime import date
from pathlib import Path
from typing import Any  # Any: the expected values are JSON, and a cell is what the sheet gives

import pytest

from karat.core.problems import UserError
from karat.sheet.check.checker import check_sheet
from karat.sheet.evaluation import evaluate
from karat.sheet.functions import FUNCTIONS
from karat.sheet.scalars import Date, date_text
from karat.sheet.text.parser import parse
from karat.sheet.values import NA, Array, Failure, Row, TableValue
from tests.conftest import NO_SHARED_DATA

EXPECTED = Path(__file__).resolve().parents[3] / "shared" / "data" / "dialxl"
NOT_EQUAL = {
    "testTableFunctionSpecialCases": (
        {("A", "f1"), ("A", "b1")},
        "dial-xl does not compute f1 and b1 (its test has them in a comment, as not supported yet), and the values "
        "contradict the formula: f1 is the sum of {2} and of {1}, but 1 and 1 are expected",
    ),
    "testValue": (
        {("A", "b")},
        "dial-xl's test reads the number 12,345,678,912.34 back from its display, 12.3B; VALUE gives the number itself",
    ),
}
"""Sheets without pivots: the fields whose values are not all equal, and why."""
REFUSED = re.compile(r"(PIVOT|UNPIVOT|FIELDS|PERIODSERIES|GROUPBY) is not part of Karat's sheets|has no field|expected")


def snippets() -> list[dict[str, Any]]:
    file = EXPECTED / "expected.json"
    found: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))["snippets"] if file.exists() else []
    return found


def number(value: object) -> float | None:
    """The number that an expected or given value stands for."""
    if isinstance(value, bool | int | float):
        return float(value)
    words = {"TRUE": 1.0, "FALSE": 0.0}
    if str(value) in words:
        return words[str(value)]
    day = re.fullmatch(r"(\d+)/(\d+)/(\d{4})", str(value))
    if day:
        return float((date(int(day[3]), int(day[1]), int(day[2])) - date(1899, 12, 30)).days)
    try:
        return float(str(value).replace(",", ""))
    except ValueError:
        return None


def same(expected: object, given: Any, keys: list[str]) -> bool:
    """As the data's description says."""
    if given is NA or isinstance(given, Failure):
        return expected is None or expected == ""
    if isinstance(given, Array | TableValue):
        given = len(given)
    if isinstance(given, Row):
        shown = [given.field(key) for key in keys if key in given.table.columns] + [given.table.row(given.index) + 1]
        return any(same(expected, one, []) for one in shown)
    if isinstance(given, Date) and isinstance(expected, str) and expected == date_text(given).split(" ")[0]:
        return True
    left, right = number(expected), number(given)
    if left is not None and right is not None:
        return math.isclose(left, right, rel_tol=1e-8, abs_tol=1e-8)
    return bool(expected == given)


@pytest.mark.parametrize("snippet", snippets() or [{}], ids=lambda one: one.get("id", "no data"))
def test_a_sheet(snippet: dict[str, Any], shared: Path) -> None:
    assert shared.is_dir()
    if snippet["pivot_family"]:
        try:
            problems = check_sheet(parse(snippet["sheet"], "t.sheet"), "t.sheet", FUNCTIONS)
        except UserError as error:
            problems = tuple(error.problems)
        assert any(REFUSED.search(problem.message) and problem.line for problem in problems)
        return
    sheet = parse(snippet["sheet"], "t.sheet")
    assert [problem for problem in check_sheet(sheet, "t.sheet", FUNCTIONS) if problem.severity == "error"] == []
    book = evaluate(sheet, folder=EXPECTED / "inputs", file="t.sheet")
    keys = {table.name: [one.name for line in table.fields for one in line.fields if one.key] for table in sheet.tables}
    wrong = []
    for expected in snippet["expected"]:
        given = list(book.column(expected["table"], expected["field"]))
        own = keys[expected["table"]]
        if len(given) != len(expected["values"]) or not all(map(same, expected["values"], given, [own] * len(given))):
            wrong.append((expected["table"], expected["field"], expected["values"], given))
    known, _ = NOT_EQUAL.get(snippet["id"], (set(), ""))
    assert {(table, field) for table, field, *_ in wrong} == known, wrong
    if snippet["id"] == "testValue":
        ((*_, expected, given),) = wrong
        assert [at for at, pair in enumerate(zip(expected, given, strict=True)) if not same(*pair, [])] == [5]
        assert given[5] == 12345678912.34


def test_how_many() -> None:
    found = snippets()
    if not found:
        pytest.skip(NO_SHARED_DATA)
    assert sum(not one["pivot_family"] for one in found) == 45 and len(NOT_EQUAL) == 2
