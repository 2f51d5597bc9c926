"""Real gold tables, changed in ways that must pass and in ways that must not. A sample here; the benchmark takes them
all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from karat.tables.files.reading import read_csv
from karat.tables.matching import Match, match_tables
from karat.tables.table import Table, TableError
from tests.tables import perturbations as change

STEP = 12
"""Every so many gold files."""
ROWS = 4_000

pytestmark = pytest.mark.shared_data


@pytest.fixture(scope="module")
def tables(shared: Path) -> list[tuple[str, Table]]:
    folder = shared / "data" / "spider2" / "lite" / "evaluation_suite" / "gold" / "exec_result"
    found = []
    for path in sorted(folder.glob("*.csv"))[::STEP]:
        try:
            found.append((path.name, read_csv(path).head(ROWS)))
        except TableError:
            continue
    assert len(found) > 100
    return found


def outcomes(
    tables: list[tuple[str, Table]], make: Callable[[Table, Random], Table], *, ignore_order: bool = True
) -> Iterator[tuple[str, Match]]:
    """The match of every table with its changed self, where the change changes anything."""
    for name, gold in tables:
        pred = make(gold, Random(name))
        if pred.width != gold.width or change.rows(pred) != change.rows(gold) or make is change.shuffled_rows:
            yield name, match_tables(gold, pred, ignore_order=ignore_order)


def without_random(make: Callable[[Table], Table]) -> Callable[[Table, Random], Table]:
    return lambda table, _: make(table)


def failing(found: Iterator[tuple[str, Match]]) -> list[tuple[str, str]]:
    return [(name, match.reason) for name, match in found if not match.passed]


def not_so(found: list[tuple[str, Match]], reason: str) -> list[tuple[str, bool, str]]:
    assert len(found) > 5
    return [(n, match.passed, match.reason) for n, match in found if match.passed or match.reason != reason]


def test_shuffled_rows_pass(tables: list[tuple[str, Table]]) -> None:
    assert failing(outcomes(tables, change.shuffled_rows)) == []


def test_columns_shuffled_on_their_own_fail(tables: list[tuple[str, Table]]) -> None:
    assert not_so(list(outcomes(tables, change.shuffled_columns)), "rows_scrambled") == []


def test_noise_within_tolerance_passes(tables: list[tuple[str, Table]]) -> None:
    assert (
        failing(outcomes(tables, lambda table, random: change.shuffled_rows(change.noisy(table, random), random))) == []
    )


def test_a_factor_of_100_fails(tables: list[tuple[str, Table]]) -> None:
    with_numbers = [(name, table) for name, table in tables if has_plain_numbers(table)]
    assert not_so(list(outcomes(with_numbers, without_random(change.times_100))), "scale_100") == []


def has_plain_numbers(table: Table) -> bool:
    """Whether a column holds numbers only, some of them not zero."""
    for column in change.columns_of(table):
        numbers = [change.plain_number(text) for text in column if text is not None]
        if None not in numbers and any(numbers):
            return True
    return False


def test_dropped_rows_fail(tables: list[tuple[str, Table]]) -> None:
    with_rows = [(name, table) for name, table in tables if table.height]
    found = list(outcomes(with_rows, change.dropped_row))
    assert not [name for name, match in found if match.passed]
    assert {match.reason for _, match in found} <= {"row_count", "duplicates", "shape_differs"}


def test_doubled_rows_fail(tables: list[tuple[str, Table]]) -> None:
    with_rows = [(name, table) for name, table in tables if table.height]
    assert not_so(list(outcomes(with_rows, change.doubled_row)), "duplicates") == []


def test_extra_columns_pass(tables: list[tuple[str, Table]]) -> None:
    assert failing(outcomes(tables, change.extra_columns)) == []


def test_nulls_are_not_zeros(tables: list[tuple[str, Table]]) -> None:
    assert not_so(list(outcomes(tables, without_random(change.nulls_to_zero))), "null_vs_zero") == []


@pytest.mark.parametrize(
    ("make", "name"), [(change.with_midnight, "date_format"), (change.with_separators, "separators")]
)
def test_harmless_formats_pass_and_say_so(
    tables: list[tuple[str, Table]], make: Callable[[Table], Table], name: str
) -> None:
    found = list(outcomes(tables, without_random(make)))
    assert len(found) > 5
    assert [(n, match.normalised) for n, match in found if not match.passed or name not in match.normalised] == []
