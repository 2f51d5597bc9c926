"""A table whose numbers have decimal commas: right if they are meant so, which a person decides."""

from __future__ import annotations

import csv
from pathlib import Path

import polars
import pytest

from karat.suites.answers.strict import table_match
from karat.tables.options import CompareOptions
from karat.tables.table import Table, table_of
from karat.tables.values.decimal_commas import with_points


def verdict_of(
    folder: Path, gold: list[str], given: list[str], options: CompareOptions | None = None
) -> tuple[str, str]:
    for name, cells in (("gold.csv", gold), ("given.csv", given)):
        with (folder / name).open("w", newline="") as file:
            csv.writer(file).writerows([["x", "k"], *([cell, f"k{row}"] for row, cell in enumerate(cells))])
    found = table_match(str(folder / "given.csv"), str(folder / "gold.csv"), options=options)
    return found.state, found.reason


@pytest.mark.parametrize(
    ("gold", "given", "state"),
    [
        (["1.5", "2.5"], ["1,5", "2,5"], ("needs_review", "two_readings")),
        (["1.234", "2.345"], ["1,234", "2,345"], ("needs_review", "two_readings")),
        (["1234.56", "2.5"], ["1.234,56 €", "2,50 €"], ("needs_review", "two_readings")),
        (["1234.56", "-2.5"], ["1 234,56", "-2,5"], ("needs_review", "two_readings")),
        (["1234.56", ""], ["1.234,56", ""], ("needs_review", "two_readings")),
        (["1234", "2345"], ["1,234", "2,345"], ("right", "")),
        (["1.5", "2.5"], ["1,5", "2,6"], ("wrong", "values_differ")),
        (["1234", "2500"], ["1.234", "2.500"], ("wrong", "values_differ")),
        (["1.5", "2.5"], ["1,5", "about 2,5"], ("wrong", "values_differ")),
    ],
)
def test_decimal_commas(tmp_path: Path, gold: list[str], given: list[str], state: tuple[str, str]) -> None:
    assert verdict_of(tmp_path, gold, given) == state


def test_the_switch_of_separators_is_also_for_these(tmp_path: Path) -> None:
    off = CompareOptions(separators=False)
    assert verdict_of(tmp_path, ["1.5", "2.5"], ["1,5", "2,5"], off) == ("wrong", "values_differ")


def test_a_large_table(tmp_path: Path) -> None:
    gold = [f"{row}.25" for row in range(30_000)]
    given = [text.replace(".", ",") for text in gold]
    assert verdict_of(tmp_path, gold, given) == ("needs_review", "two_readings")
    held = Table(("x",), (polars.Series(given, dtype=polars.String),), len(given))
    found = with_points(held)
    assert found is not None
    assert list(found.columns[0])[:2] == ["0.25", "1.25"]
    assert with_points(Table(("x",), (polars.Series(gold, dtype=polars.String),), len(gold))) is None


def test_what_holds_no_such_numbers() -> None:
    assert with_points(table_of(["a"], [["1.5"], ["2"]])) is None
    assert with_points(table_of(["a"], [["1,5"], ["x"]])) is None
    assert with_points(table_of(["a"], [])) is None
