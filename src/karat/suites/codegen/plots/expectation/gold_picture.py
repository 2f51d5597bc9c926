"""A plot drawn from its data with Vega-Lite: gold without code, and figures of libraries that need a browser."""

from __future__ import annotations

import msgspec

from karat.core.json_types import JsonObject
from karat.suites.codegen.plots.records import Figure, Panel, PanelGold, Picture, PlotGold, PlotType, Point, TextGold

WIDTH, HEIGHT = 380, 240
MOST_POINTS = 300
"""Points that a report carries of a plot."""
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_MARKS: dict[str, JsonObject] = {
    "bar": {"type": "bar"},
    "line": {"type": "line"},
    "step": {"type": "line", "interpolate": "step"},
    "area": {"type": "area"},
    "scatter": {"type": "point"},
    "pie": {"type": "arc"},
    "hist": {"type": "bar"},
    "heatmap": {"type": "rect"},
}


class _Drawing(msgspec.Struct, frozen=True):
    """What is drawn of a panel, gold or given."""

    type: PlotType
    series: tuple[tuple[str, tuple[Point, ...]], ...]
    title: str
    x_label: str
    y_label: str
    horizontal: bool
    stacked: bool
    y_scale: str


def gold_picture(plot: PlotGold | Figure) -> Picture | None:
    """A Vega-Lite specification with the data inside; None when there is nothing, or too much, to draw."""
    drawings = (
        [_gold(panel) for panel in plot.panels] if isinstance(plot, PlotGold) else [_given(p) for p in plot.panels]
    )
    drawings = [one for one in drawings if one.series]
    if not drawings or sum(len(points) for one in drawings for _, points in one.series) > MOST_POINTS:
        return None
    views = [_view(one) for one in drawings]
    spec: JsonObject = {"$schema": SCHEMA, **(views[0] if len(views) == 1 else {"hconcat": views})}
    return Picture(WIDTH, HEIGHT, vega_lite=msgspec.json.encode(spec).decode())


def _text(text: TextGold | None) -> str:
    return next(iter((*text.equal, *text.contains)), "") if text is not None else ""


def _gold(panel: PanelGold) -> _Drawing:
    kind = panel.type[0] if panel.type else "bar"
    return _Drawing(
        kind,
        tuple((series.name, series.points) for series in panel.series),
        _text(panel.title),
        _text(panel.x_label),
        _text(panel.y_label),
        bool(panel.horizontal),
        bool(panel.stacked),
        panel.y_scale or "linear",
    )


def _given(panel: Panel) -> _Drawing:
    return _Drawing(
        panel.series[0].type if panel.series else "bar",
        tuple((series.name, series.points) for series in panel.series),
        panel.title,
        panel.x_label,
        panel.y_label,
        any(series.horizontal for series in panel.series),
        any(series.stacked for series in panel.series),
        panel.y_scale,
    )


def _view(drawing: _Drawing) -> JsonObject:
    names = {"hist": ("left", "right", "y"), "heatmap": ("x", "y", "value"), "box": BOX}.get(drawing.type, ("x", "y"))
    rows: list[JsonObject] = []
    for name, points in drawing.series:
        rows += [{"series": name, **dict(zip(names, point, strict=False))} for point in points]
    view: JsonObject = {"data": {"values": rows}, "width": WIDTH, "height": HEIGHT}
    if drawing.title:
        view["title"] = drawing.title
    several = len(drawing.series) > 1
    if drawing.type == "box":
        return {**view, "layer": _boxes(drawing)}
    view["mark"] = _MARKS[drawing.type]
    view["encoding"] = _encoding(drawing, rows, several=several)
    return view


BOX = ("x", "q1", "median", "q3", "low", "high")


def _encoding(drawing: _Drawing, rows: list[JsonObject], *, several: bool) -> JsonObject:
    if drawing.type == "pie":
        return {
            "theta": {"field": "y", "type": "quantitative"},
            "color": {"field": "x", "type": "nominal", "title": None},
        }
    y: JsonObject = {"field": "y", "type": "quantitative", "title": drawing.y_label or None}
    if drawing.y_scale in ("log", "symlog"):
        y["scale"] = {"type": drawing.y_scale}
    if drawing.type == "hist":
        edges = {"field": "left", "type": "quantitative", "bin": "binned", "title": drawing.x_label or None}
        return {"x": edges, "x2": {"field": "right"}, "y": y, **_colour(several)}
    x: JsonObject = {"field": "x", "type": _type(rows, drawing.type), "title": drawing.x_label or None, "sort": None}
    if drawing.type == "heatmap":
        y = {"field": "y", "type": "nominal", "title": drawing.y_label or None, "sort": None}
        return {
            "x": {**x, "type": "nominal"},
            "y": y,
            "color": {"field": "value", "type": "quantitative", "title": None},
        }
    if drawing.type in ("bar", "area") and several and not drawing.stacked:
        y["stack"] = None
        offset: JsonObject = (
            {"xOffset": {"field": "series"}} if drawing.type == "bar" and not drawing.horizontal else {}
        )
        return {"x": x, "y": y, **offset, **_colour(several)}
    return {"x": y, "y": x, **_colour(several)} if drawing.horizontal else {"x": x, "y": y, **_colour(several)}


def _colour(several: bool) -> JsonObject:
    return {"color": {"field": "series", "type": "nominal", "title": None}} if several else {}


def _type(rows: list[JsonObject], kind: str) -> str:
    """Categories for bars and texts, dates for dates, else numbers."""
    values = [row.get("x") for row in rows]
    if kind in ("bar", "heatmap") or not values:
        return "nominal"
    if all(isinstance(value, int | float) for value in values):
        return "quantitative"
    dates = all(isinstance(value, str) and len(value) >= 10 and value[4:5] == value[7:8] == "-" for value in values)
    return "temporal" if dates else "nominal"


def _boxes(drawing: _Drawing) -> list[JsonObject]:
    x: JsonObject = {"field": "x", "type": "nominal", "title": drawing.x_label or None, "sort": None}

    def y(field: str) -> JsonObject:
        return {"field": field, "type": "quantitative", "title": drawing.y_label or None}

    return [
        {"mark": "rule", "encoding": {"x": x, "y": y("low"), "y2": {"field": "high"}}},
        {"mark": {"type": "bar", "size": 20}, "encoding": {"x": x, "y": y("q1"), "y2": {"field": "q3"}}},
        {"mark": {"type": "tick", "color": "white", "size": 20}, "encoding": {"x": x, "y": y("median")}},
    ]
