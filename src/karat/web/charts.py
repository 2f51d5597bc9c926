"""A figure over the runs of a suite as plain coordinates; the templates draw it as SVG, so that nothing needs a script.

Across, positions are in per cent; upwards they are in pixels, so that a chart fits any width and its text keeps its
size. Runs are in their order, the oldest on the left, at equal steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from math import ceil, floor

import msgspec

from karat.core.problems import count_of
from karat.store import RunRow, run_name
from karat.web.formatting import day

HEIGHT, TOP, BOTTOM = 190, 18, 166
LEFT, RIGHT = 1.5, 95.5
LABELS = 5
"""Dates below the axis, at most."""
ROOM = 24.0
"""Per cent of the width that the name of a truth set needs; on a phone it needs more."""
ROOM_ON_A_PHONE = 46.0
_STEPS = (0.05, 0.1, 0.2, 0.25, 0.5)


class Point(msgspec.Struct, frozen=True):
    """A run in a trend: where it is, and what is said of it."""

    x: float
    y: float
    low: float | None
    high: float | None
    """None: the run's values show no spread, and there is no interval to draw."""
    run: RunRow
    name: str
    mean: float
    bounds: tuple[float | None, float | None]
    n: int
    truth_set: str = ""


class Stretch(msgspec.Struct, frozen=True):
    """Runs in a row over the same truth set: only these are joined by a line, for other figures do not compare."""

    line: str
    bands: tuple[str, ...]
    """The intervals, joined where runs in a row have one."""
    points: tuple[Point, ...]
    alone: tuple[Point, ...]
    """Runs whose interval no band shows, as neither neighbour has one."""


class Break(msgspec.Struct, frozen=True):
    """Where the truth set changes: the place, and both names where there is room for them."""

    x: float
    before: str
    after: str
    wide: tuple[bool, bool] = (False, False)
    """Whether there is no room for either name on a phone."""


class Trend(msgspec.Struct, frozen=True):
    """A metric over the runs of a suite, oldest on the left."""

    metric: str
    title: str
    kind: str
    points: tuple[Point, ...]
    stretches: tuple[Stretch, ...]
    breaks: tuple[Break, ...]
    ticks: tuple[tuple[float, float], ...]
    """(value, its height)."""
    labelled: tuple[tuple[Point, str], ...]
    """The runs whose date is written; the time of day, where all are of one day."""


def trend(rows: Sequence[RunRow], metric: str, title: str, kind: str) -> Trend | None:
    """None when no run has a value."""
    found = [(row, item) for row in rows for item in row.summary if item.metric == metric and item.mean is not None]
    if not found:
        return None
    values = [value for _, item in found for value in (item.mean, item.low, item.high) if value is not None]
    ticks = _ticks(min(values), max(values), kind)
    span = (ticks[-1] - ticks[0]) or 1.0
    step = (RIGHT - LEFT) / max(1, len(found) - 1)

    def height(value: float) -> float:
        return round(BOTTOM - (value - ticks[0]) / span * (BOTTOM - TOP), 1)

    points = []
    for place, (row, item) in enumerate(found):
        mean = item.mean or 0.0
        x = round(LEFT + place * step, 2) if len(found) > 1 else 50.0
        low, high = (None if bound is None else height(bound) for bound in (item.low, item.high))
        points.append(
            Point(x, height(mean), low, high, row, run_name(row.id), mean, (item.low, item.high), item.n, row.truth_set)
        )
    stretches = [_stretch(list(own)) for _, own in groupby(points, key=lambda point: point.truth_set)]
    return Trend(
        metric,
        title,
        kind,
        tuple(points),
        tuple(stretches),
        tuple(_breaks(stretches)),
        tuple((value, height(value)) for value in ticks),
        tuple(_labelled(points)),
    )


def _ticks(low: float, high: float, kind: str) -> list[float]:
    """Round values that enclose all of these, three to six of them; from 0 for a quantity."""
    if kind == "quantity":
        top = max(high, 0.0) or 1.0
        return [min(low, 0.0), (min(low, 0.0) + top) / 2, top]
    step = next((step for step in _STEPS if (high - low) / step <= 4), 1.0)
    first = max(0, floor(low / step + 1e-9))
    last = max(ceil(high / step - 1e-9), first + 1)
    if last * step > 1 and first > 0 and last - first < 2:
        first -= 1
    return [round(place * step, 4) for place in range(first, last + 1)]


def _stretch(points: Sequence[Point]) -> Stretch:
    bands, alone = [], []
    for drawn, own in groupby(points, key=lambda point: point.low is not None):
        there = list(own)
        if drawn and len(there) > 1:
            bands.append(" ".join([*(f"{p.x},{p.high}" for p in there), *(f"{p.x},{p.low}" for p in reversed(there))]))
        elif drawn:
            alone += there
    line = " ".join(f"{point.x},{point.y}" for point in points)
    return Stretch(line, tuple(bands), tuple(points), tuple(alone))


def _breaks(stretches: Sequence[Stretch]) -> list[Break]:
    """A break lies between two runs. The name of a truth set is written once, where its stretch is wide enough: that of
    the first before the first break, every other after the break it begins with."""
    middles = [round((before.points[-1].x + after.points[0].x) / 2, 2) for before, after in pairwise(stretches)]
    edges = [0.0, *middles, 100.0]
    room = [right - left for left, right in pairwise(edges)]
    names = [_truth(stretch) if own >= ROOM else "" for stretch, own in zip(stretches, room, strict=True)]
    wide = [own < ROOM_ON_A_PHONE for own in room]
    return [
        Break(x, "" if place else names[0], names[place + 1], (wide[0], wide[place + 1]))
        for place, x in enumerate(middles)
    ]


def _truth(stretch: Stretch) -> str:
    cases = {point.run.cases for point in stretch.points}
    name = stretch.points[0].truth_set[:12] or "no truth set"
    return f"{name} · {count_of(cases.pop(), 'case')}" if len(cases) == 1 else name


def _labelled(points: Sequence[Point]) -> list[tuple[Point, str]]:
    """The first and the last run, and some between, none closer than the labels are wide; a date is written once."""

    def said(point: Point) -> str:
        started = point.run.started or point.run.created
        return started[11:16] if one_day else day(started)

    one_day = len({(point.run.started or point.run.created)[:10] for point in points}) == 1
    apart = max(1, ceil((len(points) - 1) / (LABELS - 1)))
    chosen = list(points[::apart])
    if chosen[-1] is not points[-1]:
        if points[-1].x - chosen[-1].x < (RIGHT - LEFT) / LABELS and len(chosen) > 1:
            chosen.pop()
        chosen.append(points[-1])
    return [(next(same), words) for words, same in groupby(chosen, key=said)]
