"""The difference between two runs of the same cases: b - a, its interval, its p-value, its size.

The mean is over pairs. Pairs of one cluster are drawn and swapped together (see ``sign_flips``). To
count a case with many turns once, average its turns first, as ``compare.runs`` does.

The interval, by the kind of the metric:
- a rate or share of which no value changed, and a rate (0 or 1) whose pairs are each their own cluster: Agresti and
  Min's interval, the plain one after half a pair was added to each of the four cells of the table. It keeps its promise
  where few verdicts changed, and where none did;
- other rates and shares: the interval of a share (``intervals.mean``) of (difference + 1)/2, which lies in 0…1, always
  widened to Hall's: differences lean to a side anywhere;
- a quantity: that of a quantity (``intervals.mean``). Differences that are all equal, a cost that did not change at
  all, show no spread: there is no interval, and no claim of certainty. One pair of a quantity has none either.

Interval and p-value are two methods. Near the edge one may say yes where the other says no; verdicts go by p.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.core.metric import Kind
from karat.stats.compare.effect import cohen_d_z
from karat.stats.compare.power import detectable_difference
from karat.stats.compare.significance.sign_flips import sign_flip_p
from karat.stats.intervals.counted import counted, exact_mean
from karat.stats.intervals.mean import Interval, quantity_interval, share_interval
from karat.stats.intervals.quantiles import normal_quantile
from karat.stats.intervals.seeds import SEED
from karat.stats.intervals.spread import numbered, spread_of, sums_by_cluster

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from karat.stats.intervals.spread import Clusters

    Counts = NDArray[np.int64]
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
    """The smallest true difference that this many pairs show with 80 % power, see ``power``; None unless requested."""
    clusters: int = 0
    """How many independent ones the n pairs are; n, unless several cases are variants of one."""


def paired_difference(
    a: Sequence[float] | Floats,
    b: Sequence[float] | Floats,
    clusters: Clusters | None = None,
    *,
    counts: Counts | None = None,
    kind: Kind = "share",
    confidence: float = 0.95,
    tests: int = 0,
    seed: int = SEED,
) -> Difference:
    """b - a, pair by pair. At least one pair; every value a finite number.

    ``counts``: how often each pair of values comes, where there are no clusters.
    ``tests``: over how many metrics the p-value is adjusted, for the detectable difference; 0 leaves that out.
    """
    import numpy as np

    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if len(first) != len(second) or not len(first):
        raise ValueError(f"a difference needs pairs: {len(first)} and {len(second)} values were given")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("a difference needs finite numbers")
    gaps = _gaps(first, second)
    if clusters is not None and len(clusters) == len(first):
        clusters = numbered(clusters)
        if int(clusters.max()) + 1 == len(first):
            clusters = None
    mean_a, mean_b = exact_mean(first, counts), exact_mean(second, counts)
    bounded = kind != "quantity" and bool(min(first.min(), second.min()) >= 0 and max(first.max(), second.max()) <= 1)
    verdicts = bounded and clusters is None and _all_verdicts(first) and _all_verdicts(second)
    n = len(gaps) if counts is None else int(counts.sum())
    if clusters is None:  # from here on equal gaps are one
        gaps, counts = counted(gaps, counts)
        sums, means, weight, independent = gaps, gaps, 1.0, n
    else:
        sums, sizes = sums_by_cluster(gaps, clusters)
        means, weight, independent = sums / sizes, len(sums) / float(sizes.sum()), len(sums)
    mean = exact_mean(gaps, counts)
    interval = difference_interval(gaps, clusters, counts, bounded=bounded, verdicts=verdicts, confidence=confidence)
    detectable = None
    if tests:
        alpha = (1 - confidence) / tests
        detectable = detectable_difference(sums * weight, counts, bounded=bounded, alpha=alpha)
    return Difference(
        n,
        mean_a,
        mean_b,
        mean,
        None if interval is None else min(interval[0], mean),
        None if interval is None else max(interval[1], mean),
        sign_flip_p(sums, counts, seed=seed),
        cohen_d_z(means, counts),
        detectable,
        independent,
    )


def _gaps(first: Floats, second: Floats) -> Floats:
    """b - a; 0, and without a sign, where both are equal but for the last digits."""
    import numpy as np

    gaps: Floats = second - first
    moved = np.flatnonzero(gaps)
    largest = np.maximum(np.abs(first[moved]), np.abs(second[moved]))
    gaps[moved[np.abs(gaps[moved]) <= 1e-12 * largest]] = 0.0
    gaps += 0.0
    return gaps


def _all_verdicts(values: Floats) -> bool:
    """Whether all are 0 or 1."""
    return bool(((values == 0) | (values == 1)).all())


def difference_interval(
    gaps: Floats,
    clusters: Clusters | None = None,
    counts: Counts | None = None,
    *,
    bounded: bool,
    verdicts: bool,
    confidence: float = 0.95,
) -> Interval | None:
    """The interval of the mean of the gaps, see the module. ``bounded``: a and b are shares or rates. ``verdicts``: all
    of them are 0 or 1, and every pair is its own cluster."""
    if not bounded:
        return quantity_interval(gaps, spread_of(gaps, clusters, counts), confidence, clusters, counts)
    if not gaps.any() or verdicts:
        count = (
            int(numbered(clusters).max()) + 1
            if clusters is not None
            else len(gaps)
            if counts is None
            else int(counts.sum())
        )
        return _verdicts_interval(_number(gaps > 0, counts), _number(gaps < 0, counts), count, confidence)
    shares = (gaps + 1) / 2
    low, high = share_interval(shares, spread_of(shares, clusters, counts), confidence, differences=True)
    return 2 * low - 1, 2 * high - 1


def _number(which: NDArray[np.bool_], counts: Counts | None) -> int:
    """How many pairs these are."""
    return int(which.sum() if counts is None else counts[which].sum())


def _verdicts_interval(gained: int, lost: int, n: int, confidence: float) -> Interval:
    """Agresti and Min (2005): n + 2 pairs, with half a pair more gained and half a pair more lost."""
    total = n + 2
    centre = (gained - lost) / total
    error = math.sqrt(((gained + lost + 1) / total - centre * centre) / total)
    half = normal_quantile(confidence) * error
    return max(-1.0, centre - half), min(1.0, centre + half)
