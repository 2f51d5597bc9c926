"""The 95 % interval of a mean over cases.

- ``rate`` (0 or 1 a case): Wilson's score interval, which keeps its promise for few cases and for rates near 0 and 1.
- else: bootstrap over cases, see ``bootstrap``; from 1,000 cases on Student's interval, which the bootstrap has then become.
- all values 0, or all 1, in a share: the bootstrap would claim certainty, so Wilson's interval.
- one value, not 0 or 1: no spread is seen, and the interval is that value.

A case counts once, whatever number of turns or repeats went into its value: the interval is clustered by case. Values that are
not yet one a case, and those of cases that are variants of each other, are given with their clusters. Shares and rates stay in 0…1,
and so do the ends of their intervals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from karat.core.result import Estimate
from karat.core.suite import Kind
from karat.stats import rates
from karat.stats.bootstrap import mean_interval


def estimate(values: Sequence[float], kind: Kind = "share", clusters: Sequence[str] | None = None) -> Estimate:
    """Mean, number of values and interval; with the cluster of each value, see ``estimate_clustered``."""
    n = len(values)
    if not n:
        return Estimate(None, 0, None, None)
    if clusters is not None:
        return estimate_clustered(values, clusters, kind)
    mean = math.fsum(values) / n
    if kind == "rate" or (kind == "share" and mean in (0.0, 1.0)):
        return Estimate(mean, n, *wilson(mean, n))
    return _bootstrapped(values, None, mean, kind)


def estimate_clustered(values: Sequence[float], clusters: Sequence[str], kind: Kind = "share") -> Estimate:
    """As ``estimate``, over values of which several share a cluster: turns or repeats of a case, variants of a task.

    The mean is over values, the interval over clusters. One cluster of several values has a mean and no interval.
    """
    groups = len(set(clusters))
    if groups == len(values):
        return estimate(values, kind)
    mean = math.fsum(values) / len(values)
    if kind != "quantity" and mean in (0.0, 1.0):
        return Estimate(mean, len(values), *wilson(mean, groups))
    if groups == 1:
        return Estimate(mean, len(values), None, None)
    return _bootstrapped(values, clusters, mean, kind)


def wilson(rate: float, n: int) -> tuple[float, float]:
    """Wilson's score interval for a rate over n cases."""
    return rates.wilson(rate * n, n)


def _bootstrapped(values: Sequence[float], clusters: Sequence[str] | None, mean: float, kind: Kind) -> Estimate:
    spread = mean_interval(values, clusters)
    if spread is None:
        return Estimate(mean, len(values), mean, mean)
    low, high = spread.low, spread.high
    if kind != "quantity":  # Student's interval, for many, knows no ends
        low, high = max(low, 0.0), min(high, 1.0)
    return Estimate(mean, len(values), min(low, mean), max(high, mean))
