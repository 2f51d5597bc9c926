"""The charts of a sheet as native Excel charts: they follow when somebody changes a figure in the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karat.core.report import Chart, Series, Sheet, visible

WIDTH, HEIGHT = 620, 360
"""In pixels."""
ROWS = 20
"""Rows of the usual height that a chart covers, with a little air below."""
COLOURS = ("#2F6DB5", "#D98324", "#3A9679", "#9B5DA5", "#C8574A", "#6B7683")
"""Told apart in lightness too; a series beyond the last begins again, with another mark."""
MARKS = ("circle", "square", "triangle", "diamond")
LONGEST_NAME = 120
"""Excel refuses a chart's or series' name of more than 255 characters; long before that it is unreadable."""


def draw_charts(book: Any, page: Any, sheet: Sheet, tops: Sequence[int]) -> None:
    """Every chart to the right of all tables, one below the other. ``tops``: the row of each table's heading."""
    right = max((len(table.columns) for table in sheet.tables), default=0) + 1
    for number, chart in enumerate(sheet.charts):
        page.insert_chart(tops[chart.table] + number * ROWS, right, _drawn(book, page.name, chart, tops[chart.table]))


def _drawn(book: Any, page: str, chart: Chart, top: int) -> Any:
    # A line chart of Excel spaces its points evenly whatever x is: numbers on the x axis need a scatter chart in both kinds.
    subtype = {"subtype": "straight_with_markers"} if chart.kind == "line" else {}
    drawing = book.add_chart({"type": "scatter", **subtype})
    for index, series in enumerate(chart.series):
        drawing.add_series(_series(page, series, top, index, joined=chart.kind == "line"))
    drawing.set_title({"name": _name(chart.title), "name_font": {"size": 11, "color": "#2F4156"}, "overlay": False})
    grid = {"visible": True, "line": {"color": "#E3E6EA"}}
    drawing.set_x_axis({"name": _name(chart.x_title), "min": 0, "major_gridlines": {"visible": False}})
    drawing.set_y_axis({"name": _name(chart.y_title), "min": 0, "max": chart.y_most, "major_gridlines": grid})
    drawing.set_legend({"position": "bottom"} if len(chart.series) > 1 else {"none": True})
    drawing.set_size({"width": WIDTH, "height": HEIGHT})
    return drawing


def _series(page: str, series: Series, top: int, index: int, *, joined: bool) -> dict[str, Any]:
    first, last = top + 1 + series.first, top + 1 + series.last
    colour = "#C8102E" if series.marked else COLOURS[index % len(COLOURS)]
    mark = "diamond" if series.marked else MARKS[index // len(COLOURS) % len(MARKS)]
    fill = {"fill": {"color": colour}, "border": {"color": colour}}
    return {
        "name": _name(series.title),
        "categories": [page, first, series.x, last, series.x],
        "values": [page, first, series.y, last, series.y],
        "line": {"color": colour, "width": 1.75} if joined and not series.marked else {"none": True},
        "marker": {"type": mark, "size": 11 if series.marked else 4, **fill},
    }


def _name(text: str) -> str:
    """A name that is text and never a reference: Excel takes one that begins with = for a formula."""
    shown = visible(text)[:LONGEST_NAME]
    return f" {shown}" if shown.startswith("=") else shown
