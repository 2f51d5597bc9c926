"""The item ``data``: the points of a panel against those that are expected.

Series are paired one to one: by name where the gold names them, else so that most points are equal. A series without a
name may be paired with any that is left; where there is only one on both sides, its name does not matter. Points of
series that have no partner count as not equal.

- Values that are null are no points. A bar of 0 is as good as none, in histograms too.
- pandas draws months, quarters and years as periods; a date of the gold is then the period that it is in. Where the
  gold's places are periods, the first day of one is the period.
- Points in the colours of their groups are one cloud where the gold has one series without a name.
- A pie compares shares: values are divided by their sum first.
- A series of the gold without x compares its values in their order.
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.pairing import greatest_pairing
from karat.suites.codegen.plots.dates import in_gold_periods, in_periods
from karat.suites.codegen.plots.items.points import equal_points, f1, text_of
from karat.suites.codegen.plots.items.texts import folded
from karat.suites.codegen.plots.records import PanelGold, PlotType, Point, Series, SeriesGold
from karat.tables.options import CompareOptions
from karat.tables.values.cells import parse

BARS = ("bar", "hist")
MOST_SERIES = 200
"""Series of one panel that are paired; those beyond have no partner."""


def data_score(gold: PanelGold, given: Sequence[Series], options: CompareOptions) -> float:
    """F1 over all points of all series."""
    given = _one_cloud(gold, given)
    types = set(gold.type) or {series.type for series in given}
    wanted = [_gold_points(series, types) for series in gold.series]
    offered = [_given_points(series) for series in given]
    pairs = _pairs(gold.series, given, wanted, offered, options)
    equal = total = 0
    paired_gold, paired_given = set(), set()
    for one, other in pairs:
        there = _placed(gold.series[one], offered[other], wanted[one])
        right, there = _but_for_zeros(in_periods(wanted[one], there), there, given[other], options)
        equal += equal_points(right, there, options)
        total += len(right) + len(there)
        paired_gold.add(one)
        paired_given.add(other)
    bars = bool(types & {"bar", "hist"})
    for place, points in enumerate(wanted):
        if place not in paired_gold:
            total += sum(not (bars and _is_zero(point)) for point in points)
    for place, points in enumerate(offered):
        if place not in paired_given:
            total += sum(not (given[place].type in BARS and _is_zero(point)) for point in points)
    return f1(equal, total, 0)


def _gold_points(series: SeriesGold, types: set[PlotType]) -> list[Point]:
    points = [point for point in series.points if point[-1] is not None]
    if not series.placed:
        points = [(place, point[-1]) for place, point in enumerate(points)]
    return _shares(points) if types == {"pie"} else points


def _given_points(series: Series) -> list[Point]:
    points = [point for point in series.points if point[-1] is not None]
    return _shares(points) if series.type == "pie" else points


def _shares(points: list[Point]) -> list[Point]:
    sizes = [point[-1] for point in points]
    numbers = [size for size in sizes if isinstance(size, int | float)]
    total = sum(numbers)
    if len(numbers) != len(sizes) or not total:
        return points
    return [(*point[:-1], size / total) for point, size in zip(points, numbers, strict=True)]


def _one_cloud(gold: PanelGold, given: Sequence[Series]) -> Sequence[Series]:
    alone = len(gold.series) == 1 and gold.series[0].placed and not gold.series[0].name
    if not alone or len(given) < 2 or any(one.type != "scatter" or one.right != given[0].right for one in given):
        return given
    return [Series("scatter", tuple(point for one in given for point in one.points))]


def _placed(gold: SeriesGold, points: list[Point], wanted: list[Point]) -> list[Point]:
    """The given points with their number in place of x, where the gold does not say x."""
    if gold.placed:
        return in_gold_periods(wanted, points)
    return [(place, point[-1]) for place, point in enumerate(points)]


def _is_zero(point: Point) -> bool:
    return point[-1] == 0


def _but_for_zeros(
    gold: list[Point], given: list[Point], series: Series, options: CompareOptions
) -> tuple[list[Point], list[Point]]:
    """Bars of 0 are left out where the other side has no bar at that place."""
    if series.type not in BARS:
        return gold, given
    places = [{_place(point, options) for point in side} for side in (gold, given)]
    return (
        [point for point in gold if not _is_zero(point) or _place(point, options) in places[1]],
        [point for point in given if not _is_zero(point) or _place(point, options) in places[0]],
    )


def _place(point: Point, options: CompareOptions) -> object:
    cell = parse(text_of(point[0]), options)
    return cell.number if cell.numeric else (cell.kind, cell.key)


def _pairs(
    gold: Sequence[SeriesGold],
    given: Sequence[Series],
    wanted: list[list[Point]],
    offered: list[list[Point]],
    options: CompareOptions,
) -> list[tuple[int, int]]:
    """Which series of the gold is compared with which given one."""
    if len(gold) == len(given) == 1:
        return [(0, 0)]
    left, right = range(min(len(gold), MOST_SERIES)), range(min(len(given), MOST_SERIES))
    names = [folded(given[place].name) for place in right]
    by_name = [[place for place in right if gold[one].name and names[place] == folded(gold[one].name)] for one in left]
    found = {one: other for one, other in enumerate(greatest_pairing(by_name)) if other >= 0}
    free = [place for place in right if place not in found.values()]
    rest = [one for one in left if one not in found]
    scored: list[tuple[float, int, int]] = []
    for one in rest:
        for other in free:
            if gold[one].name and names[other]:
                continue  # both have a name, and it is another one
            there = _placed(gold[one], offered[other], wanted[one])
            sides = _but_for_zeros(in_periods(wanted[one], there), there, given[other], options)
            scored.append((f1(equal_points(*sides, options), *map(len, sides)), one, other))
    return [*found.items(), *_best(scored)]


def _best(scored: list[tuple[float, int, int]]) -> list[tuple[int, int]]:
    """A pairing of the greatest likeness that one pass and exchanges of two pairs reach."""
    value = {(one, other): likeness for likeness, one, other in scored}
    pairs: dict[int, int] = {}
    for _, one, other in sorted(scored, key=lambda item: (-item[0], item[1], item[2])):
        if one not in pairs and other not in pairs.values():
            pairs[one] = other
    changed = True
    while changed:
        changed = False
        for one in pairs:
            for other in pairs:
                now = value[one, pairs[one]] + value[other, pairs[other]]
                turned = value.get((one, pairs[other]), -1.0) + value.get((other, pairs[one]), -1.0)
                if turned > now + 1e-12:
                    pairs[one], pairs[other] = pairs[other], pairs[one]
                    changed = True
    return list(pairs.items())
