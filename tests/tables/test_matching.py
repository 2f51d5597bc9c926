"""Columns in any place and under any name, whole rows, ties between equal columns."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from karat.tables.matching import Match, match_tables
from karat.tables.options import CompareOptions
from karat.tables.outofcore.compare import match_csv_files
from karat.tables.small.bipartite import Unsettled, perfect_matching
from karat.tables.small.mapping import find_mapping
from karat.tables.table import TableError, table_of

GOLD: list[list[str | None]] = [["x", "1", "2020-01-01"], ["y", "2.5", "2020-01-02"], ["z", None, "2020-01-03"]]


def compare(
    gold: Sequence[Sequence[str | None]],
    pred: Sequence[Sequence[str | None]],
    *,
    gold_names: str = "abcdefgh",
    pred_names: str = "pqrstuvw",
    columns: list[int] | None = None,
    ignore_order: bool = True,
    options: CompareOptions | None = None,
) -> Match:
    return match_tables(
        table_of(gold_names[: len(gold[0])], gold),
        table_of(pred_names[: len(pred[0])], pred),
        columns=columns,
        ignore_order=ignore_order,
        options=options,
    )


def test_the_same_rows_in_another_order() -> None:
    assert compare(GOLD, GOLD[::-1]).passed
    ordered = compare(GOLD, GOLD[::-1], ignore_order=False)
    assert (ordered.passed, ordered.reason) == (False, "order_differs")
    assert compare(GOLD, GOLD, ignore_order=False).passed


def test_columns_in_other_places_with_others_between() -> None:
    pred = [[row[2], "more", row[0], row[1]] for row in GOLD]
    match = compare(GOLD, pred)
    assert (match.passed, match.mapping, match.normalised) == (True, (2, 3, 0), ())


def test_only_the_chosen_columns_count() -> None:
    pred = [[row[1]] for row in GOLD]
    assert compare(GOLD, pred, columns=[1]).passed
    assert not compare(GOLD, pred).passed


def test_a_chosen_column_that_gold_has_not_is_golds_error() -> None:
    with pytest.raises(TableError, match="columns 0 to 2"):
        compare(GOLD, GOLD, columns=[3])


def test_a_prediction_column_serves_one_gold_column_only() -> None:
    match = compare([["1", "1"], ["2", "2"]], [["1"], ["2"]])
    assert (match.passed, match.reason) == (False, "missing_column")


def test_rows_count_as_often_as_they_stand() -> None:
    assert not compare([["a"], ["a"], ["b"]], [["a"], ["b"], ["b"]]).passed


def test_numbers_are_aligned_as_numbers_and_not_as_texts() -> None:
    gold = [["9.99995", "a"], ["10.00005", "b"], ["100", "c"]]
    pred = [["100.001", "c"], ["10.0001", "b"], ["10.0000", "a"]]
    match = compare(gold, pred)
    assert (match.passed, match.normalised) == (True, ("tolerance",))


def test_rows_that_tolerance_puts_in_another_order_are_paired() -> None:
    """By the first column alone, sorted, the rows would be paired the wrong way round."""
    gold = [["1.00001", "10"], ["1.00002", "20"]]
    pred = [["1.00002", "10"], ["1.00001", "20"]]
    assert compare(gold, pred).passed


def test_crossed_pairs_within_rounding_are_found() -> None:
    """0.12 stands for 0.1234 and 0.1235 for the other 0.12: sorted side by side, 0.1235 and 0.1234 would differ."""
    assert compare([["0.12"], ["0.1235"]], [["0.12"], ["0.1234"]]).passed


def test_equal_columns_are_told_apart_by_their_rows() -> None:
    """Two columns with the same cells: only one way to map them makes the rows agree."""
    gold = [["a", "1", "2"], ["b", "2", "1"]]
    pred = [["2", "1", "a"], ["1", "2", "b"]]
    match = compare(gold, pred)
    assert (match.passed, match.mapping) == (True, (2, 1, 0))


def test_headers_break_the_tie_between_equal_columns() -> None:
    """The prediction says itself which column is which, and says it the wrong way round."""
    gold = [["a", "1", "2"], ["b", "2", "1"]]
    swapped = [["a", "2", "1"], ["b", "1", "2"]]
    match = compare(gold, swapped, gold_names="kxy", pred_names="kxy")
    assert (match.passed, match.settled, match.reason) == (False, False, "labels_swapped")
    assert compare(gold, swapped, gold_names="kxy", pred_names="kyx").passed
    assert compare(gold, swapped, gold_names="kxy", pred_names="pqr").passed


def test_headers_choose_among_columns_that_are_the_same_throughout() -> None:
    match = compare([["1"], ["2"]], [["1", "1"], ["2", "2"]], gold_names="k", pred_names="jk")
    assert match.mapping == (1,)


def test_headers_are_never_required() -> None:
    assert compare(GOLD, GOLD, gold_names="abc", pred_names="bcx").passed


def test_percent_signs_beside_a_column_without() -> None:
    for pred in ([["12.5%"], ["50%"]], [["50%"], ["12.5%"]]):
        assert compare([["0.125"], ["0.5"]], pred).passed
        match = compare([["12.5"], ["50"]], pred)
        assert (match.passed, match.normalised) == (True, ("percent",))


def test_empty_tables() -> None:
    match = match_tables(table_of(["a"], []), table_of(["b", "c"], []), ignore_order=True)
    assert match.passed
    assert match_tables(table_of(["a", "b"], []), table_of(["c"], [])).reason == "missing_column"


def test_many_equal_columns_are_settled() -> None:
    gold = [[str((row * 7 + column) % 2) for column in range(8)] for row in range(12)]
    pred = [row[::-1] for row in gold]
    match = compare(gold, pred)
    assert match.settled
    assert match.passed


def test_a_search_past_its_bound_is_not_settled() -> None:
    with pytest.raises(Unsettled):
        find_mapping([[0, 1, 2], [0, 1, 2], [0, 1, 2]], lambda pairs: len(pairs) < 3, tries=4, twins=[0, 1, 2])
    assert find_mapping([[0, 1], [0, 1]], lambda pairs: len(pairs) < 2, tries=40, twins=[0, 1]) is None


def test_a_full_pairing_is_found_by_moving_others() -> None:
    assert perfect_matching([[0, 1], [0], [1, 2]]) == [1, 0, 2]
    assert perfect_matching([[0], [0]]) is None


def test_small_tables_need_no_other_library() -> None:
    """A fresh interpreter: comparing and explaining small tables imports no library for large ones."""
    code = (
        "import sys; from karat.tables.matching import match_tables; from karat.tables.table import table_of;"
        "import karat.suites.answers.strict.judge;"
        "g = table_of(['a'], [['1'], ['2']]);"
        "match_tables(g, g); match_tables(g, table_of(['a'], [['1'], ['3']]));"
        "print([name for name in ('pandas', 'duckdb', 'polars', 'pyarrow') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("height", [3, 30_000])
def test_infinity_as_programs_write_it(height: int, tmp_path: Path) -> None:
    """pandas and DuckDB write inf, PostgreSQL and JavaScript Infinity; the sign counts, and NaN is a null."""
    gold, same, other = (
        ["x", *cells, *map(str, range(height))]
        for cells in (["inf", "-inf", "NaN"], ["Infinity", "-Infinity", ""], ["Infinity", "Infinity", ""])
    )
    tables = [table_of(["n"], [[cell or None] for cell in column[1:]]) for column in (gold, same, other)]
    for case_or_space in (False, True):
        options = CompareOptions(case_or_space=case_or_space)
        for ignore_order in (False, True):
            found = match_tables(tables[0], tables[1], ignore_order=ignore_order, options=options)
            assert found.passed and set(found.normalised) <= {"null_word"}
            assert not match_tables(tables[0], tables[2], ignore_order=ignore_order, options=options).passed
    files = []
    for name, column in zip("gso", (gold, same, other), strict=True):
        rows = "\n".join(f"{place},{cell}" for place, cell in enumerate(column[1:]))
        files.append(written := tmp_path / f"{name}.csv")
        written.write_text(f"id,n\n{rows}\n")
    beside = match_csv_files(files[0], files[1])
    assert beside.passed or not beside.settled
    assert not match_csv_files(files[0], files[2]).passed
