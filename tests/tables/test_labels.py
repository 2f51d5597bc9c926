"""Headers that contradict the cells: every gold header is there once, and one of them is on the cells of another gold
column, or on none of gold's."""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from random import Random

import polars
import pytest

from karat.suites.answers.strict import table_match
from karat.tables.matching import Match, match_tables
from karat.tables.outofcore.compare import match_csv_files
from karat.tables.table import Table, table_of

Rows = list[list[str | None]]
WAYS = ["small", "large", "out of core"]


def rows_of(height: int = 300) -> Rows:
    random = Random(5)
    return [[f"k{row}", repr(random.uniform(1, 50)), repr(random.uniform(100, 500))] for row in range(height)]


def compared(
    folder: Path, way: str, gold: Rows, names: Sequence[str], pred: Rows, pred_names: Sequence[str], *, ordered: bool
) -> Match:
    if way == "out of core":
        paths = []
        for name, header, rows in (("gold.csv", names, gold), ("pred.csv", pred_names, pred)):
            with (folder / name).open("w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([header, *rows])
            paths.append(folder / name)
        return match_csv_files(*paths, ignore_order=not ordered)
    tables = [table_of(names, gold), table_of(pred_names, pred)]
    if way == "large":
        tables = [
            Table(table.names, tuple(_series(column) for column in table.columns), table.height) for table in tables
        ]
    return match_tables(*tables, ignore_order=not ordered)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_two_labels_swapped(tmp_path: Path, way: str, ordered: bool) -> None:
    gold = rows_of()
    pred = gold if ordered else Random(1).sample(gold, len(gold))
    match = compared(tmp_path, way, gold, ["k", "min", "max"], pred, ["k", "max", "min"], ordered=ordered)
    assert (match.passed, match.settled, match.reason) == (False, False, "labels_swapped")
    assert match.evidence["labels"] == [{"header": "min", "holds": "max"}, {"header": "max", "holds": "min"}]
    same = compared(tmp_path, way, gold, ["k", "min", "max"], pred, ["K ", "Min", "MAX"], ordered=ordered)
    assert same.passed


@pytest.mark.parametrize("way", WAYS)
def test_columns_that_only_rows_tell_apart(tmp_path: Path, way: str) -> None:
    """Both columns hold the same numbers, so that either could be under either header."""
    gold: Rows = [[f"k{row}", str(row), str(299 - row)] for row in range(300)]
    match = compared(tmp_path, way, gold, ["k", "up", "down"], gold[::-1], ["k", "down", "up"], ordered=False)
    assert (match.passed, match.reason) == (False, "labels_swapped")


@pytest.mark.parametrize("way", WAYS)
def test_other_headers_say_nothing(tmp_path: Path, way: str) -> None:
    """One header of gold is missing, or there twice."""
    gold = rows_of()
    assert compared(tmp_path, way, gold, ["k", "min", "max"], gold, ["k", "max", "low"], ordered=False).passed
    wider: Rows = [["x", *row] for row in gold]
    assert compared(tmp_path, way, gold, ["k", "min", "max"], wider, ["min", "k", "min", "max"], ordered=False).passed


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_the_cells_of_gold_under_another_header_than_the_one_that_is_there(
    tmp_path: Path, way: str, ordered: bool
) -> None:
    gold = rows_of()
    for other in ([["x", *row] for row in gold], [[f"1{row[1]}", *row] for row in gold]):
        match = compared(tmp_path, way, gold, ["k", "min", "max"], other, ["min", "k", "low", "max"], ordered=ordered)
        assert (match.passed, match.settled, match.reason) == (False, False, "labels_swapped")
        assert match.evidence["labels"] == [{"header": "low", "holds": "min"}]


@pytest.mark.parametrize("way", WAYS)
def test_a_scrambled_column_beside_the_right_one(tmp_path: Path, way: str) -> None:
    gold = rows_of()
    pred: Rows = [[k, gold[row - 1][1], high, low] for row, (k, low, high) in enumerate(gold)]
    match = compared(tmp_path, way, gold, ["k", "min", "max"], pred, ["k", "min", "max", "more"], ordered=False)
    assert not match.passed


def test_one_value_that_another_column_happens_to_have() -> None:
    gold = table_of(["total"], [["5"]])
    match = match_tables(gold, table_of(["rank", "total"], [["5", "6"]]))
    assert (match.passed, match.settled, match.reason) == (False, False, "labels_swapped")
    assert match_tables(gold, table_of(["rank", "sum"], [["5", "6"]])).passed
    assert match_tables(gold, table_of(["rank", "Total"], [["5", "5.0"]])).passed


@pytest.mark.parametrize("way", WAYS)
def test_a_header_on_a_copy_of_another_column(tmp_path: Path, way: str) -> None:
    gold = rows_of()
    pred: Rows = [[k, high, high, low] for k, low, high in gold]
    match = compared(tmp_path, way, gold, ["k", "min", "max"], pred, ["k", "min", "max", "more"], ordered=False)
    assert match.reason == "labels_swapped"
    assert match.evidence["labels"] == [{"header": "min", "holds": "max"}]


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_accents_written_in_two_ways_are_no_difference(tmp_path: Path, way: str, ordered: bool) -> None:
    """NFD beside NFC, in cells and headers; beside another difference too, which alone is named."""
    cities = ["Z\u00fcrich", "M\u00e1laga", "\ud55c\uad6d", "\u212bngstr\u00f6m"]
    gold: Rows = [[cities[row % 4], str(row), repr(row * 1.5 + 7)] for row in range(300)]
    pred: Rows = [[unicodedata.normalize("NFD", str(city)), n, x] for city, n, x in gold]
    names, pred_names = ["caf\u00e9", "n", "x"], ["cafe\u0301", "n", "x"]
    match = compared(tmp_path, way, gold, names, pred if ordered else pred[::-1], pred_names, ordered=ordered)
    assert (match.passed, match.normalised, match.reason) == (True, (), "")
    pred[5][1] = "1000"
    match = compared(tmp_path, way, gold, names, pred if ordered else pred[::-1], pred_names, ordered=ordered)
    assert (match.passed, match.settled, match.reason) == (False, True, "values_differ")


def test_the_kelvin_sign_is_k() -> None:
    """A word in ASCII may be there in other letters."""
    gold, pred = ([[letter, str(row)] for row in range(50)] for letter in ("K", "\u212a"))
    tables = [Table(("k", "n"), tuple(map(_series, zip(*rows, strict=True))), 50) for rows in (gold, pred)]
    assert match_tables(*tables, ignore_order=True).passed


def _series(texts: Sequence[str | None] | polars.Series) -> polars.Series:
    return polars.Series(texts, dtype=polars.String)


def test_the_header_of_a_column_that_does_not_count() -> None:
    gold, pred = table_of(["min", "max"], [["1", "5"], ["2", "9"]]), table_of(["max", "min"], [["1", "5"], ["2", "9"]])
    assert match_tables(gold, pred, columns=[0]).reason == "labels_swapped"
    assert match_tables(gold, table_of(["low", "other"], [["1", "6"], ["2", "7"]]), columns=[0]).passed


def test_the_verdict_is_left_to_a_person(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("k,min,max\na,1,5\nb,2,9\n")
    (tmp_path / "b.csv").write_text("k,low\na,3\n")
    (tmp_path / "given.csv").write_text("k,max,min\na,1,5\nb,2,9\n")
    verdict = table_match(str(tmp_path / "given.csv"), [str(tmp_path / "b.csv"), str(tmp_path / "a.csv")], None, True)
    assert (verdict.state, verdict.reason, verdict.score) == ("needs_review", "labels_swapped", None)


def test_a_wrong_table_stays_wrong(tmp_path: Path) -> None:
    gold: Rows = [["a", "1", "5"], ["b", "2", "9"]]
    pred: Rows = [["a", "1", "5"], ["b", "3", "9"]]
    match = compared(tmp_path, "small", gold, ["k", "min", "max"], pred, ["k", "max", "min"], ordered=False)
    assert (match.settled, match.reason) == (True, "values_differ")


@pytest.mark.parametrize("way", ["small", "large"])
@pytest.mark.parametrize("names", [["key", "max", "min"], ["k", "Max", "min "], ["", "max", "min"]])
def test_headers_in_a_circle_contradict_the_cells_though_others_have_new_names(
    tmp_path: Path, way: str, names: list[str]
) -> None:
    gold = rows_of()
    match = compared(tmp_path, way, gold, ["k", "min", "max"], gold, names, ordered=False)
    assert (match.passed, match.settled, match.reason) == (False, False, "labels_swapped")
    assert {(label["header"], label["holds"]) for label in match.evidence["labels"]} == {("min", "max"), ("max", "min")}
    for right in (["key", "min", "max"], ["key", "a", "min"], ["key", "max", "max"]):
        assert compared(tmp_path, way, gold, ["k", "min", "max"], gold, right, ordered=False).passed
    same = [[row[0], row[1], row[1]] for row in gold]
    assert compared(tmp_path, way, same, ["k", "min", "max"], same, ["key", "max", "min"], ordered=False).passed


@pytest.mark.parametrize("way", WAYS)
def test_words_of_a_header_may_be_joined_otherwise(tmp_path: Path, way: str) -> None:
    gold = rows_of()
    header, other = ["k", "min_price", "max_price"], ["K", "Max price", "min-price"]
    match = compared(tmp_path, way, gold, header, gold, other, ordered=False)
    assert (match.passed, match.reason) == (False, "labels_swapped")
    assert compared(tmp_path, way, gold, header, gold, ["k.", "min price", "max.price"], ordered=False).passed
