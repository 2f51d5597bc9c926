"""A table of counts as a plot: a field for each row and column, the more the darker, with the count written in it."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from karat.core.json_types import JsonObject
from karat.core.report import Cell, Chart
from karat.reports.plots.style import ACCENT, INK, Plot, plot_title

MOST = 30
"""Rows and columns that are drawn."""


def matrix_plot(chart: Chart, table: Sequence[tuple[Cell, ...]]) -> Plot | None:
    """The rows of each series are those of the table, by their name in column x; None where there is no count."""
    columns = [plot_title(series.title) for series in chart.series[:MOST]]
    fields: list[JsonObject] = []
    for series, column in zip(chart.series[:MOST], columns, strict=True):
        for row in table[series.first : series.last + 1][:MOST]:
            count = row[series.y]
            if isinstance(count, int | float) and isfinite(count):
                fields.append({"row": plot_title(str(row[series.x])), "column": column, "count": count})
    names = list(dict.fromkeys(field["row"] for field in fields))
    most = max((field["count"] for field in fields), default=0)
    if not most:
        return None
    for field in fields:  # the share of the darkest, so that one colour of the page is enough
        field["shade"] = field["count"] / most
    spec = {
        "data": {"values": fields},
        "height": 34 * len(names),
        "encoding": {
            "y": _axis("row", names, plot_title(chart.x_title)),
            "x": _axis("column", columns, plot_title(chart.y_title)) | {"axis": {"labelAngle": 0, "orient": "top"}},
            "tooltip": [
                {"field": "row", "title": plot_title(chart.x_title)},
                {"field": "column", "title": plot_title(chart.y_title)},
                {"field": "count"},
            ],
        },
        "layer": [
            {
                "mark": {"type": "rect", "color": ACCENT},
                "encoding": {
                    "opacity": {
                        "field": "shade",
                        "type": "quantitative",
                        "scale": {"type": "sqrt", "domain": [0, 1], "range": [0, 0.7]},
                        "legend": None,
                    }
                },
            },
            {
                "mark": {"type": "text", "color": INK, "fontSize": 12},
                "encoding": {"text": {"field": "count", "type": "quantitative", "format": ","}},
            },
        ],
    }
    return Plot(plot_title(chart.title), _said(fields, chart), spec)


def _axis(field: str, sort: Sequence[str], title: str) -> JsonObject:
    return {"field": field, "type": "nominal", "sort": list(sort), "title": title}


def _said(fields: Sequence[JsonObject], chart: Chart) -> str:
    """The largest counts off the diagonal in words."""
    off = sorted((one for one in fields if one["row"] != one["column"] and one["count"]), key=lambda one: -one["count"])
    first = ", ".join(f"{one['count']:,} {one['row']} as {one['column']}" for one in off[:5])
    x_title, y_title = plot_title(chart.x_title), plot_title(chart.y_title)
    what = f"{x_title[:1].upper()}{x_title[1:]} against {y_title}"
    return f"{what}; most often apart: {first}." if first else f"{what}; the two are never apart."
