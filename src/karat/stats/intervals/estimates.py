"""The 95 % interval of a mean over cases.

- ``rate`` (0 or 1 a case): Wilson's score interval, which keeps its promise for few cases and for rates near 0 and 1.
- ``share`` and ``quantity``: see ``intervals.mean``.
- A quantity of one case, or of cases that all have the same value, has a mean and no interval: there is no spread to
  see.

A case counts once, whatever number of turns or repeats went into its value: the interval is clustered by case. Values
that are not yet one a case, and those of cases that are variants of each other, are given with their clusters. Shares
and rates stay in 0…1, and so do the ends of their intervals. A quantity none of whose values is below 0 (seconds,
tokens, cost) has no end below 0 either.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

from karat.core.metric import Kind
from karat.core.results.result import Estimate
from karat.stats.intervals import rates
from karat.stats.intervals.mean import quantity_interval, share_interval
from karat.stats.intervals.spread import spread_of


def estimate(values: Sequence[float], kind: Kind = "share", clusters: Sequence[Hashable] | None = None) -> Estimate:
    """Mean, number of values and 95 % interval. With ``clusters`` (the cluster of each value), the mean is over values
    and the interval over clusters.

    >>> from karat import stats
    >>> found = stats.estimate([1.0, 0.0, 1.0, 1.0], "rate")
    >>> found.mean, round(found.low, 2), round(found.high, 2)
    (0.75, 0.3, 0.95)
    """
    n = len(values)
    if not n:
        return Estimate(None, 0, None, None)
    if clusters is not None and len(set(clusters)) == n:
        clusters = None
    mean = math.fsum(values) / n
    if kind == "rate" and clusters is None:
        return Estimate(mean, n, *wilson(mean, n))
    spread = spread_of(values, clusters)
    if kind == "quantity":
        found = quantity_interval(values, spread, clusters=clusters)
        if found is None:
            return Estimate(mean, n, None, None)
        low, high = found
        return Estimate(mean, n, max(low, 0.0) if min(values) >= 0 else low, high)
    low, high = share_interval(values, spread)
    return Estimate(mean, n, min(low, mean), max(high, mean))


def wilson(rate: float, n: int) -> tuple[float, float]:
    """Wilson's score interval for a rate over n cases."""
    return rates.wilson(rate * n, n)
