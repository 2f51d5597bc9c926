"""The charts of a report as plots: which figures they hold, in which order, and what is said of them."""

from __future__ import annotations

import json
from typing import Any

from karat.core.report import Cell, Chart, Column, Series, Table
from karat.reports.plots.charts import MOST_BARS
from karat.reports.plots.figures import Plot, chart_plot

COLUMNS = (Column("reason"), Column("ran", "count"), Column("right", "count"))


def drawn(*rows: tuple[Cell, ...], series: tuple[Series, ...] = (), **changes: Any) -> Plot | None:
    """Bars of the second column, unless told otherwise."""
    lines = series or (Series("ran", 0, 1, 0, len(rows) - 1),)
    return chart_plot(Chart("Why", "reason", "instances", lines, kind="bar", **changes), [Table(COLUMNS, rows)])


def bars(plot: Plot | None) -> list[tuple[str, str, float]]:
    assert plot is not None
    return [(row["bar"], row["series"], row["value"]) for row in plot.spec["data"]["values"]]


def test_a_bar_for_each_row_in_the_order_of_the_rows() -> None:
    plot = drawn(("row_count", 2, 1), ("null_vs_zero", 5, 0))
    assert plot is not None
    assert bars(plot) == [("row_count", "ran", 2), ("null_vs_zero", "ran", 5)]
    assert plot.spec["encoding"]["y"]["sort"] == ["row_count", "null_vs_zero"]
    assert plot.spec["encoding"]["x"]["axis"] == {"tickMinStep": 1}
    assert plot.summary == (
        "2 bars, instances by reason: row_count 2, null_vs_zero 5. The figures are in the table below."
    )


def test_several_series_stand_beside_each_other_under_one_name() -> None:
    series = (Series("ran", 0, 1, 0, 1), Series("right", 0, 2, 0, 1, marked=True))
    plot = drawn(("first try", 14, 12), ("after 1 repair", 16, 15), series=series, y_most=20.0)
    assert plot is not None
    assert bars(plot)[2:] == [("first try", "right", 12), ("after 1 repair", "right", 15)]
    assert plot.spec["encoding"]["y"]["sort"] == ["first try", "after 1 repair"]
    assert plot.spec["encoding"]["yOffset"]["sort"] == ["ran", "right"]
    assert plot.spec["encoding"]["x"]["scale"] == {"zero": True, "domainMax": 20.0}
    colour = plot.spec["layer"][0]["encoding"]["color"]["scale"]
    assert dict(zip(colour["domain"], colour["range"], strict=True)) == {
        "ran": "var(--series-1)",
        "right": "var(--wrong)",
    }
    assert "first try, ran 14" in plot.summary


def test_only_the_rows_of_the_series_and_only_figures_are_drawn() -> None:
    rows: tuple[tuple[Cell, ...], ...] = (
        ("a", 1, 0),
        ("b", None, 0),
        ("c", float("nan"), 0),
        ("d", 0.5, 0),
        ("e", 9, 0),
    )
    plot = drawn(*rows, series=(Series("s", 0, 1, 0, 3),))
    assert bars(plot) == [("a", "s", 1), ("d", "s", 0.5)]
    assert drawn(("a", None, 0)) is None
    assert chart_plot(Chart("t", "x", "y", (), kind="bar"), [Table(COLUMNS, ())]) is None


def test_rows_of_one_name_and_of_none_stay_apart() -> None:
    assert [bar[0] for bar in bars(drawn(("a", 1, 0), ("a", 2, 0), ("", 3, 0), (None, 4, 0)))] == [
        "a",
        "a 2",
        "(no name)",
        "(no name) 2",
    ]


def test_of_many_rows_the_first_are_drawn_and_it_is_said() -> None:
    plot = drawn(*((f"r{n}", n + 1, 0) for n in range(100)))
    assert plot is not None
    assert len(bars(plot)) == MOST_BARS
    assert plot.summary.startswith(f"The first {MOST_BARS} of 100 bars, instances by reason: r0 1, r1 2,")


