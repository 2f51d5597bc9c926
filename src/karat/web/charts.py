"""Small charts as plain coordinates; the templates draw them as SVG, so that nothing needs a script."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import msgspec

from karat.store import RunRow, run_name

WIDTH, HEIGHT, EDGE = 260, 64, 6


class Point(msgspec.Struct, frozen=True):
    """A run in a trend: where it is, and what is said of it."""

    x: float
    y: float
    low: float | None
    high: float | None
    """None: the run's values show no spread, and there is no interval to draw."""
    run: str
    mean: float
    truth_set: str = ""


class Stretch(msgspec.Struct, frozen=True):
    """Runs in a row over the same truth set: only these are joined by a line, for other figures do not compare."""

    line: str
    bands: tuple[str, ...]
    """The intervals, joined where runs in a row have one."""


class Trend(msgspec.Struct, frozen=True):
    """A metric over the runs of a suite, oldest on the left."""

    metric: str
    title: str
    kind: str
    points: tuple[Point, ...]
    stretches: tuple[Stretch, ...]
    latest: float


def trend(rows: Sequence[RunRow], metric: str, title: str, kind: str) -> Trend | None:
    """None when no run has a value. Shares are drawn from 0 to 1, quantities from 0 to the largest."""
    found = [(row, item) for row in rows for item in row.summary if item.metric == metric and item.mean is not None]
    if not found:
        return None
    highest = [item.high if item.high is not None else item.mean for _, item in found]
    top = 1.0 if kind != "quantity" else max(filter(None, highest), default=1.0) or 1.0
    step = (WIDTH - 2 * EDGE) / max(1, len(found) - 1)

    def height(value: float) -> float:
        return round(HEIGHT - EDGE - min(max(value / top, 0.0), 1.0) * (HEIGHT - 2 * EDGE), 1)

    points = []
    for place, (row, item) in enumerate(found):
        mean = item.mean or 0.0
        x = round(EDGE + place * step, 1) if len(found) > 1 else WIDTH / 2
        low, high = (None if bound is None else height(bound) for bound in (item.low, item.high))
        points.append(Point(x, height(mean), low, high, run_name(row.id), mean, row.truth_set))
    stretches = [_stretch(list(own)) for _, own in groupby(points, key=lambda point: point.truth_set)]
    return Trend(metric, title, kind, tuple(points), tuple(stretches), points[-1].mean)


def _stretch(points: Sequence[Point]) -> Stretch:
    bands = []
    for drawn, own in groupby(points, key=lambda point: point.low is not None):
        there = list(own)
        if drawn:
            bands.append(" ".join([*(f"{p.x},{p.high}" for p in there), *(f"{p.x},{p.low}" for p in reversed(there))]))
    return Stretch(" ".join(f"{point.x},{point.y}" for point in points), tuple(bands))
