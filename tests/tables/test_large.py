"""Large tables: the same verdicts as small ones, also where sorting alone does not pair the rows."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.tables.large import compare as large
from karat.tables.large.compare import LargeComparison
from karat.tables.large.rows import in_order
from karat.tables.matching import match_tables
from karat.tables.options import CompareOptions
from karat.tables.table import LARGE, Table, table_of

HEIGHT = LARGE + 500


def held(names: list[str], rows: list[list[str | None]]) -> Table:
    import polars

    columns = tuple(polars.Series(list(column), dtype=polars.String) for column in zip(*rows, strict=True))
    return Table(tuple(names), columns, len(rows))


def made(random: Random) -> list[list[str | None]]:
    return [
        [
            str(row),
            f"name {row % 70}",
            None if row % 11 == 0 else repr(random.uniform(-50, 1000)),
            f"2020-{row % 12 + 1:02d}-01",
        ]
        for row in range(HEIGHT)
    ]


@pytest.fixture(scope="module")
def rows() -> list[list[str | None]]:
    return made(Random(1))


@pytest.fixture(scope="module")
def gold(rows: list[list[str | None]]) -> Table:
    return held(["id", "name", "value", "day"], rows)


def noisy(text: str | None, random: Random) -> str | None:
    return None if text is None else repr(float(text) * (1 + random.uniform(-9e-5, 9e-5)))


def test_shuffled_and_renamed(rows: list[list[str | None]], gold: Table) -> None:
    moved = [[row[3], row[2], "more", row[0], row[1]] for row in rows]
    Random(2).shuffle(moved)
    match = match_tables(gold, held(list("pqrst"), moved), ignore_order=True)
    assert (match.passed, match.mapping, match.normalised) == (True, (3, 4, 1, 0), ())
    ordered = match_tables(gold, held(list("pqrst"), moved), ignore_order=False)
    assert ordered.reason == "order_differs"


def test_noise_dates_and_separators(rows: list[list[str | None]], gold: Table) -> None:
    random = Random(3)
    changed = [[f"{int(row[0] or 0):,}", row[1], noisy(row[2], random), f"{row[3]} 00:00:00"] for row in rows]
    random.shuffle(changed)
    match = match_tables(gold, held(list("pqrs"), changed), ignore_order=True)
    assert (match.passed, match.normalised) == (True, ("date_format", "separators", "tolerance"))


def test_only_numbers_and_all_of_them_noisy() -> None:
    """No column says which rows belong together, and noise changes the order of every column."""
    random = Random(4)
    plain = [[repr(random.uniform(1, 1000)) for _ in range(3)] for _ in range(HEIGHT)]
    changed = [[noisy(text, random) for text in row] for row in plain]
    random.shuffle(changed)
    gold = held(list("abc"), [list(row) for row in plain])
    match = match_tables(gold, held(list("pqr"), changed), ignore_order=True)
    assert (match.passed, match.normalised) == (True, ("tolerance",))
    rounded = [[f"{float(text):.2f}" for text in row] for row in plain]
    random.shuffle(rounded)
    match = match_tables(gold, held(list("pqr"), [list(row) for row in rounded]), ignore_order=True)
    assert (match.passed, match.settled) == (True, True)
    assert "rounding" in match.normalised


def test_one_wrong_cell_among_many(rows: list[list[str | None]], gold: Table) -> None:
    changed = [list(row) for row in rows]
    changed[777][2] = "5000.25"
    Random(5).shuffle(changed)
    match = match_tables(gold, held(["id", "name", "value", "day"], changed), ignore_order=True)
    assert (match.passed, match.settled, match.reason) == (False, True, "values_differ")
    assert match.evidence["columns"][0]["gold"] == "value"


@pytest.mark.parametrize(
    ("column", "change", "reason"),
    [
        (2, lambda text: None if text is None else repr(float(text) * 100), "scale_100"),
        (2, lambda text: text or "0", "null_vs_zero"),
        (1, lambda text: text.upper(), "case_or_space"),
    ],
)
def test_reasons(rows: list[list[str | None]], gold: Table, column: int, change: Any, reason: str) -> None:
    changed = [[*row[:column], change(row[column]), *row[column + 1 :]] for row in rows]
    Random(6).shuffle(changed)
    match = match_tables(gold, held(list("pqrs"), changed), ignore_order=True)
    assert (match.passed, match.reason) == (False, reason)


def test_scrambled_columns(rows: list[list[str | None]], gold: Table) -> None:
    columns = [list(column) for column in zip(*rows, strict=True)]
    for column in columns:
        Random(7).shuffle(column)
    assert match_tables(
        gold, held(list("pqrs"), [list(r) for r in zip(*columns, strict=True)]), ignore_order=True
    ).passed
    Random(8).shuffle(columns[2])
    match = match_tables(gold, held(list("pqrs"), [list(r) for r in zip(*columns, strict=True)]), ignore_order=True)
    assert (match.passed, match.reason) == (False, "rows_scrambled")


def test_dropped_and_doubled_rows(rows: list[list[str | None]], gold: Table) -> None:
    names = ["id", "name", "value", "day"]
    assert match_tables(gold, held(names, rows[:-1]), ignore_order=True).reason == "row_count"
    assert match_tables(gold, held(names, [*rows, rows[0]]), ignore_order=True).reason == "duplicates"


@given(st.lists(st.sampled_from([0, 1, 2, 3, 8, 9, 2**40, 2**40 + 1, 2**63, 2**64 - 1]), min_size=1, max_size=9))
def test_keys_in_order_also_where_only_their_last_bits_differ(keys: list[int]) -> None:
    order, found = in_order(numpy.array(keys, dtype=numpy.uint64))
    assert found.tolist() == sorted(keys) == [keys[place] for place in order]
    assert sorted(order.tolist()) == list(range(len(keys)))


def test_twins_are_columns_with_the_same_texts_in_the_same_rows() -> None:
    table = held(list("pqrs"), [["1", "2", "1", None], ["2", "1", "2", "2"], [None, None, None, "1"]])
    assert LargeComparison(table, table, CompareOptions(), ordered=False).twins == [0, 1, 0, 3]


@pytest.fixture(scope="module")
def tall() -> polars.DataFrame:
    """200,000 rows with a text, a number with a fraction, and a date; ids are texts, so that every row is a group of
    its own."""
    chance = numpy.random.default_rng(3)
    count = 200_000
    return polars.DataFrame(
        {
            "id": [f"u{row}" for row in range(count)],
            "city": numpy.array(["Paris", "Rome", "Oslo"])[chance.integers(0, 3, count)],
            "share": chance.uniform(0.1, 0.9, count),
            "amount": chance.integers(1_000, 900_000, count) / 100,
        }
    ).cast(polars.String)


def as_table(frame: polars.DataFrame) -> Table:
    return Table(tuple(frame.columns), tuple(frame.get_columns()), frame.height)


@pytest.mark.parametrize(("scrambled", "extra"), [(["share"], False), (["city"], True), (["share", "amount"], True)])
def test_200_000_rows_with_scrambled_columns_are_settled(
    tall: polars.DataFrame, scrambled: list[str], extra: bool
) -> None:
    pred = tall.with_columns(tall[name].shuffle(seed=place) for place, name in enumerate(scrambled))
    if extra:
        pred = pred.with_columns(pred["amount"].alias("amount again"), polars.lit("x").alias("more"))
    match = match_tables(as_table(tall), as_table(pred.sample(fraction=1, shuffle=True, seed=4)), ignore_order=True)
    assert (match.passed, match.settled, match.reason) == (False, True, "rows_scrambled")
    assert all(column["share"] < 1 for column in match.evidence["columns"])


def test_200_000_rows_with_one_change_are_settled_and_the_row_is_shown(tall: polars.DataFrame) -> None:
    gold, names = as_table(tall), tall.columns
    cells = tall["share"].to_list()
    cells[123_456] = "0.95"
    changed = tall.with_columns(polars.Series("share", cells)).rename({name: f"x {name}" for name in names})
    match = match_tables(gold, as_table(changed), ignore_order=True)
    assert (match.settled, match.reason, match.row_share) == (True, "values_differ", round(1 - 1 / 200_000, 6))
    assert match.evidence["columns"] == [{"gold": "share", "nearest": "x share", "share": 0.9999}]
    (row,) = match.evidence["rows"]
    assert (row["gold_row"], row["pred_row"], row["differs"]) == (123_457, 123_457, [2])
    dropped = match_tables(gold, as_table(tall.slice(0, 150_000).vstack(tall.slice(150_001))), ignore_order=True)
    assert (dropped.settled, dropped.reason) == (True, "row_count")
    assert [row["gold_row"] for row in dropped.evidence["rows"]] == [150_001]
    doubled = match_tables(gold, as_table(tall.vstack(tall.slice(9, 1))), ignore_order=True)
    assert (doubled.settled, doubled.reason) == (True, "duplicates")


@pytest.mark.parametrize("piece", [7, 1000, 65_536])
def test_sums_of_rows_do_not_depend_on_the_pieces(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    gold = table_of(["a", "b"], [[str(n), None if n % 3 else str(n % 10)] for n in range(2_000)])
    shuffled = table_of(["a", "b"], [[str(n), None if n % 3 else str(n % 10)] for n in reversed(range(2_000))])
    whole = sums_of(gold)
    monkeypatch.setattr(large, "_PIECE", piece)
    assert sums_of(gold) == sums_of(shuffled) == whole
    assert all(0 <= number < 2**64 for number in whole)
    swapped = table_of(["a", "b"], [[str(n), None if n % 3 == 1 else str(n % 10)] for n in range(2_000)])
    assert sums_of(swapped) != whole


def sums_of(table: Table) -> tuple[int, int]:
    comparison = LargeComparison(table, table, CompareOptions(), ordered=False)
    return large._row_sums(comparison.gold)
