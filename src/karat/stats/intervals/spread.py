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

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Clusters = Sequence[Hashable] | NDArray[np.int64]

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


def spread_of(values: Sequence[float] | Floats, clusters: Clusters | None = None) -> Spread:
    """The spread of at least one value. One cluster, or values that are all equal, have an error of 0."""
    import numpy as np

    # Sorted, as the order of the cases must not matter, not even in the last digit.
    if clusters is None:
        sums, sizes = np.sort(np.asarray(values, dtype=np.float64)), None
        scale = max(abs(float(sums[0])), abs(float(sums[-1])))
    else:
        sums, sizes = sums_by_cluster(values, clusters)
        order = np.lexsort((sizes, sums))
        sums, sizes = sums[order], sizes[order]
        scale = float(np.abs(np.asarray(values, dtype=np.float64)).max())
    count = len(sums)
    total, squares = (float(count),) * 2 if sizes is None else (float(sizes.sum()), float(np.square(sizes).sum()))
    mean = math.fsum(sums.data) / total  # the buffer itself: a list of numbers would take twice the time
    if count < 2:
        return Spread(mean, 0.0, count, 0.0, 0.0)
    moves = mean * total - sums  # all in two arrays: fresh ones would cost as much as the arithmetic
    moves /= total - (1.0 if sizes is None else sizes)  # the mean with one cluster left out
    np.subtract(mean, moves, out=moves)
    powers = np.abs(moves, out=sums)
    largest = float(powers.max())
    if largest <= ROUNDING * scale:
        return Spread(mean, 0.0, count, count - 1.0, 0.0)
    moves /= largest  # powers of 1e-109 or 1e200 would leave what a float holds
    error = largest * math.sqrt((count - 1) / count * float(np.square(moves, out=powers).sum()))
    moves -= moves.mean()
    second = float(np.square(moves, out=powers).mean())
    powers *= moves
    skewness = float(powers.mean()) / second**1.5 if second > 0 else 0.0
    freedom = max(1.0, min(count - 1.0, total * total / squares - 1))
    return Spread(mean, error, count, freedom, skewness)
