"""The difference between two runs of the same cases: b - a, its interval, its p-value, its size.

The mean is over pairs. Pairs of one cluster are drawn and swapped together (see ``bootstrap`` and ``sign_flips``); who wants a
case with many turns to count once averages first, as ``comparing`` does.

The interval:
- all values 0 or 1, every pair its own cluster: Agresti and Min's interval, the plain one after half a pair was added to each of
  the four cells of the table. It keeps its promise where few verdicts changed, and where none did;
- no share (a value in 0…1) changed at all: the same, as "nothing changed in n cases" is not certainty;
- else: the bootstrap. Differences that are all equal have no spread there, and the interval is that one point.
- One pair that is not pass/fail: no interval, no effect size, p = 1.

Interval and p-value are two methods. Near the edge one may say yes where the other says no; verdicts go by p.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.stats.bootstrap import Spread, mean_interval, sums_by_cluster
from karat.stats.effect import cohen_d_z, detectable_difference
from karat.stats.quantiles import normal_quantile
from karat.stats.seeds import SEED
from karat.stats.sign_flips import sign_flip_p

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Difference(msgspec.Struct, frozen=True, gc=False):
    """b - a over n pairs. None is what the pairs cannot tell, see the module."""

    n: int
    mean_a: float
    mean_b: float
    mean: float
    low: float | None
    high: float | None
    p: float
    effect: float | None
    """Cohen's d_z: mean / standard deviation of the differences, over clusters. None when they have no spread."""
    detectable: float | None
    """The least true difference that so many pairs show with 80 % power."""
    clusters: int = 0
    """How many independent ones the n pairs are; n, unless several cases are variants of one."""


def paired_difference(
    a: Sequence[float] | Floats,
    b: Sequence[float] | Floats,
    clusters: Sequence[str] | None = None,
    *,
    confidence: float = 0.95,
    seed: int = SEED,
) -> Difference:
    """b - a, pair by pair. At least one pair; every value a finite number."""
    import numpy as np

    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if len(first) != len(second) or not len(first):
        raise ValueError(f"a difference needs pairs: {len(first)} and {len(second)} values were given")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("a difference needs finite numbers")
    n = len(first)
    gaps = second - first
    gaps[np.abs(gaps) <= 1e-12 * np.maximum(np.abs(first), np.abs(second))] = 0.0  # equal but for the last digits
    if clusters is not None and len(set(clusters)) == n:
        clusters = None
    sums, sizes = sums_by_cluster(gaps, clusters)
    mean = float(gaps.mean())
    spread = _spread(first, second, gaps, clusters, confidence, seed)
    return Difference(
        n,
        float(first.mean()),
        float(second.mean()),
        mean,
        None if spread is None else min(spread.low, mean),
        None if spread is None else max(spread.high, mean),
        sign_flip_p(sums, seed=seed),
        cohen_d_z(sums / sizes),
        None if spread is None else detectable_difference(spread.error, spread.clusters, confidence),
        len(sums),
    )


def _spread(
    a: Floats, b: Floats, gaps: Floats, clusters: Sequence[str] | None, confidence: float, seed: int
) -> Spread | None:
    import numpy as np

    verdicts = bool(np.isin(a, (0.0, 1.0)).all() and np.isin(b, (0.0, 1.0)).all())
    unchanged = bool(not gaps.any() and a.min() >= 0 and a.max() <= 1)
    if unchanged or (verdicts and clusters is None):
        count = len(gaps) if clusters is None else len(set(clusters))
        return _verdicts_interval(int((gaps > 0).sum()), int((gaps < 0).sum()), count, confidence)
    spread = mean_interval(gaps, clusters, confidence=confidence, seed=seed)
    if spread is not None and spread.error <= 1e-12 * float(np.abs(gaps).max()):
        mean = float(gaps.mean())  # all equal: what is left of a spread is rounding
        return Spread(mean, mean, 0.0, spread.clusters)
    return spread


def _verdicts_interval(gained: int, lost: int, n: int, confidence: float) -> Spread:
    """Agresti and Min (2005): n + 2 pairs, with half a pair more gained and half a pair more lost."""
    total = n + 2
    centre = (gained - lost) / total
    error = math.sqrt(((gained + lost + 1) / total - centre * centre) / total)
    half = normal_quantile(confidence) * error
    return Spread(max(-1.0, centre - half), min(1.0, centre + half), error, n)