def test_what_a_row_is_called_is_a_value_and_never_a_name_in_the_specification() -> None:
    payload = "datum['x'] || toString.constructor('window.hit=1')()"
    plot, plain = drawn((payload, 1, 0)), drawn(("word", 1, 0))
    assert plot is not None
    assert plain is not None
    plot.spec["data"]["values"], plain.spec["data"]["values"] = [], []
    assert json.dumps(plot.spec).replace(json.dumps(payload), '"word"') == json.dumps(plain.spec)
    assert plot.spec["encoding"]["y"]["field"] == "bar"


def test_a_line_keeps_its_numbers() -> None:
    curve = Table((Column("n", "count"), Column("recall", "score")), ((1, 0.5), (4, 1.0), ("x", 1.0)))
    chart = Chart("Recall", "n", "recall", (Series("bm25", 0, 1, 0, 2),), y_most=1.0)
    plot = chart_plot(chart, [curve])
    assert plot is not None
    assert [(row["x"], row["y"]) for row in plot.spec["data"]["values"]] == [(1, 0.5), (4, 1.0)]
    assert plot.spec["encoding"]["x"]["axis"] == {"tickMinStep": 1}
    assert plot.spec["encoding"]["y"]["axis"] == {}
    assert [layer["mark"]["type"] for layer in plot.spec["layer"]] == ["line", "point"]


def test_bars_with_an_interval_have_a_line_for_it() -> None:
    columns = (Column("stage"), Column("recall"), Column("low"), Column("high"))
    rows = (("found", 0.5, 0.25, 0.75), ("final", 0.25, None, None))
    chart = Chart("Recall", "stage", "recall", (Series("recall", 0, 1, 0, 1, low=2, high=3),), kind="bar", y_most=1.0)
    plot = chart_plot(chart, [Table(columns, rows)])
    assert plot is not None
    values = plot.spec["data"]["values"]
    assert [(one["bar"], one.get("low"), one.get("high")) for one in values] == [
        ("found", 0.25, 0.75),
        ("final", None, None),
    ]
    assert [layer["mark"]["type"] for layer in plot.spec["layer"]] == ["bar", "rule", "text"]


def test_a_matrix_has_a_field_for_each_row_and_column() -> None:
    columns = (Column("expected"), Column("found answer", "count"), Column("found no_data", "count"))
    rows = (("answer", 15, 2), ("no_data", 1, 0))
    series = (Series("answer", 0, 1, 0, 1), Series("no_data", 0, 2, 0, 1))
    plot = chart_plot(Chart("Outcomes", "expected", "found", series, kind="matrix"), [Table(columns, rows)])
    assert plot is not None
    fields = {(one["row"], one["column"]): one["count"] for one in plot.spec["data"]["values"]}
    assert fields == {("answer", "answer"): 15, ("answer", "no_data"): 2, ("no_data", "answer"): 1,
                      ("no_data", "no_data"): 0}  # fmt: skip
    assert plot.summary == "Expected against found; most often apart: 2 answer as no_data, 1 no_data as answer."
    assert chart_plot(Chart("Outcomes", "a", "b", (), kind="matrix"), [Table(columns, ())]) is None


def test_a_dashed_line_may_come_from_another_table() -> None:
    one = Table((Column("no."), Column("mean")), ((1, 0.5), (2, 0.75)))
    other = Table((Column("no."), Column("mean")), ((1, 0.25), (2, 1.0)))
    series = (Series("all", 0, 1, 0, 1), Series("common", 0, 1, 0, 1, dashed=True, table=1))
    plot = chart_plot(Chart("Trend", "no.", "mean", series), [one, other])
    assert plot is not None
    assert [(row["series"], row["y"]) for row in plot.spec["data"]["values"]] == [
        ("all", 0.5), ("all", 0.75), ("common", 0.25), ("common", 1.0),
    ]  # fmt: skip
    assert plot.spec["encoding"]["strokeDash"]["scale"] == {"domain": ["all", "common"], "range": [[1, 0], [6, 4]]}
