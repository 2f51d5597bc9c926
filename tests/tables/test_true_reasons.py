"""One known change to a table: the reason names it, and the evidence shows its row, its column and both values."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.tables.matching import Match, match_tables
from karat.tables.table import Table, table_of

NAMES = ("id", "name", "price", "count", "day", "note")
Rows = list[list[str | None]]


def made(random: Random, height: int) -> Rows:
    """Every row has an id; names and days come back; numbers keep well apart from each other and from their own
    roundings."""
    return [
        [
            f"k{row:04d}",
            f"{random.choice(['Anna', 'Bert', 'Cleo'])} {random.randrange(4)}",
            f"{random.randrange(100, 900)}.{random.randrange(11, 49)}7",
            str(random.randrange(1_000, 9_000)),
            f"2021-{random.randrange(1, 13):02d}-{random.randrange(13, 29):02d}",
            random.choice(["low", "high", None]),
        ]
        for row in range(height)
    ]


def held(names: tuple[str, ...], rows: Rows, *, large: bool) -> Table:
    table = table_of(names, rows)
    if not large:
        return table
    columns = tuple(polars.Series(column, dtype=polars.String) for column in table.columns)
    return Table(table.names, columns, table.height)


CELL_CHANGES: dict[str, tuple[int, Callable[[str], str | None], str]] = {
    "value": (3, lambda text: str(int(text) + 700), "values_differ"),
    "thousand more": (3, lambda text: str(int(text) + 1000), "values_differ"),
    "next whole number": (3, lambda text: str(int(text) + 1), "values_differ"),
    "sign": (2, lambda text: f"-{text}", "values_differ"),
    "scale": (2, lambda text: f"{float(text) * 100:.1f}", "scale_100"),
    "other hundreds": (2, lambda text: f"{int(float(text)) // 100 + 1}00", "values_differ"),
    "case": (1, str.upper, "case_or_space"),
    "space": (1, lambda text: text.replace(" ", "  "), "case_or_space"),
    "leading zero": (0, lambda text: text.replace("k", "k0"), "values_differ"),
    "null": (2, lambda _: None, "values_differ"),
    "date format": (4, lambda text: f"{text[8:]}/{text[5:7]}/{text[:4]}", "date_format"),
    "other day": (4, lambda text: f"{text[:8]}{int(text[8:]) - 12:02d}", "values_differ"),
}


def shown(match: Match, gold_row: int, column: str) -> tuple[Any, Any]:
    """Both values of a cell as the evidence shows them."""
    place = match.evidence["shown_columns"].index(column)
    row = next(row for row in match.evidence["rows"] if row.get("gold_row") == gold_row)
    assert row["differs"] == [place]
    return row["gold"][place], row["pred"][place]


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("what", CELL_CHANGES)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), ignore_order=st.booleans())
def test_one_changed_cell(what: str, large: bool, seed: int, ignore_order: bool) -> None:
    random = Random(seed)
    rows = made(random, 2_500 if large else random.randrange(3, 30))
    column, change, reason = CELL_CHANGES[what]
    place = random.randrange(len(rows))
    before = rows[place][column]
    after = change(before or "")
    changed = [list(row) for row in rows]
    changed[place][column] = after
    if ignore_order:
        random.shuffle(changed)
    match = match_tables(held(NAMES, rows, large=large), held(NAMES, changed, large=large), ignore_order=ignore_order)
    assert (match.passed, match.settled, match.reason) == (False, True, reason)
    assert shown(match, place + 1, NAMES[column]) == (before, after)
    assert [found["gold"] for found in match.evidence["columns"]] == [NAMES[column]]
    assert match.evidence["columns"][0]["share"] < 1
    assert len(match.evidence["rows"]) == 1


def dropped(rows: Rows, random: Random) -> tuple[Rows, str]:
    gone = random.randrange(len(rows))
    return rows[:gone] + rows[gone + 1 :], "row_count"


def doubled(rows: Rows, random: Random) -> tuple[Rows, str]:
    return [*rows, random.choice(rows)], "duplicates"


def scrambled(rows: Rows, random: Random) -> tuple[Rows, str]:
    column = random.choice([2, 3])
    cells = [row[column] for row in rows]
    return [[*row[:column], cell, *row[column + 1 :]] for row, cell in zip(rows, cells[1:] + cells[:1], strict=True)], (
        "rows_scrambled"
    )


def upper(rows: Rows, _: Random) -> tuple[Rows, str]:
    return [[row[0], (row[1] or "").upper(), *row[2:]] for row in rows], "case_or_space"


def hundredfold(rows: Rows, _: Random) -> tuple[Rows, str]:
    return [[*row[:2], f"{float(row[2] or 0) * 100:.1f}", *row[3:]] for row in rows], "scale_100"


def zeros(rows: Rows, _: Random) -> tuple[Rows, str]:
    return [[*row[:5], row[5] or "0"] for row in [[*row[:5], row[5]] for row in rows]], "null_vs_zero"


def american(rows: Rows, _: Random) -> tuple[Rows, str]:
    return [[*row[:4], f"{(row[4] or '')[5:7]}/{(row[4] or '')[8:]}/{(row[4] or '')[:4]}", row[5]] for row in rows], (
        "date_format"
    )


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("change", [dropped, doubled, scrambled, upper, hundredfold, american, zeros])
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_one_change_to_the_whole_table(change: Any, large: bool, seed: int) -> None:
    random = Random(seed)
    rows = made(random, 2_500 if large else random.randrange(4, 30))
    changed, reason = change(rows, random)
    if {tuple(row) for row in changed} == {tuple(row) for row in rows} and change is not doubled:
        return
    random.shuffle(changed)
    match = match_tables(held(NAMES, rows, large=large), held(NAMES, changed, large=large), ignore_order=True)
    assert (match.passed, match.settled, match.reason) == (False, True, reason)
    assert match.evidence["rows"]
    assert all(column["share"] < 1 for column in match.evidence["columns"])
    if change is dropped:
        gone = next(place for place, row in enumerate(rows) if row not in changed)
        assert match.evidence["rows"] == [{"gold_row": gone + 1, "gold": rows[gone]}]
    if change is doubled:
        (row,) = match.evidence["rows"]
        assert row["pred"] == changed[row["pred_row"] - 1]
        assert row["pred"] in rows
        assert "gold" not in row


@pytest.mark.parametrize("large", [False, True])
def test_order(large: bool) -> None:
    rows = made(Random(1), 2_500 if large else 9)
    match = match_tables(held(NAMES, rows, large=large), held(NAMES, rows[::-1], large=large))
    assert (match.reason, match.settled) == ("order_differs", True)
    assert (match.evidence["rows"][0]["gold"], match.evidence["rows"][0]["pred"]) == (rows[0], rows[-1])


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("gone", range(6))
def test_a_dropped_column(gone: int, large: bool) -> None:
    rows = made(Random(2), 2_500 if large else 9)
    names = (*NAMES[:gone], *NAMES[gone + 1 :])
    match = match_tables(
        held(NAMES, rows, large=large),
        held(names, [[*row[:gone], *row[gone + 1 :]] for row in rows], large=large),
        ignore_order=True,
    )
    assert match.reason == "missing_column"
    (column,) = match.evidence["columns"]
    assert (column["gold"], column.get("share", 0) < 1) == (NAMES[gone], True)
    assert match.cell_f1 == pytest.approx(5 / 6, abs=1e-5)
    assert match.row_share == 0
    assert match.evidence["rows"]


@pytest.mark.parametrize("large", [False, True])
def test_a_column_of_other_values(large: bool) -> None:
    rows = made(Random(3), 2_500 if large else 9)
    changed = [[*row[:5], f"{row[0]} x"] for row in rows]
    names = (*NAMES[:5], "other")
    match = match_tables(held(NAMES, rows, large=large), held(names, changed, large=large), ignore_order=True)
    assert match.reason == "missing_column"
    assert match.cell_f1 == pytest.approx(5 / 6, abs=1e-5)
    assert match.row_share == 0


@pytest.mark.parametrize("column", [0, 2])
def test_only_the_scrambled_column_of_a_large_table_is_named(column: int) -> None:
    """Its cells are as different from each other as the ids by which the rows belong together."""
    random = Random(4)
    rows: Rows = [[str(random.random()), "abc"[row % 3], f"k{row}"] for row in range(20_000)]
    cells = [row[column] for row in rows]
    random.shuffle(cells)
    changed = [[*row[:column], cell, *row[column + 1 :]] for row, cell in zip(rows, cells, strict=True)]
    names = ("value", "kind", "id")
    match = match_tables(held(names, rows, large=True), held(names, changed, large=True), ignore_order=True)
    assert (match.reason, [found["gold"] for found in match.evidence["columns"]]) == ("rows_scrambled", [names[column]])
    assert match.cell_f1 == pytest.approx(2 / 3, abs=0.01)


def test_a_row_changed_into_another_one_is_no_duplicate() -> None:
    gold = table_of(["k", "v"], [["a", "1"], ["a", "1"], ["a", "2"]])
    match = match_tables(gold, table_of(["k", "v"], [["a", "1"], ["a", "2"], ["a", "2"]]), ignore_order=True)
    assert match.reason == "values_differ"
    assert match.evidence["columns"] == [{"gold": "v", "nearest": "v", "share": 0.6667}]


def test_other_values_within_the_widest_rounding_are_not_scrambled_rows() -> None:
    gold = table_of(["k", "v"], [["a", "0.5"], ["b", "0.1234"]])
    match = match_tables(gold, table_of(["k", "v"], [["a", "0.5"], ["b", "0.1275"]]), ignore_order=True)
    assert match.reason == "values_differ"


def test_leading_zeros_are_not_scrambled_rows_nor_duplicates() -> None:
    gold = table_of(["k", "v"], [["007", "a"], ["08", "b"]])
    match = match_tables(gold, table_of(["k", "v"], [["07", "a"], ["08", "b"]]), ignore_order=True)
    assert match.reason == "values_differ"
    assert shown(match, 1, "k") == ("007", "07")


def test_the_column_that_differs_is_shown_in_a_wide_table() -> None:
    names = tuple(f"c{index}" for index in range(40))
    rows: Rows = [[f"{row} {index}" for index in range(40)] for row in range(6)]
    changed = [list(row) for row in rows]
    changed[4][33] = "other"
    match = match_tables(table_of(names, rows), table_of(names, changed), ignore_order=True)
    assert shown(match, 5, "c33") == ("4 33", "other")


def test_values_rounded_to_one_digit() -> None:
    rows: Rows = [["a", "4.47"], ["b", "7.13"], ["c", "2.31"]]
    changed: Rows = [["b", "7"], ["a", "4"], ["c", "2"]]
    match = match_tables(table_of(["k", "v"], rows), table_of(["k", "v"], changed), ignore_order=True)
    assert (match.passed, match.reason) == (False, "rounding")
    one = match_tables(table_of(["k", "v"], rows), table_of(["k", "v"], [["a", "4"], *rows[1:]]), ignore_order=True)
    assert (one.reason, shown(one, 1, "v")) == ("rounding", ("4.47", "4"))


@pytest.mark.parametrize("ignore_order", [False, True])
@pytest.mark.parametrize("large", [False, True])
def test_a_changed_number_among_close_ones_was_not_moved(large: bool, ignore_order: bool) -> None:
    """Every number is within tolerance of the next, so that the column pairs off although one of them was changed."""
    rows: Rows = [[f"k{row}", repr(100 * 1.00005**row)] for row in range(2_500 if large else 300)]
    changed = [list(row) for row in rows]
    changed[100][1] = rows[140][1]
    match = match_tables(
        held(("id", "x"), rows, large=large), held(("id", "x"), changed, large=large), ignore_order=ignore_order
    )
    assert (match.passed, match.reason) == (False, "values_differ")
    assert shown(match, 101, "x") == (rows[100][1], rows[140][1])


def test_a_null_given_as_zero_among_other_zeros_is_one_row() -> None:
    """With nulls taken for zeros, rows that are the same as they stand must still be paired with each other."""
    rows: Rows = [[city, number] for city in ("a", "b") for number in (None, "0", "0", None, "2")]
    changed = [list(row) for row in reversed(rows)]
    changed[1][1] = "0"
    match = match_tables(table_of(("city", "n"), rows), table_of(("city", "n"), changed), ignore_order=True)
    assert match.reason == "null_vs_zero"
    assert [(row["gold"], row["pred"]) for row in match.evidence["rows"]] == [(["b", None], ["b", "0"])]


@pytest.mark.parametrize("ignore_order", [False, True])
def test_the_next_whole_number_is_not_rounding_where_a_float_holds_neither(ignore_order: bool) -> None:
    gold = table_of(["k", "v"], [["a", "9007199254740993.0"], ["b", "9007199254740995.0"]])
    pred = table_of(["k", "v"], [["a", "9007199254740992"], ["b", "9007199254740996"]])
    assert match_tables(gold, pred, ignore_order=ignore_order).reason == "values_differ"
    one = table_of(["k", "v"], [["a", "9007199254740993"], ["b", "9007199254740996"]])
    assert match_tables(gold, one, ignore_order=ignore_order).reason == "values_differ"
