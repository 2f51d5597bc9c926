"""The charts of a suite's report as plots: lines and clouds of numbers, bars of counted names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import count_of
from karat.core.report import Cell, Chart, Series, Table
from karat.reports.html.text import quantity_words
from karat.reports.plots.matrix import matrix_plot
from karat.reports.plots.style import COLOURS, INK, MARKED, Plot, number_tip, plot_title

MOST_POINTS = 200
"""Points of one series that are drawn."""
MOST_SERIES = 12
MOST_BARS = 30
"""Names that get a bar; all are in the table."""
MOST_SAID = 5
"""Bars that are said in words too."""
BELOW = "The figures are in the table below."


def chart_plot(chart: Chart, tables: Sequence[Table]) -> Plot | None:
    """A chart of a sheet, from the table it speaks of; None where it has nothing to show."""
    if chart.kind == "matrix":
        return matrix_plot(chart, tables[chart.table].rows)
    return _bars(chart, tables[chart.table].rows) if chart.kind == "bar" else _curves(chart, tables)


# -- lines and clouds -------------------------------------------------------------------------------------------------


def _curves(chart: Chart, tables: Sequence[Table]) -> Plot | None:
    rows: list[JsonObject] = []
    names: dict[str, bool] = {}
    dashes: set[str] = set()
    for series in chart.series[:MOST_SERIES]:
        name = _told_apart(plot_title(series.title), names)
        points = _points(series, tables[chart.table if series.table is None else series.table].rows)
        if points:
            names[name] = series.marked
            dashes |= {name} if series.dashed else set()
            rows += [{"series": name, "x": x, "y": y, "marked": series.marked} for x, y in points]
    if not rows:
        return None
    spec = {
        "data": {"values": rows},
        "height": 260,
        "encoding": {
            "x": {
                "field": "x",
                "type": "quantitative",
                "title": plot_title(chart.x_title),
                "axis": _axis([row["x"] for row in rows]),
            },
            "y": {
                "field": "y",
                "type": "quantitative",
                "title": plot_title(chart.y_title),
                "scale": _scale(chart),
                "axis": _axis([row["y"] for row in rows]),
            },
            "color": _colour(names),
            **({"strokeDash": _dashes(names, dashes)} if dashes else {}),
            "tooltip": [
                {"field": "series", "title": "series"},
                number_tip("x", plot_title(chart.x_title)),
                number_tip("y", plot_title(chart.y_title)),
            ],
        },
        "layer": _layers(joined=chart.kind == "line", marked=any(names.values())),
    }
    said = f"{count_of(len(names), 'series', 'series')}: {', '.join(names)}. {BELOW}"
    return Plot(plot_title(chart.title), said, spec)


def _dashes(names: Mapping[str, bool], dashed: set[str]) -> JsonObject:
    scale = {"domain": list(names), "range": [[6, 4] if name in dashed else [1, 0] for name in names]}
    return {"field": "series", "type": "nominal", "scale": scale, "legend": None}


def _layers(*, joined: bool, marked: bool) -> list[JsonObject]:
    only = [{"filter": "!datum.marked"}]
    layers: list[JsonObject] = [
        {"transform": only, "mark": {"type": "point", "filled": True, "size": 36, "opacity": 0.9}}
    ]
    if joined:
        layers.insert(0, {"transform": only, "mark": {"type": "line", "strokeWidth": 2}})
    if marked:
        mark = {"type": "point", "filled": True, "shape": "diamond", "size": 180, "opacity": 1}
        layers.append({"transform": [{"filter": "datum.marked"}], "mark": mark})
    return layers


def _points(series: Series, rows: Sequence[tuple[Cell, ...]]) -> list[tuple[float, float]]:
    found = []
    for row in rows[series.first : series.last + 1]:
        x, y = row[series.x], row[series.y]
        if isinstance(x, int | float) and isinstance(y, int | float) and isfinite(x) and isfinite(y):
            found.append((x, y))
    return found[:: len(found) // MOST_POINTS + 1]


# -- bars -------------------------------------------------------------------------------------------------------------


def _bars(chart: Chart, table: Sequence[tuple[Cell, ...]]) -> Plot | None:
    """Bars that lie, one below the other in the order of the rows: there a long name is read without turning the
    head."""
    names: dict[str, bool] = {}
    bars: list[JsonObject] = []
    shown: dict[str, None] = {}
    left_out: set[str] = set()
    for series in chart.series[:MOST_SERIES]:
        title = _told_apart(plot_title(series.title), names)
        for bar, (value, ends) in _named_values(series, table).items():
            if bar not in shown and len(shown) == MOST_BARS:
                left_out.add(bar)
                continue
            shown[bar], names[title] = None, series.marked
            bars.append({"bar": bar, "series": title, "value": value, **ends})
    if not bars:
        return None
    spec = _bar_spec(chart, bars, list(shown), names)
    return Plot(plot_title(chart.title), _said(chart, bars, names, len(shown) + len(left_out)), spec)


def _bar_spec(chart: Chart, bars: list[JsonObject], shown: list[str], names: Mapping[str, bool]) -> JsonObject:
    several = len(names) > 1
    y = {
        "field": "bar",
        "type": "nominal",
        "sort": shown,
        "title": None,
        "axis": {"grid": False, "ticks": False, "domain": False, "labelLimit": 220},
    }
    beside = {"yOffset": {"field": "series", "type": "nominal", "sort": list(names)}} if several else {}
    value = plot_title(chart.y_title)
    intervals = [_interval_layer()] if any("low" in bar for bar in bars) else []
    return {
        "data": {"values": bars},
        "height": (18 * len(names) + 8) * len(shown),
        "encoding": {
            "y": y,
            **beside,
            "x": {
                "field": "value",
                "type": "quantitative",
                "title": value,
                "scale": _scale(chart),
                "axis": _axis([bar["value"] for bar in bars]),
            },
            "tooltip": [
                {"field": "bar", "title": plot_title(chart.x_title)},
                *([{"field": "series", "title": "series"}] if several else []),
                number_tip("value", value),
            ],
        },
        "layer": [
            {"mark": {"type": "bar", "height": {"band": 0.85}}, "encoding": {"color": _colour(names)}},
            *intervals,
            {
                "mark": {"type": "text", "align": "left", "dx": 4, "color": INK, "fontSize": 12}
                | ({"dy": -8} if intervals else {}),
                "encoding": {"text": {"field": "value", "type": "quantitative", "format": ",.3~f"}},
            },
        ],
    }


def _interval_layer() -> JsonObject:
    return {
        "transform": [{"filter": "isValid(datum.low)"}],
        "mark": {"type": "rule", "color": INK, "strokeWidth": 2},
        "encoding": {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}},
    }


def _said(chart: Chart, bars: Sequence[JsonObject], names: Mapping[str, bool], of: int) -> str:
    """The first bars in words."""
    several = len(names) > 1
    called = [f"{bar['bar']}, {bar['series']}" if several else bar["bar"] for bar in bars[:MOST_SAID]]
    first = [f"{name} {quantity_words(bar['value'])}" for name, bar in zip(called, bars, strict=False)]
    drawn = len({bar["bar"] for bar in bars})
    part = f"The first {drawn:,} of {of:,} bars" if of > drawn else count_of(of, "bar")
    more = ", …" if len(bars) > MOST_SAID else "."
    title = f"{plot_title(chart.y_title)} by {plot_title(chart.x_title)}"
    return f"{part}, {title}: {', '.join(first)}{more} {BELOW}"


def _named_values(series: Series, rows: Sequence[tuple[Cell, ...]]) -> dict[str, tuple[float, JsonObject]]:
    """What each row is called, how long its bar is, and the ends of its interval; a row without a figure has none."""
    found: dict[str, tuple[float, JsonObject]] = {}
    for row in rows[series.first : series.last + 1]:
        name, value = row[series.x], row[series.y]
        if isinstance(value, int | float) and isfinite(value):
            found[_told_apart(plot_title("" if name is None else str(name)), found)] = (value, _ends(series, row))
    return found


def _ends(series: Series, row: tuple[Cell, ...]) -> JsonObject:
    if series.low is None or series.high is None:
        return {}
    low, high = row[series.low], row[series.high]
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return {}
    return {"low": low, "high": high} if isfinite(low) and isfinite(high) else {}


# -- both -------------------------------------------------------------------------------------------------------------


def _scale(chart: Chart) -> JsonObject:
    return {"zero": True} | ({"domainMax": chart.y_most} if chart.y_most is not None else {})


def _axis(values: Sequence[float]) -> JsonObject:
    """Whole numbers have no marks between them."""
    return {"tickMinStep": 1} if all(value == int(value) for value in values) else {}


def _colour(names: Mapping[str, bool]) -> JsonObject:
    """A colour for each series, and one of its own for those that are marked."""
    plain = [name for name, marked in names.items() if not marked]
    colours = {name: COLOURS[index % len(COLOURS)] for index, name in enumerate(plain)}
    colours |= {name: MARKED for name, marked in names.items() if marked}
    scale = {"domain": list(colours), "range": list(colours.values())}
    legend = {"title": None} if len(colours) > 1 else None
    return {"field": "series", "type": "nominal", "scale": scale, "legend": legend}


def _told_apart(name: str, taken: JsonMapping) -> str:
    """Two of one name stay two."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name} {number}"
    return found
