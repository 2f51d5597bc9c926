"""The workbook of a tuning: what its curves and its front are drawn from."""

from __future__ import annotations

from karat.core.report import Sheet
from karat.reports.plots.figures import chart_plot
from karat.search.choose.reporting.report import report_of
from karat.search.choose.tune import TuneField, tune
from tests.search.test_tune import CONSTANT, LETTERS, PLENTY

SHEETS = ("Fields", "Questions", "Curves", "Pareto", "About")


def sheets() -> dict[str, Sheet]:
    """Of one field of eight values: the questions' truths stand at ranks 1 and 8."""
    values = ("apple", "banana", "capers", "dill", "eggs", "fig", "garlic", "honey")
    field = TuneField("Shop[item]", values, (("banana",), ("honey",)))
    tuning = tune(("what has a", "what has a"), (field,), [LETTERS, CONSTANT], PLENTY)
    return {sheet.title: sheet for sheet in report_of(tuning, "shop").sheets}


def test_it_has_its_sheets_in_order() -> None:
    assert tuple(sheets()) == SHEETS


def test_between_two_finds_a_curve_is_level() -> None:
    curves = sheets()["Curves"]
    (chart,) = curves.charts
    line = chart.series[0]
    assert line.title == "letters"
    points = [(row[line.x], row[line.y]) for row in curves.tables[0].rows[line.first : line.last + 1]]
    # Nothing is found from the second to the seventh value; honey, which has no a, comes last.
    assert points == [(1, 0.5), (7, 0.5), (8, 1.0)]


def test_the_front_is_points_and_the_choice_is_marked() -> None:
    front = sheets()["Pareto"]
    assert [chart.kind for chart in front.charts] == ["scatter", "scatter"]
    for chart in front.charts:
        plot = chart_plot(chart, front.tables)
        assert plot is not None
        assert [row["marked"] for row in plot.spec["data"]["values"]][-1] is True
        assert {layer["mark"]["type"] for layer in plot.spec["layer"]} == {"point"}
