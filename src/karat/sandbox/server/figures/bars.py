"""Bars and histograms of matplotlib: where bars are, how long they are, and what they start from.

A histogram is what ``Axes.hist`` or seaborn's ``histplot`` drew, or bars that touch at numbers. Bars are stacked when
one begins where another ends. A bar that begins neither there nor at 0 counts by its end, which is what its axis says.
Bars side by side at one tick belong to that tick.
"""

from __future__ import annotations

from typing import Any, Callable  # Any: containers and rectangles of matplotlib, which is imported when code draws

from ..environment.libraries import numpy
from .axis import AxisReader, Names, Value, colour, plain

MET = "met"
"""Where the points of a series are, in the direction in which a reader goes."""
Found = dict[str, Any]
Ends = dict[float, list[float]]


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

    def __init__(self, container: Any, patches: list[Any], counted: bool, edges: list[float]) -> None:
        self.horizontal = getattr(container, "orientation", None) == "horizontal"
        self.bars = [Bar(patch, self.horizontal) for patch in patches]
        self.label = container.get_label()
        self.counted = counted
        self.middles = [bar.middle for bar in self.bars]
        fits = len(edges) == len(self.bars) + 1
        bins = list(zip(edges, edges[1:])) if fits else []
        if all(left <= bar.middle <= right for bar, (left, right) in zip(self.bars, bins)) and bins:
            self.bins = bins  # bars of ``rwidth=0.8`` are narrower than what they count
        else:
            self.bins = [(bar.left, bar.left + bar.width) for bar in self.bars]

    def leave_out(self, sees: Callable[[float], Any]) -> None:
        """Keep the bars whose middle is within the view."""
        kept = [place for place, middle in enumerate(self.middles) if sees(numpy.float64(middle))]
        self.bars = [self.bars[place] for place in kept]
        self.middles = [self.middles[place] for place in kept]
        self.bins = [self.bins[place] for place in kept]


def read_bars(groups: list[Bars], x: AxisReader, y: AxisReader, names: Names) -> list[Found]:
    """The series of these bars."""
    for group in groups:
        group.leave_out((y if group.horizontal else x).sees)
    groups = [group for group in groups if group.bars]
    _put_beside(groups, x, y)
    ends = _ends(groups)
    stacked = any(
        bar.length and bar.begin and _stands_on(bar, ends[at]) for at, one in enumerate(groups) for bar in one.bars
    )
    found: list[Found] = []
    for at, group in enumerate(groups):
        axis, values = (y, x) if group.horizontal else (x, y)
        name = names.of(group.label, *dict.fromkeys(bar.colour for bar in group.bars[:1]))
        if _is_hist(group, axis):
            points = [
                [_edge(axis, left), _edge(axis, right), plain(bar.length)]
                for bar, (left, right) in zip(group.bars, group.bins)
            ]
            kind, met = "hist", [bar.left for bar in group.bars]
        else:
            turned = -1 if group.horizontal != axis.inverted else 1  # from top to bottom, from left to right
            order = sorted(range(len(group.bars)), key=lambda place: turned * group.middles[place])
            met = [turned * group.middles[place] for place in order]
            points = [
                [axis.value(group.middles[place], near=True), _length(values, group.bars[place], ends[at])]
                for place in order
            ]
            kind = "bar"
        kept = [place for place, point in enumerate(points) if point[-1] is not None]
        found.append(
            {
                "type": kind,
                "name": name,
                "points": [points[place] for place in kept],
                MET: [met[place] for place in kept],
                "horizontal": group.horizontal,
                "stacked": stacked,
            }
        )
    return merged(found)


def _length(axis: AxisReader, bar: Bar, ends: Ends) -> Value:
    if axis.dates:
        return axis.value(bar.end)
    return plain(bar.length if not bar.begin or _stands_on(bar, ends) else bar.end)


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


def _ends(groups: list[Bars]) -> list[Ends]:
    """For each call, where the bars of the others end, by their places."""
    found: list[Ends] = []
    for group in groups:
        ends: Ends = {}
        for bar in (bar for other in groups if other is not group for bar in other.bars if bar.length):
            ends.setdefault(round(bar.middle, 6), []).append(bar.end)
        found.append(ends)
    return found


def _stands_on(bar: Bar, ends: Ends) -> bool:
    there = ends.get(round(bar.middle, 6), ())
    return any(abs(bar.begin - end) <= 1e-9 * max(abs(bar.begin), abs(end), abs(bar.length)) for end in there)


def merged(found: list[Found]) -> list[Found]:
    """Bars and boxes without names that were drawn one by one, each in a colour of its own, are one series, whose
    points are in the order in which a reader meets them (``MET``, which is gone afterwards)."""
    met = [one.pop(MET, []) for one in found]
    kinds = {one["type"] for one in found}
    if len(found) < 2 or kinds not in ({"bar"}, {"box"}) or any(one["name"] or one.get("stacked") for one in found):
        return found
    points = [point for one in found for point in one["points"]]
    if len({point[0] for point in points}) != len(points) or len({one["horizontal"] for one in found}) > 1:
        return found
    places = [place for one in met for place in one]
    order = sorted(range(len(points)), key=lambda at: places[at])
    return [{**found[0], "points": [points[at] for at in order]}]
