"""The interval of a mean, by resampling whole cases.

- Values that share a cluster (the turns or repeats of a case, variants of a task) are drawn together. The mean is over the values;
  only its uncertainty is by cluster.
- Percentile bootstrap, 2,000 resamples, seeded: the same values give the same interval, in whatever order they come.
- The percentiles are a little wider than 2.5 and 97.5. A bootstrap of n values is too narrow by the factor sqrt((n-1)/n), and
  takes no account that the spread itself is estimated. The levels are those at which a normal bootstrap would give Student's interval
  (Hesterberg's expanded percentiles). In simulations with 8 to 12 cases 91 to 97 % of these hold the truth, of the plain ones 86 to 95 %.
- From 1,000 clusters on: Student's interval from the clustered standard error, which the bootstrap has then become.
- One cluster: there is no spread to see, and no interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.stats.quantiles import NORMAL, student_quantile
from karat.stats.seeds import SEED, generator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RESAMPLES = 2_000
MANY = 1_000


class Spread(msgspec.Struct, frozen=True):
    """An interval of a mean, the standard error of that mean, and over how many independent clusters."""

    low: float
    high: float
    error: float
    clusters: int


def sums_by_cluster(values: Sequence[float] | Floats, clusters: Sequence[str] | None) -> tuple[Floats, Floats]:
    """The sum and the number of values in each cluster. Without clusters every value is its own."""
    import numpy as np

    numbers = np.asarray(values, dtype=np.float64)
    if clusters is None:
        return numbers, np.ones(len(numbers))
    if len(clusters) != len(numbers):
        raise ValueError(f"every value needs a cluster: {len(numbers)} values, {len(clusters)} clusters")
    places: dict[str, int] = {}
    index = np.fromiter((places.setdefault(name, len(places)) for name in clusters), np.int64, len(clusters))
    sums = np.bincount(index, numbers, len(places)).astype(np.float64)
    return sums, np.bincount(index, minlength=len(places)).astype(np.float64)


def mean_interval(
    values: Sequence[float] | Floats,
    clusters: Sequence[str] | None = None,
    *,
    confidence: float = 0.95,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> Spread | None:
    """The interval of the mean of the values; None for fewer than two clusters."""
    import numpy as np

    sums, sizes = sums_by_cluster(values, clusters)
    count = len(sums)
    if count < 2:
        return None
    order = np.lexsort((sizes, sums))  # the order of the cases must not matter
    sums, sizes = sums[order], sizes[order]
    mean = float(sums.sum() / sizes.sum())
    error = math.sqrt(count / (count - 1) * float(np.square(sums - sizes * mean).sum())) / float(sizes.sum())
    quantile = student_quantile(0.5 + confidence / 2, count - 1)
    if count >= MANY or error == 0:
        return Spread(mean - quantile * error, mean + quantile * error, error, count)
    picks = generator(seed, sums, sizes).integers(0, count, size=(resamples, count), dtype=np.int32)
    totals = sums[picks].sum(axis=1)
    means = totals / count if clusters is None else totals / sizes[picks].sum(axis=1)
    tail = NORMAL.cdf(-math.sqrt(count / (count - 1)) * quantile)
    low, high = np.quantile(means, [tail, 1 - tail])
    return Spread(float(low), float(high), error, count)
