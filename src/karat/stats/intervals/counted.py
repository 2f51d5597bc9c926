"""Values that come several times, each once with its number: a metric of 200,000 cases has a handful of values, and a
sum over those is as good as one over all cases.

Sums are exact, so that it does not matter in which order values come, or whether equal ones were counted together.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Counts = NDArray[np.int64]

HALF = 26
"""A number of this many bits times another one is exact."""
UPPER = ~((1 << (52 - HALF + 1)) - 1)
"""The bits of a float that its upper half keeps: sign, exponent and the first of its digits."""


def counted(values: Floats, counts: Counts | None = None) -> tuple[Floats, Counts]:
    """(the different values from the least on, how often each comes). ``counts``: how often each given value comes."""
    import numpy as np

    if counts is None:
        return np.unique(values, return_counts=True)
    if bool((values[1:] > values[:-1]).all()):
        return values, counts
    distinct, places = np.unique(values, return_inverse=True)
    found = np.zeros(len(distinct), np.int64)
    np.add.at(found, places, counts)
    return distinct, found


def exact_sum(values: Floats, counts: Counts | None = None) -> float:
    """The sum of the values, each as often as it comes, rounded once."""
    import numpy as np

    if counts is None or int(counts.max(initial=0)) == 1:
        return math.fsum(np.ascontiguousarray(values).data)  # the buffer itself: a list would take twice the time
    upper = (np.ascontiguousarray(values).view(np.int64) & UPPER).view(np.float64)
    low = counts & ((1 << HALF) - 1)
    parts = [part * half for part in (low, counts - low) if part.any() for half in (upper, values - upper)]
    return math.fsum(np.concatenate([np.zeros(1), *parts]).data)


def exact_mean(values: Floats, counts: Counts | None = None) -> float:
    """The mean of at least one value."""
    return exact_sum(values, counts) / (len(values) if counts is None else int(counts.sum()))
