"""The 95 % interval of a mean over cases.

- ``rate`` (0 or 1 a case): Wilson's score interval, which keeps its promise for few cases and for rates near 0 and 1.
- else: percentile bootstrap over cases, 2,000 resamples, with a fixed seed so that the same scores give the same interval;
- from 1,000 cases on: the normal interval, which the bootstrap has then become.
- all values 0, or all 1, in a share: the bootstrap would claim certainty, so Wilson's interval.

A case counts once, whatever number of turns or repeats went into its value: the interval is clustered by case.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from karat.core.result import Estimate
from karat.core.suite import Kind

RESAMPLES = 2_000
MANY = 1_000
Z = 1.959963984540054


def estimate(values: Sequence[float], kind: Kind = "share") -> Estimate:
    """Mean, number of values and interval."""
    n = len(values)
    if not n:
        return Estimate(None, 0, None, None)
    mean = math.fsum(values) / n
    if kind == "rate" or (kind == "share" and mean in (0.0, 1.0)):
        return Estimate(mean, n, *wilson(mean, n))
    return Estimate(mean, n, *_bootstrap(values, mean))


def wilson(rate: float, n: int) -> tuple[float, float]:
    """Wilson's score interval for a rate over n cases."""
    square = Z * Z
    centre = (rate + square / (2 * n)) / (1 + square / n)
    half = Z / (1 + square / n) * math.sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    return (0.0 if rate == 0 else max(0.0, centre - half)), (1.0 if rate == 1 else min(1.0, centre + half))


def _bootstrap(values: Sequence[float], mean: float) -> tuple[float, float]:
    import numpy as np

    n = len(values)
    if n >= MANY:
        half = Z * float(np.std(values, ddof=1)) / math.sqrt(n)
        return mean - half, mean + half
    ordered = np.sort(np.asarray(values, dtype=float))  # the order of the cases must not matter
    picks = np.random.default_rng(20_240_601).integers(0, n, size=(RESAMPLES, n), dtype=np.int32)
    low, high = np.percentile(ordered[picks].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)
