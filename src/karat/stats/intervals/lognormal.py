"""How large the mean of lognormal values may be, from few of them.

Few lognormal values seldom hold one of the large ones that the mean depends on, so an interval from their spread ends
too low. Their logarithms know better. Values count as lognormal when at least five are above 0, none is below, and the
skewness of the logarithms is within 1.645 standard errors. Zeros (a call that cost nothing) are apart: the mean is
their complement's share p times the mean of the others.

With the mean ȳ and the variance v of the k logarithms, the estimate is ln p + ȳ + v/2. The bound adds the root of the
sum of the squares of what each part may be larger by (Zou's way of joining bounds): t √(v/k), v/2 · ((k - 1)/χ² - 1),
and ln(Wilson's upper end / p) where there are zeros. t and χ² are the quantiles that the confidence itself lies on one
side of: the interval's lower end, which is Hall's, misses such means so rarely that the upper one may use up nearly all
of the error.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from karat.stats.intervals.counted import exact_mean
from karat.stats.intervals.quantiles import chi_square_quantile, student_quantile
from karat.stats.intervals.rates import wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Counts = NDArray[np.int64]
    Floats = NDArray[np.float64]

FEWEST = 5
LEANS = 1.645
"""Logarithms whose skewness is further from 0 than this, in standard errors, are not treated as normal."""
LARGEST = 700.0
"""The logarithm of about the largest number there is."""


def lognormal_bound(values: Floats, confidence: float, counts: Counts | None = None) -> float | None:
    """The upper bound of the mean as a multiple of the mean of the values; None for values that do not look
    lognormal. ``counts``: how often each of them comes."""
    import numpy as np

    if float(values.min()) < 0:
        return None
    own = np.ones(len(values), np.int64) if counts is None else counts
    above, every = own[values > 0], int(own.sum())
    logs = np.log(values[values > 0])
    count = int(above.sum())
    if count < FEWEST:
        return None
    middle = float((above * logs).sum()) / count
    centred = logs - middle
    second = float((above * np.square(centred)).sum()) / count
    if second < 1e-18:
        return None
    skewness = float((above * centred**3).sum()) / count / second**1.5 * math.sqrt(count * (count - 1)) / (count - 2)
    error = math.sqrt(6 * count * (count - 1) / ((count - 2) * (count + 1) * (count + 3)))
    if abs(skewness) > LEANS * error:
        return None
    variance = second * count / (count - 1)
    level = max(confidence, 0.5)
    of_mean = student_quantile(level, count - 1) * math.sqrt(variance / count)
    of_variance = variance / 2 * ((count - 1) / chi_square_quantile(1 - level, count - 1) - 1)
    share = count / every
    of_share = math.log(wilson(count, every, confidence)[1] / share)  # 0 without zeros
    estimate = math.log(share) + middle + variance / 2
    most = estimate + math.hypot(of_mean, of_variance, of_share) - math.log(exact_mean(values, counts))
    return math.exp(min(most, LARGEST))
