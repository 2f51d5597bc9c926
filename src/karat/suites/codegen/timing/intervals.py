"""The median of paired ratios with its interval by order statistics.

Of n pairs in order, the k-th to the k-th last contain the median with a probability of 1 − 2 × P(fewer than k of n
coins show heads), whatever the noise is like. k is the largest for which that is at least 95 %.

By hand: 9 pairs, k = 2: 1 − 2 × (1 + 9) / 512 = 0.961, so the 2nd to the 8th. With fewer than 6 pairs not even the
smallest and the largest reach 95 %: they are the interval, and ``confidence`` says what it is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from statistics import median

import msgspec

WANTED = 0.95
WIDEST = 0.15
"""An interval that reaches further from its median, as a share of it, is too wide to say much."""


class Interval(msgspec.Struct, frozen=True):
    """A median and between which values it lies."""

    middle: float
    low: float
    high: float
    confidence: float

    @property
    def wide(self) -> bool:
        return self.high > (1 + WIDEST) * self.middle or self.low < (1 - WIDEST) * self.middle

    def contains(self, value: float) -> bool:
        return self.low <= value <= self.high


def interval_of(values: Sequence[float]) -> Interval:
    """The interval of the median; there must be at least one value."""
    ordered, count = sorted(values), len(values)
    place = max((k for k in range(1, count // 2 + 1) if _confidence(k, count) >= WANTED), default=1)
    return Interval(median(ordered), ordered[place - 1], ordered[count - place], max(0.0, _confidence(place, count)))


def _confidence(place: int, count: int) -> float:
    return float(1 - 2 * sum(comb(count, heads) for heads in range(place)) / 2**count)
