"""The charts of a sheet as native Excel charts: they follow when somebody changes a figure in the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.core.json_types import JsonObject
from karat.core.report import Chart, Series, Sheet, Table, visible
from karat.reports.look.palette import colour

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.chart import Chart as ExcelChart
    from xlsxwriter.worksheet import Worksheet

WIDTH, HEIGHT = 620, 360
"""In pixels."""
ROWS = 20
"""Rows of the usual height that a chart covers, with a little air below."""
COLOURS = tuple(colour(f"series-{number}") for number in range(1, 7))
"""Told apart in lightness too; a series beyond the last begins again, with another mark."""
MARKS = ("circle", "square", "triangle", "diamond")
FEW = 10
NO_ZERO = "#,##0;-#,##0;"
"""In stacked bars a part without cases would write its 0 over its neighbour."""
GRID = {"visible": True, "line": {"color": colour("line")}}
LONGEST_NAME = 120
"""Excel refuses a chart's or series' name of more than 255 characters; long before that it is unreadable."""


def draw_charts(book: Workbook, page: Worksheet, sheet: Sheet, tops: Sequence[int]) -> None:
    """Every chart to the right of all tables, one below the other. ``tops``: the row of each table's heading."""
    right = max((len(table.columns) for table in sheet.tables), default=0) + 1
    free = 0
    for chart in sheet.charts:
        top = tops[chart.table]
        drawing = _drawn(book, page.name, chart, sheet.tables[chart.table], top, tops)
        row = max(top, free)
        page.insert_chart(row, right, drawing)
        free = row + ROWS


def _drawn(book: Workbook, page: str, chart: Chart, table: Table, top: int, tops: Sequence[int]) -> ExcelChart:
    named = chart.kind in ("bar", "matrix")
    drawing = _bars(book, page, chart, table, top) if named else _curves(book, page, chart, tops)
    drawing.set_title(
        {"name": _name(chart.title), "name_font": {"size": 11, "color": colour("text")}, "overlay": False}
    )
    drawing.set_legend({"position": "bottom"} if len(chart.series) > 1 else {"none": True})
    drawing.set_size({"width": WIDTH, "height": HEIGHT})
    return drawing


def _curves(book: Workbook, page: str, chart: Chart, tops: Sequence[int]) -> ExcelChart:
    # A line chart of Excel spaces its points evenly whatever x is: numbers on the x axis need a scatter chart in both
    # kinds.
    subtype = {"subtype": "straight_with_markers"} if chart.kind == "line" else {}
    drawing = book.add_chart({"type": "scatter", **subtype})
    for index, series in enumerate(chart.series):
        colour = _colour(series, index)
        mark = "diamond" if series.marked else MARKS[index // len(COLOURS) % len(MARKS)]
        dash = {"dash_type": "dash"} if series.dashed else {}
        drawing.add_series(
            _cells(page, series, tops[chart.table if series.table is None else series.table])
            | {
                "line": {"color": colour, "width": 1.75, **dash}
                if chart.kind == "line" and not series.marked
                else {"none": True},
                "marker": {"type": mark, "size": 11 if series.marked else 4, **_fill(colour)},
            }
        )
    drawing.set_x_axis({"name": _name(chart.x_title), "min": 0, "major_gridlines": {"visible": False}})
    drawing.set_y_axis({"name": _name(chart.y_title), "min": 0, "max": chart.y_most, "major_gridlines": GRID})
    return drawing


def _bars(book: Workbook, page: str, chart: Chart, table: Table, top: int) -> ExcelChart:
    """Bars that lie, the first row on top as in the table. Each says its figure."""
    drawing = book.add_chart({"type": "bar", **({"subtype": "stacked"} if chart.kind == "matrix" else {})})
    for index, series in enumerate(chart.series):
        labels = {"value": True, "font": {"size": 9}} | ({"num_format": NO_ZERO} if chart.kind == "matrix" else {})
        look = {"gap": 40, "data_labels": labels, **_fill(_colour(series, index))}
        look |= _interval(series, table)
        drawing.add_series(_cells(page, series, top) | look)
    # The axis of the names is turned round, so that the first comes on top, and crossed at its end, which is then
    # below.
    names = {"reverse": True, "crossing": "max", "major_gridlines": {"visible": False}}
    drawing.set_y_axis({"name": _name(chart.x_title), **names})
    figures = {"min": 0, "max": chart.y_most, "major_gridlines": GRID, "major_unit": _unit(chart, table)}
    drawing.set_x_axis({"name": _name(chart.y_title), **figures})
    return drawing


def _interval(series: Series, table: Table) -> JsonObject:
    """Error bars from the columns of an interval; none where an end is not known."""
    if series.low is None or series.high is None:
        return {}
    rows = table.rows[series.first : series.last + 1]
    ends = [(row[series.y], row[series.low], row[series.high]) for row in rows]
    known = [[cell if isinstance(cell, int | float) else None for cell in one] for one in ends]
    if any(cell is None for one in known for cell in one):
        return {}
    plus = [float(high) - float(mean) for mean, _, high in known if mean is not None and high is not None]
    minus = [float(mean) - float(low) for mean, low, _ in known if mean is not None and low is not None]
    return {"y_error_bars": {"type": "custom", "plus_values": plus, "minus_values": minus}}


def _unit(chart: Chart, table: Table) -> int | None:
    """Between marks of the axis: 1 where small counts are drawn, which Excel would halve; else what Excel finds."""
    cells = [row[series.y] for series in chart.series for row in table.rows[series.first : series.last + 1]]
    counts = [cell for cell in cells if cell is not None]
    return 1 if all(isinstance(cell, int) and cell <= FEW for cell in counts) else None


def _cells(page: str, series: Series, top: int) -> JsonObject:
    """The name of a series, and the cells it is drawn from."""
    first, last = top + 1 + series.first, top + 1 + series.last
    return {
        "name": _name(series.title),
        "categories": [page, first, series.x, last, series.x],
        "values": [page, first, series.y, last, series.y],
    }


def _colour(series: Series, index: int) -> str:
    if series.tone:
        return colour({"right": "right-fill", "wrong": "wrong-fill", "none": "neutral-fill"}[series.tone])
    return colour("wrong") if series.marked else COLOURS[index % len(COLOURS)]


def _fill(colour: str) -> JsonObject:
    return {"fill": {"color": colour}, "border": {"color": colour}}


def _name(text: str) -> str:
    """A name that is text and never a reference: Excel takes one that begins with = for a formula."""
    shown = visible(text)[:LONGEST_NAME]
    return f" {shown}" if shown.startswith("=") else shown
