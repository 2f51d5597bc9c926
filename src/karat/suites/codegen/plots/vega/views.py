"""Views of Vega-Lite: single ones, layers on each other, facets and rows of views."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.json_types import Json, JsonMapping
from karat.suites.codegen.plots.records import Panel, Series
from karat.suites.codegen.plots.unreadable import CannotRead
from karat.suites.codegen.plots.vega.channels import Channel, channels_of, drawn_value, prepared, title_text
from karat.suites.codegen.plots.vega.ground import Look, check_conditions, in_ground, look_of, styled
from karat.suites.codegen.plots.vega.marks import LEFT_OUT, LOOKS, Unit
from karat.suites.codegen.plots.vega.sorting import domain
from karat.suites.codegen.plots.vega.texts import check_texts
from karat.suites.codegen.plots.vega.transforms import transformed
from karat.suites.codegen.plots.vega.values import Row, field_of, rows_of, shown

SIDE_BY_SIDE = ("hconcat", "vconcat", "concat")
FACETS = ("row", "column", "facet")
MOST_VIEWS = 64
DEEPEST = 8
SMALLEST = 10
"""Pixels along a side of a view in which anything is to be seen."""


class Inherited(msgspec.Struct, frozen=True):
    """What an inner view takes from those around it."""

    rows: list[Row] | None
    encoding: JsonMapping
    datasets: JsonMapping
    depth: int = 0
    look: Look = Look()


def read_lite(spec: JsonMapping) -> tuple[tuple[Panel, ...], str]:
    """The panels and the title of a specification."""
    sets = spec.get("datasets")
    panels = _view(spec, Inherited(None, {}, sets if isinstance(sets, dict) else {}, look=look_of(spec)))
    if len(panels) > MOST_VIEWS:
        raise CannotRead(f"{len(panels)} views")
    title = title_text(spec.get("title"))
    if len(panels) == 1:
        return (msgspec.structs.replace(panels[0], title=panels[0].title or title),), ""
    return tuple(panels), title


def _view(spec: JsonMapping, outer: Inherited) -> list[Panel]:
    if outer.depth > DEEPEST:
        raise CannotRead("views inside views, too many levels")
    if any(isinstance(size := spec.get(name), int | float) and size < SMALLEST for name in ("width", "height")):
        raise CannotRead("a view without room")
    if "repeat" in spec:
        raise CannotRead("views that are repeated")
    rows = outer.rows
    if "data" in spec:
        rows = rows_of(spec["data"], outer.datasets)
    if "transform" in spec and rows is not None:
        rows = transformed(rows, spec["transform"])
    encoding = spec.get("encoding")
    own: JsonMapping = {**outer.encoding, **(encoding if isinstance(encoding, dict) else {})}
    inner = Inherited(rows, own, outer.datasets, outer.depth + 1, outer.look)
    for name in SIDE_BY_SIDE:
        if isinstance(spec.get(name), list):
            return [panel for part in spec[name] if isinstance(part, dict) for panel in _view(part, inner)]
    if "facet" in spec and isinstance(spec.get("spec"), dict):
        return _faceted(spec["facet"], spec["spec"], inner)
    split = {name: own[name] for name in FACETS if name in own}
    if split and "layer" not in spec:
        rest = {key: value for key, value in spec.items() if key not in ("data", "transform")}
        bare = {name: value for name, value in own.items() if name not in FACETS}
        return _faceted(split, {**rest, "encoding": bare}, msgspec.structs.replace(inner, encoding=bare))
    if isinstance(spec.get("layer"), list):
        parts = [part for part in spec["layer"] if isinstance(part, dict)]
        return [_layered(spec, [_unit(part, inner) for part in _flat(parts)])]
    return [_layered(spec, [_unit(spec, inner, transform=False)])]


def _flat(parts: Sequence[JsonMapping]) -> list[JsonMapping]:
    if len(parts) > MOST_VIEWS or any("layer" in part for part in parts):
        raise CannotRead("layers inside layers")
    return list(parts)


def _unit(spec: JsonMapping, inner: Inherited, *, transform: bool = True) -> tuple[Unit, JsonMapping]:
    rows = inner.rows
    if transform and "data" in spec:
        rows = rows_of(spec["data"], inner.datasets)
    if rows is None:
        raise CannotRead("a view without data")
    if transform and "transform" in spec:
        rows = transformed(rows, spec["transform"])
    stated = spec.get("encoding")
    encoding = {**inner.encoding, **(stated if isinstance(stated, dict) else {})}
    mark = spec.get("mark")
    mark = mark if isinstance(mark, dict) else {"type": mark}
    if not isinstance(mark.get("type"), str):
        raise CannotRead("a view without a mark")
    mark = styled(mark, inner.look)
    if mark["type"] != "text":
        check_conditions(encoding, inner.look)
    fixed = {name: part["value"] for name, part in encoding.items() if isinstance(part, dict) and "value" in part}
    mark = {**mark, **{name: value for name, value in fixed.items() if name in (*LOOKS, "xOffset", "yOffset")}}
    channels = channels_of(encoding)
    if in_ground(mark, channels, inner.look):
        mark = {**mark, "opacity": 0, "hidden": True}
    if mark["type"] in ("bar", "area", "rect") and any(
        name in encoding and name not in channels for name in ("x2", "y2")
    ):
        raise CannotRead(f'the mark "{mark["type"]}" from one value to another')
    boxes = mark["type"] == "boxplot"
    made = prepared(rows, channels) if not boxes else prepared(rows, _plain(channels))
    across = [channels[name] for name in ("x", "y") if name in channels]
    made = [row for row in made if all(channel.has_place(drawn_value(row, channel)) for channel in across)]
    return Unit(mark, made, channels, rows), encoding


def _plain(channels: dict[str, Channel]) -> dict[str, Channel]:
    """Boxes do their own counting."""
    return {name: channel for name, channel in channels.items() if not channel.aggregate}


def _faceted(facet: Json, spec: JsonMapping, inner: Inherited) -> list[Panel]:
    """A panel for each value of the fields that split the rows."""
    if not isinstance(facet, dict) or inner.rows is None:
        raise CannotRead("facets without data")
    stated = facet if "field" not in facet else {"facet": facet}
    channels = [Channel(name, part) for name, part in stated.items() if isinstance(part, dict)]
    if any(channel.binned or channel.unit or not channel.field for channel in channels):
        raise CannotRead("facets of bins or units of time")
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in inner.rows:
        groups.setdefault(tuple(shown(field_of(row, one.field), one.type) for one in channels), []).append(row)
    if len(groups) > MOST_VIEWS:
        raise CannotRead(f"{len(groups)} facets")
    panels: list[Panel] = []
    for key in sorted(groups, key=lambda key: tuple(str(part) for part in key)):
        found = _view(spec, msgspec.structs.replace(inner, rows=groups[key]))
        title = ", ".join(str(part) for part in key)
        panels += [msgspec.structs.replace(panel, title=title) for panel in found]
    return panels


def _layered(spec: JsonMapping, layers: Sequence[tuple[Unit, JsonMapping]]) -> Panel:
    series: list[Series] = []
    for unit, _ in layers:
        if series and unit.mark.get("hidden") and unit.kind in ("bar", "area", "rect", "arc"):
            raise CannotRead("what has the colour of the ground lies over the data")
        series += [_between(one, unit.x) for one in unit.series()]
    check_texts([unit for unit, _ in layers], [encoding for _, encoding in layers], series)
    _check_numbers(spec, layers)
    series = _with_markers(series)
    x, y = (next((unit.channels[name] for unit, _ in layers if name in unit.channels), None) for name in ("x", "y"))
    return Panel(
        tuple(series),
        title_text(spec.get("title")),
        x.label if x is not None else "",
        y.label if y is not None else "",
        "",
        x.scale_type if x is not None else "linear",
        y.scale_type if y is not None else "linear",
        x.range if x is not None else None,
        y.range if y is not None else None,
        _legend([unit for unit, _ in layers]),
        _across(layers),
    )


def _check_numbers(spec: JsonMapping, layers: Sequence[tuple[Unit, JsonMapping]]) -> None:
    """Raise CannotRead where layers have axes of their own, and one with data has no numbers beside others that do."""
    resolve = spec.get("resolve")
    scale = resolve.get("scale") if isinstance(resolve, dict) else None
    for name in ("x", "y"):
        if not isinstance(scale, dict) or scale.get(name) != "independent":
            continue
        hidden = shown = False
        for unit, _ in layers:
            channel = unit.channels.get(name)
            if channel is not None and not channel.discrete:
                bare = ("axis" in channel.stated and channel.stated["axis"] is None) or channel.axis.get(
                    "labels"
                ) is False
                hidden = hidden or (bare and unit.kind not in LEFT_OUT)
                shown = shown or not bare
        if hidden and shown:
            raise CannotRead("the axis of a layer shows no numbers, and another one shows others")


def _between(series: Series, x: Channel | None) -> Series:
    """The points of a series that the axis has room for."""
    if series.type not in ("line", "step", "area", "scatter") or x is None:
        return series
    kept = tuple(point for point in series.points if x.sees(point[0]))
    return msgspec.structs.replace(series, points=kept)


def _with_markers(series: list[Series]) -> list[Series]:
    """A line and the very same points on it are one line with markers."""
    lines = [one for one in series if one.type == "line"]
    found: list[Series] = []
    for one in series:
        twins = [
            other
            for other in series
            if {one.type, other.type} == {"line", "scatter"}
            and one.name == other.name
            and sorted(map(repr, one.points)) == sorted(map(repr, other.points))
        ]
        if one.type == "scatter" and lines and twins:
            continue
        found.append(msgspec.structs.replace(one, markers=True) if one.type == "line" and twins else one)
    return found


def _legend(units: Sequence[Unit]) -> tuple[str, ...] | None:
    for unit in units:
        for name in ("color", "fill", "stroke", "shape", "strokeDash"):
            channel = unit.channels.get(name)
            if channel is None or channel.stated.get("legend", True) is None or channel.type == "quantitative":
                continue
            names = domain(unit.rows, channel, unit.channels, unit.raw)
            return tuple(str(value) for value in names) or None
    return None


def _across(layers: Sequence[tuple[Unit, JsonMapping]]) -> tuple[float, ...]:
    """Places of rules that have one coordinate only."""
    found: list[float] = []
    for unit, encoding in layers:
        names = [name for name in ("x", "y") if name in encoding]
        if unit.kind == "rule" and len(names) == 1:
            stated = encoding[names[0]]
            datum = stated.get("datum") if isinstance(stated, dict) else None
            channel = unit.channels.get(names[0])
            values = [drawn_value(row, channel) for row in unit.rows] if channel is not None else [datum]
            found += [float(value) for value in values[:100] if isinstance(value, int | float)]
    return tuple(found)
