"""A figure of plotly as it describes itself (``data`` and ``layout``), read into the one form.

Read are bar, scatter (lines, steps, areas, markers), histogram (of categories, or with bins that it states), pie, box
and heatmap traces. Bins and whatever else only plotly.js computes cannot be read.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.json_types import Json, JsonMapping
from karat.suites.codegen.plots.invisible import behind, covers
from karat.suites.codegen.plots.plotly.axes import Axes, Axis, label_of, text_of
from karat.suites.codegen.plots.plotly.ground import ground_of, hides_others, in_ground, picture_covers, text_covers
from karat.suites.codegen.plots.plotly.template import check_numbers, check_room, with_template
from karat.suites.codegen.plots.plotly.texts import check_texts
from karat.suites.codegen.plots.plotly.traces import TRACES, visible
from karat.suites.codegen.plots.records import Panel, Series
from karat.suites.codegen.plots.unreadable import CannotRead

MOST_TRACES = 500
NO_ROOM = 0.01
"""Of the figure."""


def read_plotly(spec: JsonMapping) -> tuple[tuple[Panel, ...], str]:
    """The panels and the title of a figure."""
    traces, layout = spec.get("data"), spec.get("layout")
    if not isinstance(traces, list) or not all(isinstance(trace, dict) for trace in traces):
        raise CannotRead("a figure of plotly without a list of traces")
    if len(traces) > MOST_TRACES:
        raise CannotRead(f"{len(traces):,} traces")
    frame, traces = with_template(layout if isinstance(layout, dict) else {}, traces)
    check_room(frame)
    if covers(frame.get("shapes")):
        raise CannotRead("a filled shape in front of the data")
    if text_covers(frame) or picture_covers(frame):
        raise CannotRead("a box of text or a picture in front of the data")
    drawn = [trace for trace in traces if visible(trace)]
    ground = ground_of(frame)
    shown = [trace for trace in drawn if not in_ground(trace, ground)]
    if hides_others(drawn, ground, frame):
        raise CannotRead("what has the colour of the ground lies over the data")
    groups: dict[object, list[JsonMapping]] = {}
    for place, trace in enumerate(shown):
        groups.setdefault(_panel_of(trace, place, frame), []).append(trace)
    check_texts(shown, frame)
    panels = tuple(_panel(key, group, frame, shown) for key, group in groups.items())
    return tuple(panel for panel in panels if panel.series), label_of(frame.get("title"))


def _panel_of(trace: JsonMapping, place: int, layout: JsonMapping) -> object:
    """What tells panels apart: the pair of axes, without those that lie over others; a pie is one of its own."""
    if trace.get("type") == "pie":
        return f"pie {place}"
    names = [text_of(trace.get(f"{axis}axis")) or axis for axis in "xy"]
    found = []
    for name in names:
        axis = layout.get(f"{name[0]}axis{name[1:]}")
        over = axis.get("overlaying") if isinstance(axis, dict) else None
        found.append(over if isinstance(over, str) else name)
    return tuple(found)


def _panel(key: object, traces: Sequence[JsonMapping], layout: JsonMapping, shown: Sequence[JsonMapping]) -> Panel:
    if not isinstance(key, tuple):
        series = TRACES["pie"](traces[0], layout)
        labels = tuple(str(point[0]) for one in series for point in one.points)
        legend = labels if layout.get("showlegend", True) and traces[0].get("showlegend", True) else None
        return Panel(tuple(series), label_of(traces[0].get("title")), legend=legend)
    axes = Axes(layout, key, traces)
    found: list[Series] = []
    if any(axis.domain()[1] - axis.domain()[0] < NO_ROOM for axis in (axes.x, axes.y)):
        raise CannotRead("a panel without room")
    for trace in traces:
        kind = text_of(trace.get("type")) or "scatter"
        if kind not in TRACES:
            raise CannotRead(f'a trace of type "{kind[:40]}" has no form here')
        if layout.get("barnorm") and kind in ("bar", "histogram"):
            raise CannotRead("bars that are scaled to shares")
        own = text_of(trace.get("yaxis")) or "y"
        check_numbers(layout, own, key[1], trace)
        drawn = TRACES[kind](trace, layout)
        found += [_on_the_right(one, Axis(layout, own)) for one in drawn] if own != key[1] else drawn
    found = [one for one in found if one.points]
    if axes.x.stated.get("rangebreaks") and any(axes.x.breaks(point[0]) for one in found for point in one.points):
        raise CannotRead("an axis that leaves out some of the places with data")
    if any(one.type == "bar" for one in found) and behind(layout.get("shapes")):
        raise CannotRead("a filled shape behind the bars")
    return Panel(
        tuple(axes.shown(one) for one in _stacked(found, layout)),
        axes.title,
        axes.x.label,
        axes.y.label,
        axes.right_label,
        axes.x.scale,
        axes.y.scale,
        axes.x.range,
        axes.y.range,
        _legend(traces, layout, shown),
        axes.reference_lines,
    )


def _on_the_right(series: Series, axis: Axis) -> Series:
    """A series with an axis of its own, as far as that shows it."""
    points = series.points
    if series.type in ("bar", "line", "step", "scatter") and not series.horizontal:
        points = tuple(one for one in points if not isinstance(one[-1], int | float) or axis.sees(float(one[-1])))
    return msgspec.structs.replace(series, right=True, points=points)


def _stacked(series: list[Series], layout: JsonMapping) -> list[Series]:
    """Bars are stacked by the layout's mode, where two of them are at one place."""
    bars = [one for one in series if one.type in ("bar", "hist")]
    places = [point[0] for one in bars for point in one.points if point[-1]]
    default = "relative" if any(one.type == "hist" for one in bars) else "group"
    on = layout.get("barmode", default) in ("stack", "relative") and len(set(places)) < len(places) and len(bars) > 1
    lone = sum(one.type == "area" and one.stacked for one in series) < 2
    found = [msgspec.structs.replace(one, stacked=True) if on and one in bars else one for one in series]
    return [msgspec.structs.replace(one, stacked=False) if lone and one.type == "area" else one for one in found]


def _legend(traces: Sequence[JsonMapping], layout: JsonMapping, shown: Sequence[JsonMapping]) -> tuple[str, ...] | None:
    """Shown where there are several traces, or where the figure says so."""
    stated: Json = layout.get("showlegend")
    listed = [trace for trace in shown if trace.get("showlegend", True) is not False]
    several = len(shown) > 1 or any(trace.get("showlegend") is True for trace in shown)
    if stated is False or not listed or not (several or stated is True):
        return None
    own = [trace for trace in traces if trace.get("showlegend", True) is not False]
    places = [next(place for place, one in enumerate(shown) if one is trace) for trace in own]
    names = [text_of(trace.get("name")) or f"trace {place}" for trace, place in zip(own, places, strict=True)]
    return tuple(dict.fromkeys(names)) or None
