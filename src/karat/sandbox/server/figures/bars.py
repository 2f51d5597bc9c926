"""Bars and histograms of matplotlib: where bars are, how long, what they stand on.

A histogram is what ``Axes.hist`` or seaborn's ``histplot`` drew, or bars that touch at numbers. Bars are stacked when
one begins where another ends. Bars side by side at one tick belong to that tick.
"""

from __future__ import annotations

from typing import Any  # Any: containers and rectangles of matplotlib, which is imported when code draws

from .axis import AxisReader, Names, Value, colour, plain

Found = dict[str, Any]


class Bar:
    """One rectangle: its place and width along the axis of the categories, where it begins, how long it is."""

    def __init__(self, patch: Any, horizontal: bool) -> None:
        from matplotlib.patches import Rectangle

        x, y = Rectangle.get_x(patch), Rectangle.get_y(patch)
        width, height = Rectangle.get_width(patch), Rectangle.get_height(patch)
        along = (y, height, x, width) if horizontal else (x, width, y, height)
        self.left, self.width, self.begin, self.length = (float(part) for part in along)
        self.colour = colour(patch.get_facecolor())

    @property
    def middle(self) -> float:
        return self.left + self.width / 2

    @property
    def end(self) -> float:
        return self.begin + self.length


class Bars:
    """The bars of one call."""

    def __init__(self, container: Any, patches: list[Any], counted: bool) -> None:
        self.horizontal = getattr(container, "orientation", None) == "horizontal"
        self.bars = [Bar(patch, self.horizontal) for patch in patches]
        self.label = container.get_label()
        self.counted = counted
        self.middles = [bar.middle for bar in self.bars]


def read_bars(groups: list[Bars], x: AxisReader, y: AxisReader, names: Names) -> list[Found]:
    """The series of these bars."""
    groups = [group for group in groups if group.bars]
    _put_beside(groups, x, y)
    stacked = _stacked(groups)
    found: list[Found] = []
    for group in groups:
        axis, values = (y, x) if group.horizontal else (x, y)
        name = names.of(group.label, *dict.fromkeys(bar.colour for bar in group.bars[:1]))
        if _is_hist(group, axis):
            points = [
                [_edge(axis, bar.left), _edge(axis, bar.left + bar.width), plain(bar.length)] for bar in group.bars
            ]
            kind = "hist"
        else:
            order = sorted(range(len(group.bars)), key=lambda place: group.middles[place])
            if group.horizontal != axis.inverted:  # from top to bottom, from left to right
                order.reverse()
            points = [[axis.value(group.middles[at], near=True), _length(values, group.bars[at])] for at in order]
            kind = "bar"
        points = [point for point in points if point[-1] is not None]
        found.append(
            {
                "type": kind,
                "name": name,
                "points": points,
                "horizontal": group.horizontal,
                "stacked": stacked,
            }
        )
    return merged(found)


def _length(axis: AxisReader, bar: Bar) -> Value:
    return axis.value(bar.end) if axis.dates else plain(bar.length)


def _edge(axis: AxisReader, place: float) -> Value:
    return axis.value(place) if axis.dates else plain(place)


def _is_hist(group: Bars, axis: AxisReader) -> bool:
    if axis.is_category:
        return False
    if group.counted:
        return True
    bars = sorted(group.bars, key=lambda bar: bar.left)
    if len(bars) < 2 or axis.dates:
        return False
    slack = 1e-6 * max(abs(bars[-1].left + bars[-1].width - bars[0].left), 1e-300)
    return all(abs(one.left + one.width - other.left) <= slack for one, other in zip(bars, bars[1:]))


def _put_beside(groups: list[Bars], x: AxisReader, y: AxisReader) -> None:
    """Bars of several calls side by side on an axis of numbers: the middle of a group is its place."""
    plain_groups = [group for group in groups if not (y if group.horizontal else x).is_category and not group.counted]
    if len(plain_groups) < 2 or len({(len(group.bars), group.horizontal) for group in plain_groups}) > 1:
        return
    first = plain_groups[0]
    width = abs(first.bars[0].width)
    shifts = []
    for group in plain_groups:
        moved = [one - other for one, other in zip(group.middles, first.middles)]
        if max(moved) - min(moved) > 1e-6 * max(width, 1e-300):
            return
        shifts.append(moved[0])
    ordered = sorted(shifts)
    apart = all(abs(right - left) >= 0.99 * width for left, right in zip(ordered, ordered[1:]))
    gaps = sorted(abs(right - left) for left, right in zip(first.middles, first.middles[1:]))
    if not apart or not any(shifts) or (gaps and ordered[-1] - ordered[0] >= gaps[0]):
        return
    middle = sum(shifts) / len(shifts)
    places = [place + middle for place in first.middles]
    for group in plain_groups:
        group.middles = places


def _stacked(groups: list[Bars]) -> bool:
    """Whether some bar begins at the end of a bar of an earlier call."""
    ends: set[tuple[float, float]] = set()
    found = False
    for group in groups:
        here = set()
        for bar in group.bars:
            place = round(bar.middle, 6)
            found = found or (bar.begin != 0 and bar.length != 0 and (place, _rounded(bar.begin)) in ends)
            if bar.length:
                here.add((place, _rounded(bar.end)))
        ends |= here
    return found


def _rounded(value: float) -> float:
    return float(f"{value:.9g}")


def merged(found: list[Found]) -> list[Found]:
    """Bars and boxes without names that were drawn one by one, each in a colour of its own, are one series."""
    kinds = {one["type"] for one in found}
    if len(found) < 2 or kinds not in ({"bar"}, {"box"}) or any(one["name"] or one.get("stacked") for one in found):
        return found
    places = [point[0] for one in found for point in one["points"]]
    if len(set(places)) != len(places) or len({one["horizontal"] for one in found}) > 1:
        return found
    return [{**found[0], "points": [point for one in found for point in one["points"]]}]
