"""The mean of some values and what is known of its error.

- Values that share a cluster (the turns or repeats of a case, variants of a task) belong together: the mean is over
  values, and only its uncertainty is by cluster.
- The standard error is the jackknife's: how much the mean moves when one cluster is left out. With every value its own
  cluster that is the usual s/√n.
- Clusters of different sizes count as fewer: the degrees of freedom are (Σ size)² / Σ size² - 1, which is n - 1 for
  equal ones.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.stats.intervals.counted import counted, exact_sum

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Clusters = Sequence[Hashable] | NDArray[np.int64]
    Counts = NDArray[np.int64]

ROUNDING = 1e-12
"""A spread below this share of the values is rounding."""


class Spread(msgspec.Struct, frozen=True):
    """A mean, its standard error, over how many independent clusters, and how far these lean to one side."""

    mean: float
    error: float
    clusters: int
    freedom: float
    skewness: float


def numbered(clusters: Clusters) -> NDArray[np.int64]:
    """The clusters as numbers from 0, in the order in which they come."""
    import numpy as np

    if not isinstance(clusters, np.ndarray) or clusters.dtype.kind not in "iu":
        places: dict[Hashable, int] = {}
        return np.fromiter((places.setdefault(name, len(places)) for name in clusters), np.int64, len(clusters))
    if not len(clusters):
        return clusters
    first = np.full(int(clusters.max()) + 1, -1, dtype=np.int64)
    first[clusters[::-1]] = np.arange(len(clusters))[::-1]  # where a number is assigned twice, the last stays
    there = np.flatnonzero(first >= 0)
    order = np.empty(len(first), dtype=np.int64)
    order[there[np.argsort(first[there])]] = np.arange(len(there))
    found: NDArray[np.int64] = order[clusters]
    return found


def sums_by_cluster(values: Sequence[float] | Floats, clusters: Clusters | None) -> tuple[Floats, Floats]:
    """The sum and the number of values in each cluster. Without clusters every value is its own."""
    import numpy as np

    numbers = np.asarray(values, dtype=np.float64)
    if clusters is None:
        return numbers, np.ones(len(numbers))
    if len(clusters) != len(numbers):
        raise ValueError(f"every value needs a cluster: {len(numbers)} values, {len(clusters)} clusters")
    index = numbered(clusters)
    sums = np.bincount(index, numbers).astype(np.float64)
    return sums, np.bincount(index).astype(np.float64)


def spread_of(
    values: Sequence[float] | Floats, clusters: Clusters | None = None, counts: Counts | None = None
) -> Spread:
    """The spread of at least one value. One cluster, or values that are all equal, have an error of 0. ``counts``: how
    often each value comes, where there are no clusters."""
    import numpy as np

    # Sorted, as the order of the cases must not matter, not even in the last digit.
    numbers = np.asarray(values, dtype=np.float64)
    scale = float(np.abs(numbers).max())
    if clusters is None:
        sums, weights = counted(numbers, counts)
        sizes = None
    else:
        sums, sizes = sums_by_cluster(numbers, clusters)
        order = np.lexsort((sizes, sums))
        sums, sizes = sums[order], sizes[order]
        weights = np.ones(len(sums), np.int64)
    count = int(weights.sum())
    total, squares = (float(count),) * 2 if sizes is None else (float(sizes.sum()), float(np.square(sizes).sum()))
    mean = exact_sum(sums, weights if sizes is None else None) / total
    if count < 2:
        return Spread(mean, 0.0, count, 0.0, 0.0)
    # The mean with one cluster left out, and how far that is from the mean.
    moves = mean - (mean * total - sums) / (total - (1.0 if sizes is None else sizes))
    largest = float(np.abs(moves).max())
    if largest <= ROUNDING * scale:
        return Spread(mean, 0.0, count, count - 1.0, 0.0)
    moves /= largest  # powers of 1e-109 or 1e200 would leave what a float holds
    error = largest * math.sqrt((count - 1) / count * float((weights * np.square(moves)).sum()))
    moves -= float((weights * moves).sum()) / count
    powers = weights * np.square(moves)
    second = float(powers.sum()) / count
    skewness = float((powers * moves).sum()) / count / second**1.5 if second > 0 else 0.0
    freedom = max(1.0, min(count - 1.0, total * total / squares - 1))
    return Spread(mean, error, count, freedom, skewness)
