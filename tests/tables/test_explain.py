"""The reason of a failure, and what is shown for it."""

from __future__ import annotations

import msgspec
import pytest

from karat.tables.matching import Match, match_tables
from karat.tables.options import CompareOptions
from karat.tables.table import table_of
from tests.tables.test_matching import compare

GOLD: list[list[str | None]] = [["x", "0.10", "2020-01-01"], ["y", "2.5", "2020-02-13"], ["z", None, "2020-03-03"]]


def changed(column: int, cells: list[str | None]) -> list[list[str | None]]:
    return [[*row[:column], cell, *row[column + 1 :]] for row, cell in zip(GOLD, cells, strict=True)]


@pytest.mark.parametrize(
    ("pred", "reason"),
    [
        (GOLD[:2], "row_count"),
        ([*GOLD, GOLD[0]], "duplicates"),
        ([GOLD[0], GOLD[1], GOLD[1]], "values_differ"),
        (changed(1, ["2.5", "0.10", None]), "rows_scrambled"),
        (changed(1, ["10", "250", None]), "scale_100"),
        (changed(1, ["0.001", "0.025", None]), "scale_100"),
        (changed(1, ["0.10", "2.5", "0"]), "null_vs_zero"),
        (changed(0, ["X", "Y ", "z"]), "case_or_space"),
        (changed(2, ["01/01/2020", "13/02/2020", "03/03/2020"]), "date_format"),
        (changed(2, ["Jan 01, 2020", "Feb 13, 2020", "Mar 03, 2020"]), "date_format"),
        (changed(2, ["20200101", "20200213", "20200303"]), "date_format"),
        (changed(1, ["0", "3", None]), "rounding"),
        (changed(1, ["0.10", "2.7", None]), "values_differ"),
        (changed(1, ["a", "b", "c"]), "missing_column"),
        ([[row[0], row[2]] for row in GOLD], "missing_column"),
    ],
)
def test_reasons(pred: list[list[str | None]], reason: str) -> None:
    match = compare(GOLD, pred)
    assert (match.passed, match.reason) == (False, reason)


def test_the_same_distinct_rows_otherwise_repeated() -> None:
    match = compare([["a", "1"], ["a", "1"], ["b", "2"]], [["a", "1"], ["b", "2"], ["b", "2"]])
    assert match.reason == "duplicates"


def test_values_differ_under_the_same_header() -> None:
    match = compare([["a", "1"], ["b", "2"]], [["a", "8"], ["b", "9"]], gold_names="kv", pred_names="kv")
    assert match.reason == "values_differ"


def test_nearest_columns_with_their_share() -> None:
    gold = [["a", "1"], ["b", "2"], ["c", "3"], ["d", "4"]]
    pred = [["a", "1"], ["b", "2"], ["c", "3"], ["d", "9"]]
    match = match_tables(table_of(["k", "days"], gold), table_of(["key", "n"], pred), ignore_order=True)
    assert match.reason == "values_differ"
    assert match.evidence["columns"] == [{"gold": "days", "nearest": "n", "share": 0.75}]
    assert match.evidence["rows"] == [
        {"gold_row": 4, "gold": ["d", "4"], "pred_row": 4, "pred": ["d", "9"], "differs": [1]}
    ]
    assert match.evidence["shown_columns"] == ["k", "days"]


def test_partial_credit() -> None:
    """Seven of gold's eight cells are found: 2·7 / (8 + 8). Three of four rows are whole."""
    gold = [["a", "1"], ["b", "2"], ["c", "3"], ["d", "4"]]
    pred = [["d", "9"], ["a", "1"], ["c", "3"], ["b", "2"]]
    match = compare(gold, pred)
    assert (match.cell_f1, match.row_share) == (0.875, 0.75)


def test_partial_credit_with_a_row_missing() -> None:
    """Six cells found of eight, six given: 2·6 / (8 + 6)."""
    gold = [["a", "1"], ["b", "2"], ["c", "3"], ["d", "4"]]
    match = compare(gold, gold[:3])
    assert match.cell_f1 == pytest.approx(12 / 14, abs=1e-6)
    assert match.row_share == 0.75


WIDE = [["1", "2", "3"]]


def turned(pred: list[list[str]], names: str = "pqr", *, allowed: bool = False) -> Match:
    return compare(WIDE, pred, gold_names="abc", pred_names=names, options=CompareOptions(allow_shape=allowed))


def test_one_wide_row_as_a_long_table() -> None:
    labelled = [["c", "3"], ["a", "1"], ["b", "2"]]
    assert turned(labelled).reason == "shape_differs"
    assert turned(labelled, allowed=True).normalised == ("shape",)
    assert turned([["1"], ["2"], ["3"]], allowed=True).passed
    wrongly = [["c", "1"], ["a", "3"], ["b", "2"]]
    assert (turned(wrongly, allowed=True).passed, turned(wrongly).reason) == (False, "shape_differs")
    assert turned([["3"], ["1"], ["2"]], allowed=True).reason == "shape_differs"


def test_a_long_table_as_one_wide_row() -> None:
    gold = [["a", "1"], ["b", "2"]]
    allowed = CompareOptions(allow_shape=True)
    assert compare(gold, [["2", "1"]], pred_names="ba", options=allowed).passed
    assert compare(gold, [["2", "1"]], pred_names="ba").reason == "shape_differs"
    assert compare(gold, [["2", "1"]], pred_names="ab", options=allowed).reason == "shape_differs"


def test_evidence_is_plain_json_of_bounded_size() -> None:
    gold = [[f"{'long' * 5000}{row}{column}" for column in range(60)] for row in range(40)]
    pred = [[f"{'other' * 5000}{row}{column}" for column in range(60)] for row in range(40)]
    names = [f"{'name' * 1000}{column}" for column in range(60)]
    match = match_tables(table_of(names, gold), table_of(names, pred), ignore_order=True)
    assert len(match.evidence["rows"]) == 5
    assert len(msgspec.json.encode(match.evidence)) < 20_000


def test_other_ids_are_other_values_and_not_scrambled_rows() -> None:
    """Ids within the tolerance of each other are compared exactly, also where columns are looked for."""
    match = compare([["20001", "a"], ["20002", "b"]], [["20001", "a"], ["20003", "b"]])
    assert (match.passed, match.reason) == (False, "values_differ")


def test_partial_credit_with_a_row_too_many() -> None:
    """All of gold's rows are there; the row too many lowers the F1 alone: 2·8 / (8 + 10)."""
    gold = [["a", "1"], ["b", "2"], ["c", "3"], ["d", "4"]]
    match = compare(gold, [*gold, ["total", "10"]])
    assert match.cell_f1 == pytest.approx(16 / 18, abs=1e-6)
    assert match.row_share == 1.0
    assert match_tables(table_of("ab", []), table_of("ab", gold)).row_share == 0.0
