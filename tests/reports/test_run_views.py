"""What a suite finds over all cases, as pages draw it: by hand from five cases."""

from __future__ import annotations

from karat.core.plugins import load_suite
from karat.core.report import Column, Sheet, Table
from karat.reports.run_views import RunViews, run_views
from karat.stats.intervals.estimates import estimate
from tests.web.staged_run import scored


def found() -> RunViews:
    return run_views(load_suite("data_query").run_sheets(scored()[0], estimate))


def test_the_matrix_of_outcomes() -> None:
    (matrix,) = found().matrices
    assert (matrix.rows_are, matrix.columns_are, matrix.columns) == ("expected", "found", ("answer", "no_data"))
    rows = {
        name: ([(cell.count, cell.same) for cell in cells], total, share)
        for name, cells, total, share, _ in matrix.rows
    }
    # Four expect an answer and three get one; the one that expects no data gets an answer.
    assert rows == {
        "answer": ([(3, True), (1, False)], 4, "0.750"),
        "no_data": ([(1, False), (0, True)], 1, "0.000"),
    }
    assert all(interval for *_, interval in matrix.rows)


def test_the_levels_with_what_was_lost() -> None:
    (levels,) = found().levels
    assert (levels.figure, levels.counted) == ("recall", ("lost here",))
    # Of MEX, USA and NOR: lexical has one, semantic another; USA is lost at llm_scored, NOR was never retrieved.
    assert [(row.name, row.mean and round(row.mean, 3), row.counts[0][0]) for row in levels.rows] == [
        ("lexical", 0.333, 0),
        ("semantic", 0.333, 0),
        ("retrieved", 0.667, 1),
        ("llm_scored", 0.333, 1),
        ("final", 0.333, 0),
    ]
    assert "n 1" in levels.rows[0].more and "candidates 1" in levels.rows[0].more


def test_what_was_given_in_the_place_of_what() -> None:
    (table,) = found().swaps
    assert (table.expected, table.given, table.often) == ("asked", "got", "weight")
    pairs = {(row.expected, row.given): (row.often, row.cases) for row in table.first}
    # MEX missed with USA and NOR too many: half to each.
    assert pairs["MEX", "USA"] == pairs["MEX", "NOR"] == ("0.5", 1)
    assert {row.where for row in table.first} == {"COUNTRY"} and table.by_place == ()
    shares = [row.share for row in table.first]
    assert shares == sorted(shares, reverse=True) and shares[0] == 100


def test_of_many_swaps_the_heaviest_are_first_and_all_are_by_place() -> None:
    columns = tuple(Column(title) for title in ("where", "asked", "", "got", "", "weight", "cases"))
    rows = tuple((f"D{n % 3}", f"A{n}", "", f"B{n}", "", float(n), n) for n in range(12))
    (table,) = run_views([Sheet("Swaps", (Table(columns, rows, look="swaps"),))]).swaps
    assert [row.expected for row in table.first] == ["A11", "A10", "A9", "A8", "A7", "A6", "A5", "A4"]
    assert [(where, len(own)) for where, own in table.by_place] == [("D0", 4), ("D1", 4), ("D2", 4)]


def test_other_sheets_have_nothing_to_draw() -> None:
    assert not run_views([Sheet("Cases", (Table((Column("case"),), (("a",),)),))])
    assert not run_views(load_suite("retrieval").run_sheets(scored()[0], estimate))
