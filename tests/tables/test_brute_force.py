"""The quick matchers give the verdict of the slow one, on tiny tables made to be nearly equal."""

from __future__ import annotations

import random
from typing import Any

import polars
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from karat.tables.matching import match_tables
from karat.tables.options import CompareOptions
from karat.tables.table import Table, table_of
from tests.tables.brute_force import same_tables

NUMBERS: list[str | None] = [
    "20001",
    "20002",
    "20001.0",
    "20001.5",
    "12345678901234567",
    "12345678901234568",
    "1",
    "1.0",
    "2",
    "0.12",
    "0.1234",
    "0.1235",
    "0.124",
    "0.125",
    "100",
    "100.005",
    "100.012",
    "-1",
    "1e2",
    "1234",
]
OTHERS: list[str | None] = [
    "a",
    "A",
    "b",
    None,
    "NULL",
    "true",
    "007",
    "7",
    "7.0",
    "2020-01-01",
    "2020-01-01 00:00:00",
    "1,234",
    "$100",
    "",
]

OPTIONS = st.sampled_from(
    [
        CompareOptions(),
        CompareOptions(rounding=False),
        CompareOptions(case_or_space=True),
        CompareOptions(rel_tol=0.05),
        CompareOptions(separators=False, boolean=False, leading_zeros=False),
    ]
)


@st.composite
def two_tables(draw: st.DrawFn) -> tuple[list[list[str | None]], list[list[str | None]]]:
    """A table, and one made of it by moving rows and columns, adding columns and rewriting some cells."""
    cells = st.sampled_from(draw(st.sampled_from([NUMBERS, OTHERS, NUMBERS + OTHERS, NUMBERS[:6], NUMBERS[6:12]])))
    width, height = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    gold = [[draw(cells) for _ in range(width)] for _ in range(height)]
    mix = random.Random(draw(st.integers(0, 10**6)))
    columns = [[row[column] for row in gold] for column in range(width)]
    columns += [[draw(cells) for _ in range(height)] for _ in range(draw(st.integers(0, 1)))]
    mix.shuffle(columns)
    if draw(st.booleans()):
        mix.shuffle(columns[mix.randrange(len(columns))])
    pred = [list(row) for row in zip(*columns, strict=True)]
    mix.shuffle(pred)
    for _ in range(draw(st.integers(0, 3))):
        pred[mix.randrange(height)][mix.randrange(len(columns))] = draw(cells)
    return gold, pred


def names(rows: list[list[str | None]], letter: str) -> list[str]:
    """Headers of gold and prediction differ, so that no header settles anything."""
    return [f"{letter}{index}" for index in range(len(rows[0]))]


@settings(max_examples=600, deadline=None)
@given(tables=two_tables(), ignore_order=st.booleans(), options=OPTIONS)
def test_small_tables_agree_with_the_slow_rule(tables: Any, ignore_order: bool, options: CompareOptions) -> None:
    gold, pred = tables
    match = match_tables(
        table_of(names(gold, "g"), gold), table_of(names(pred, "p"), pred), ignore_order=ignore_order, options=options
    )
    assert match.settled
    assert match.passed == same_tables(gold, pred, ignore_order=ignore_order, options=options)


def held_large(rows: list[list[str | None]], letter: str) -> Table:
    table = table_of(names(rows, letter), rows)
    columns = tuple(polars.Series(column, dtype=polars.String) for column in table.columns)
    return Table(table.names, columns, table.height)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables=two_tables(), ignore_order=st.booleans(), options=OPTIONS)
def test_large_tables_agree_with_the_slow_rule(tables: Any, ignore_order: bool, options: CompareOptions) -> None:
    gold, pred = tables
    match = match_tables(held_large(gold, "g"), held_large(pred, "p"), ignore_order=ignore_order, options=options)
    assert match.settled
    assert match.passed == same_tables(gold, pred, ignore_order=ignore_order, options=options)
