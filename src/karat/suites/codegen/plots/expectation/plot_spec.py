"""What is expected of a plot as it is written in a task file."""

from __future__ import annotations

import msgspec

from karat.core.json_types import JsonObject
from karat.suites.codegen.plots.records import PanelGold, PlotGold, SeriesGold, TextGold

KEPT = ("order", "x_scale", "y_scale", "stacked", "horizontal")


def written_plot(gold: PlotGold) -> JsonObject:
    """The inverse of reading: one panel as it is, several under ``panels``."""
    panels = [_panel(panel) for panel in gold.panels]
    return panels[0] if len(panels) == 1 else {"panels": panels}


def _panel(panel: PanelGold) -> JsonObject:
    found: JsonObject = {}
    if panel.type:
        found["type"] = panel.type[0] if len(panel.type) == 1 else list(panel.type)
    if panel.series:
        found["series"] = [_series(series, panel.type) for series in panel.series]
    for name in ("title", "x_label", "y_label"):
        text = getattr(panel, name)
        if text is not None:
            found[name] = _text(text)
    found |= {name: value for name in KEPT if (value := getattr(panel, name)) is not None}
    found |= {name: list(ends) for name in ("x_range", "y_range") if (ends := getattr(panel, name)) is not None}
    if panel.legend is not None:
        found["legend"] = panel.legend if isinstance(panel.legend, bool) else list(panel.legend)
    return {**found, "reference": list(panel.reference)} if panel.reference else found


def _text(text: TextGold) -> object:
    if text.contains:
        return {"contains": list(text.contains) if len(text.contains) > 1 else text.contains[0]}
    return list(text.equal) if len(text.equal) > 1 else next(iter(text.equal), "")


def _series(series: SeriesGold, types: tuple[str, ...]) -> JsonObject:
    named: JsonObject = {"name": series.name} if series.name else {}
    points = series.points
    if "heatmap" in types:
        columns, rows = (list(dict.fromkeys(point[place] for point in points)) for place in (0, 1))
        cells = {point[:2]: point[2] for point in points}
        return {**named, "x": columns, "y": rows, "z": [[cells.get((x, y)) for x in columns] for y in rows]}
    if "box" in types:
        return {**named, "x": [point[0] for point in points], "y": [list(point[1:]) for point in points]}
    if points and len(points[0]) == 3:
        edges = [point[0] for point in points] + [points[-1][1]]
        return {**named, "x": edges, "y": [point[2] for point in points]}
    x: JsonObject = {"x": [point[0] for point in points]} if series.placed else {}
    return {**named, **x, "y": [point[1] for point in points]}


def written_plot_of(target: JsonObject) -> JsonObject:
    """The same of a gold that is at hand as JSON values."""
    return written_plot(msgspec.convert(target, PlotGold))
