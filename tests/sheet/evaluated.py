"""Evaluating a sheet that stands in a test as text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from karat.sheet.check.checker import check_sheet
from karat.sheet.evaluation import Settings, Workbook, evaluate
from karat.sheet.functions import EXAMPLE_TABLE, FUNCTIONS
from karat.sheet.text.parser import parse
from karat.sheet.values import plain

NO_FOLDER = Path("no-such-folder")


def evaluated(
    text: str, folder: Path = NO_FOLDER, *, checked: bool = True, settings: Settings | None = None, **options: Any
) -> Workbook:
    """The tables of a sheet, which must be without mistakes that the check finds."""
    sheet = parse(text, "test.sheet")
    if checked:
        assert check_sheet(sheet, "test.sheet", FUNCTIONS, options.pop("known", {})) == ()
    return evaluate(sheet, folder=folder, settings=settings, file="test.sheet", **options)


def column(text: str, table: str, field: str, folder: Path = NO_FOLDER, **options: Any) -> list[Any]:
    """One column, as JSON has it; the sheet must be without any problem."""
    book = evaluated(text, folder, **options)
    assert book.problems == ()
    return [plain(cell) for cell in book.column(table, field)]


def value_of(formula: str, sheet: str = EXAMPLE_TABLE, folder: Path = NO_FOLDER, **options: Any) -> Any:
    """What a formula gives, beside the table ``Fruit`` of the examples."""
    found = column(f"{sheet}\ntable Example\n    [value] = {formula}\n", "Example", "value", folder, **options)
    assert len(found) == 1
    return found[0]


def mistake_of(formula: str, sheet: str = EXAMPLE_TABLE, *, checked: bool = True) -> str:
    """What the one problem with a formula says, with its hint."""
    book = evaluated(f"{sheet}\ntable Example\n    [value] = {formula}\n", checked=checked)
    assert len(book.problems) == 1
    problem = book.problems[0]
    assert problem.line
    return f"{problem.message} {problem.hint}".strip()
