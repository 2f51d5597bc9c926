"""The series that one mark draws of its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from karat.core.json_types import Json, JsonMapping
from karat.suites.codegen.plots.invisible import all_gaps, is_clear, is_zero
from karat.suites.codegen.plots.plotly.arrays import value_of
from karat.suites.codegen.plots.records import Point, Series, Value
from karat.suites.codegen.plots.unreadable import CannotRead
from karat.suites.codegen.plots.vega.channels import SPLITTING, Channel, drawn_value
from karat.suites.codegen.plots.vega.labels import says_the_same
from karat.suites.codegen.plots.vega.sorting import domain
from karat.suites.codegen.plots.vega.transforms import grouped
from karat.suites.codegen.plots.vega.values import Row

WHISKERS = 1.5
POINTS = ("point", "circle", "square", "tick")
LOOKS = ("opacity", "fillOpacity", "strokeOpacity", "size", "color", "fill", "stroke", "strokeWidth")
"""What an encoding may fix to one value, as the mark itself may, and leave nothing to be seen."""
SHIFTS = ("xOffset", "yOffset", "x2Offset", "y2Offset")
PLACES = ("x", "y", "x2", "y2", "theta", "radius")
FAR = 10.0
"""Pixels by which a mark may be beside its place."""
THICK = 8.0
"""Pixels of a rule that looks like a bar."""
SMOOTHED = ("basis", "bundle")
"""Ways to draw a line that do not go through its points."""
LEFT_OUT = ("text", "rule", "errorbar", "errorband")
"""Marks that are no data: notes, lines across, intervals."""


class Unit:
    """One mark with its rows and channels."""

    def __init__(self, mark: JsonMapping, rows: list[Row], channels: dict[str, Channel], raw: list[Row]) -> None:
        self.mark = mark
        self.kind = str(mark.get("type"))
        self.rows = rows
        self.raw = raw
        self.channels = channels
        self.x, self.y = channels.get("x"), channels.get("y")
        self.flat = self._is_flat()
        found = next((channels[name] for name in SPLITTING if name in channels), None)
        colours = self.kind in ("rect", "arc") or (found is not None and found.type == "quantitative")
        self.split = None if colours else found

    def _is_flat(self) -> bool:
        """Whether bars lie: the categories are on y."""
        if self.mark.get("orient") in ("horizontal", "vertical"):
            return bool(self.mark["orient"] == "horizontal")
        x, y = self.x, self.y
        if x is None or y is None:
            return y is None and x is not None and not x.discrete and self.kind == "boxplot"
        if x.discrete or y.discrete:
            return not x.discrete
        if (x.type == "temporal") != (y.type == "temporal"):
            return y.type == "temporal"
        return bool(x.aggregate) and not y.aggregate

    def series(self) -> list[Series]:
        """What it draws."""
        if self.kind in LEFT_OUT:
            self._check_left_out()
            return []
        self._check_place()
        if self._is_clear():
            return []
        read = _READERS.get(self.kind)
        if read is None:
            raise CannotRead(f'the mark "{self.kind[:40]}"')
        return [one for one in read(self) if one.points]

    def _check_left_out(self) -> None:
        wide = self.mark.get("strokeWidth", self.mark.get("size", 1))
        if self.kind == "rule" and isinstance(wide, int | float) and wide >= THICK and self.x and self.y:
            raise CannotRead("rules that look like bars")

    def _check_place(self) -> None:
        """Raise CannotRead where marks are drawn at other places than their data says."""
        for name in (*LOOKS, "width", "height", *SHIFTS):
            if isinstance(self.mark.get(name), dict) and self.mark[name].keys() & {"expr", "signal", "param"}:
                raise CannotRead(f'a "{name}" that is computed')
        shifts = [self.mark.get(name) for name in SHIFTS]
        if any(isinstance(shift, int | float) and abs(shift) > FAR for shift in shifts):
            raise CannotRead("marks beside their places")
        if any(isinstance(self.mark.get(name), int | float) for name in PLACES):
            raise CannotRead("marks at a place of their own")
        if str(self.mark.get("interpolate", "")).startswith(SMOOTHED):
            raise CannotRead("a line that does not go through its points")
        values = self.x if self.flat else self.y
        if self.kind in ("bar", "area") and values is not None and values.discrete and not values.binned:
            raise CannotRead(f"values of a {self.kind} that are categories")

    def _is_clear(self) -> bool:
        """Whether nothing of it is to be seen."""
        stated = self.mark
        if is_clear(stated.get("color")) and "stroke" not in stated and "fill" not in stated:
            return True
        if self.kind in ("line", "trail") and (is_zero(stated.get("strokeWidth")) or is_clear(stated.get("stroke"))):
            return True
        if self.kind == "bar" and any(is_zero(stated.get(name)) for name in ("size", "width", "height")):
            return True
        if self.kind in ("line", "trail") and all_gaps(stated.get("strokeDash")):
            return True
        unfilled = is_zero(stated.get("fillOpacity", 1))
        parts = unfilled and (is_zero(stated.get("strokeOpacity", 1)) or "stroke" not in stated)
        return is_zero(stated.get("opacity")) or parts or (self.kind in POINTS and is_zero(stated.get("size")))

    def groups(self) -> list[tuple[str, list[Row]]]:
        """The rows of each series with its name."""
        split = self.split
        if split is None:
            return [("", self.rows)]
        names = domain(self.rows, split, self.channels, self.raw)
        found = {
            drawn_value(group[0], split): group for group in grouped(self.rows, lambda row: drawn_value(row, split))
        }
        return [(str(name), found[name]) for name in names if name in found]

    def axes(self) -> tuple[Channel, Channel]:
        """The channel of the categories and that of the values."""
        first, second = (self.y, self.x) if self.flat else (self.x, self.y)
        if first is None or second is None:
            raise CannotRead(f"a {self.kind} without x or y")
        if first.labelled and (first.discrete or first.type == "temporal"):
            raise CannotRead("an axis whose labels are computed")
        if second.labelled and not says_the_same(str(second.axis.get("labelExpr"))):
            raise CannotRead("an axis whose labels are computed")
        return first, second

    def stacking(self) -> Json:
        """``zero``, ``normalize`` or nothing."""
        _, values = self.axes()
        offset = "xOffset" in self.channels or "yOffset" in self.channels
        default = "zero" if self.split is not None and not offset and values.scale_type == "linear" else None
        stated = values.stated.get("stack", default)
        found = {True: "zero", False: None}.get(stated, stated) if isinstance(stated, bool) else stated
        if found == "center":
            raise CannotRead("areas around a middle line")
        return found


def _xy(rows: Sequence[Row], across: Channel, values: Channel) -> list[Point]:
    return [(drawn_value(row, across), drawn_value(row, values)) for row in rows]


def _bars(unit: Unit) -> list[Series]:
    across, values = unit.axes()
    if "x2" in unit.channels or "y2" in unit.channels:
        raise CannotRead("bars from one value to another")
    if across.binned:
        return _histogram(unit, across, values)
    order = {name: place for place, name in enumerate(domain(unit.rows, across, unit.channels, unit.raw))}
    found = []
    for name, rows in unit.groups():
        points = sorted(_xy(rows, across, values), key=lambda point: order[point[0]])
        found.append(Series("bar", tuple(points), name, unit.flat))
    return _stacked(unit, found)


def _stacked(unit: Unit, series: list[Series]) -> list[Series]:
    stacking = unit.stacking()
    places = [point[0] for one in series for point in one.points if point[-1]]
    on = stacking in ("zero", "normalize") and len(series) > 1 and len(set(places)) < len(places)
    sums: dict[Value, float] = {}
    for one in series:
        for point in one.points:
            sums[point[0]] = sums.get(point[0], 0.0) + _number(point[-1])
    made = []
    for one in series:
        points = one.points
        if stacking == "normalize":
            points = tuple((place, value_of(_number(value) / (sums[place] or 1.0))) for place, value in points)
        made.append(Series(one.type, points, one.name, one.horizontal, stacked=on, markers=one.markers))
    return made


def _number(value: Value) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _histogram(unit: Unit, across: Channel, values: Channel) -> list[Series]:
    found = []
    for name, rows in unit.groups():
        points: list[Point] = []
        for row in rows:
            edges = row.get(across.key)
            if isinstance(edges, tuple):
                points.append((value_of(edges[0]), value_of(edges[1]), drawn_value(row, values)))
        points.sort(key=lambda point: _number(point[0]))
        found.append(Series("hist", tuple(points), name, unit.flat))
    stacked = len(found) > 1 and unit.stacking() == "zero"
    return [Series("hist", one.points, one.name, unit.flat, stacked) for one in found]


def _lines(unit: Unit) -> list[Series]:
    across, values = unit.axes()
    order: dict[Value, int] = {}
    if across.discrete:
        order = {name: place for place, name in enumerate(domain(unit.rows, across, unit.channels, unit.raw))}
    step = str(unit.mark.get("interpolate", "")).startswith("step")
    kind: Literal["line", "step", "area"] = "area" if unit.kind == "area" else "step" if step else "line"
    marks = bool(unit.mark.get("point"))
    found = []
    for name, rows in unit.groups():
        points = _xy(rows, across, values)
        points.sort(key=lambda point: (order.get(point[0], 0), *_size(point[0])))
        found.append(Series(kind, tuple(points), name, markers=marks))
    if kind != "area":
        return found
    if "y2" in unit.channels or "x2" in unit.channels:
        return []  # a band
    return _stacked(unit, found)


def _size(value: Value) -> tuple[float, str]:
    return (float(value), "") if isinstance(value, int | float) else (0.0, str(value))


def _cloud(unit: Unit) -> list[Series]:
    x, y = unit.x, unit.y
    if x is None or y is None:
        raise CannotRead("points without x or y")
    if any(axis.labelled and not says_the_same(str(axis.axis.get("labelExpr"))) for axis in (x, y)):
        raise CannotRead("an axis whose labels are computed")
    return [Series("scatter", tuple(_xy(rows, x, y)), name) for name, rows in unit.groups()]


def _pie(unit: Unit) -> list[Series]:
    theta = unit.channels.get("theta")
    label = next((unit.channels[name] for name in ("color", "fill", "detail", "text") if name in unit.channels), None)
    if theta is None or label is None:
        raise CannotRead("a pie without theta or color")
    sums: dict[Value, float] = {}
    for row in unit.rows:
        name = drawn_value(row, label)
        sums[name] = sums.get(name, 0.0) + _number(drawn_value(row, theta))
    total = sum(sums.values()) or 1.0
    return [Series("pie", tuple((name, value_of(part / total)) for name, part in sums.items()))]


def _heatmap(unit: Unit) -> list[Series]:
    colour = unit.channels.get("color") or unit.channels.get("fill")
    x, y = unit.x, unit.y
    if colour is None or x is None or y is None or x.binned or y.binned:
        raise CannotRead("a field of rectangles without x, y and color, or with bins")
    points = [(drawn_value(row, x), drawn_value(row, y), drawn_value(row, colour)) for row in unit.rows]
    return [Series("heatmap", tuple(points))]


def _boxes(unit: Unit) -> list[Series]:
    extent = unit.mark.get("extent", WHISKERS)
    across, values = (unit.y, unit.x) if unit.flat else (unit.x, unit.y)
    if values is None or not (extent == "min-max" or isinstance(extent, int | float)):
        raise CannotRead("boxes without values, or with whiskers of another kind")
    found = []
    for name, rows in unit.groups():
        names = domain(rows, across, unit.channels, unit.raw) if across is not None else [""]
        points: list[Point] = []
        for place in names:
            mine = [row for row in rows if across is None or drawn_value(row, across) == place]
            numbers = [value for row in mine if isinstance(value := drawn_value(row, values), int | float)]
            if numbers:
                points.append((place, *_five(numbers, extent)))
        found.append(Series("box", tuple(points), name, unit.flat))
    return found


def _five(numbers: list[float], extent: Json) -> tuple[Value, ...]:
    q1, median, q3 = (float(part) for part in np.quantile(numbers, [0.25, 0.5, 0.75]))
    low, high = min(numbers), max(numbers)
    if isinstance(extent, int | float):
        reach = extent * (q3 - q1)
        low = min(value for value in numbers if value >= q1 - reach)
        high = max(value for value in numbers if value <= q3 + reach)
    return tuple(value_of(float(part)) for part in (q1, median, q3, low, high))


_READERS: dict[str, Callable[[Unit], list[Series]]] = {
    "bar": _bars,
    "line": _lines,
    "trail": _lines,
    "area": _lines,
    "arc": _pie,
    "rect": _heatmap,
    "boxplot": _boxes,
    **dict.fromkeys(POINTS, _cloud),
}
