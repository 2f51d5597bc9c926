"""The interval of a mean, by what kind of number it is the mean of. Chosen by simulation, see docs/compare.md and
``benchmarks/coverage.py``.

- A **share** (0…1): Student's interval of the log-odds of the mean, turned back. It stays within 0…1 and bends as
  shares do near the ends. A mean within 0.15 of an end, with no value at that end: the hull of this interval and Hall's
  (by the unbiased skewness), cut at 0 and 1.
- A **quantity** (seconds, tokens, money): Hall's interval, which is Student's corrected for the skewness of the values.
  The upper end is raised to the bound of a lognormal mean where the values look lognormal, see ``lognormal``.
- **Values that are all equal** show no spread, and an interval of width 0 would claim certainty. For a share it is
  certain only that a value which was not seen in n draws is rare: with q = z²/(n + z²), the mean lies in v(1 - q) … v(1
  - q) + q, which for v = 0 and 1 is Wilson's interval. A quantity has no such bound, and no interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.stats.intervals.lognormal import lognormal_bound
from karat.stats.intervals.quantiles import normal_quantile, student_quantile
from karat.stats.intervals.spread import Spread, sums_by_cluster

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from karat.stats.intervals.spread import Clusters, Counts

    Floats = NDArray[np.float64]

NEAR = 0.15
"""A share this near to 0 or 1 leans so far to one side that the log-odds alone are too sure of it."""
FARTHEST = 10.0
"""How many times as far from the mean as Student's the lognormal bound may be: without this, few values of many
magnitudes have no end."""

Interval = tuple[float, float]


def share_interval(
    values: Sequence[float] | Floats, spread: Spread, confidence: float = 0.95, *, differences: bool = False
) -> Interval:
    """The interval of the mean of values in 0…1. ``differences``: (d + 1)/2 of differences d, which may lean to a side
    anywhere."""
    import numpy as np

    mean = min(max(spread.mean, 0.0), 1.0)
    if not spread.error or mean in (0.0, 1.0):
        return _seen_only_one(mean, spread.clusters, confidence)
    odds = math.log(mean / (1 - mean))
    half = student_quantile(0.5 + confidence / 2, spread.freedom) * spread.error / (mean * (1 - mean))
    low, high = _from_odds(odds - half), _from_odds(odds + half)
    end = round(mean)
    if not differences and (abs(mean - end) >= NEAR or bool((np.asarray(values) == end).any())):
        return low, high
    count = spread.clusters
    unbiased = math.sqrt(count * (count - 1)) / (count - 2) if count > 2 and not differences else 1.0
    lower, upper = _hall(spread, confidence, unbiased)
    return max(0.0, min(low, lower)), min(1.0, max(high, upper))


def quantity_interval(
    values: Sequence[float] | Floats,
    spread: Spread,
    confidence: float = 0.95,
    clusters: Clusters | None = None,
    counts: Counts | None = None,
) -> Interval | None:
    """The interval of the mean of any numbers; None where they show no spread. Numbers that are all negative are
    mirrored. ``counts``: how often each of the values comes, where there are no clusters."""
    if not spread.error:
        return None
    sums, sizes = sums_by_cluster(values, clusters)
    means = sums / sizes
    side = -1.0 if float(means.max()) <= 0 else 1.0
    low, high = _hall(spread, confidence)
    bound = lognormal_bound(side * means, confidence, counts)
    if bound is not None:
        student = student_quantile(0.5 + confidence / 2, spread.freedom) * spread.error
        bound = spread.mean + side * min(bound * abs(spread.mean) - abs(spread.mean), FARTHEST * student)
        low, high = min(low, bound), max(high, bound)
    return min(low, spread.mean), max(high, spread.mean)


def _seen_only_one(value: float, count: int, confidence: float) -> Interval:
    square = normal_quantile(confidence) ** 2
    unseen = square / (count + square)
    return value * (1 - unseen), 1.0 if value == 1 else value * (1 - unseen) + unseen


def _from_odds(odds: float) -> float:
    return 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0


def _hall(spread: Spread, confidence: float, factor: float = 1.0) -> Interval:
    """Hall (1992): the t statistic is made symmetric by T + g/3·T² + g²/27·T³ + g/(6n), which can be turned round
    exactly.

    ``factor``: what the skewness g seen is multiplied by.
    """
    count, skew = spread.clusters, factor * spread.skewness
    edge = student_quantile(0.5 + confidence / 2, spread.freedom) / math.sqrt(count)
    deviation = spread.error * math.sqrt(count)

    def turned(value: float) -> float:
        moved = value - skew / (6 * count)
        return moved if abs(skew) < 1e-6 else (math.cbrt(1 + skew * moved) - 1) / (skew / 3)

    return spread.mean - deviation * turned(edge), spread.mean - deviation * turned(-edge)
