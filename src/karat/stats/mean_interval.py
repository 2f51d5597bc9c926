"""The interval of a mean, by what kind of number it is the mean of. Chosen by simulation, see docs/compare.md.

- A **share** (0…1): Student's interval of the log-odds of the mean, turned back. It stays within 0…1 and bends as shares do near the ends.
- A **quantity** (seconds, tokens, money): Hall's interval, which is Student's corrected for the skewness of the values. Positive values whose
  logarithms do not lean to one side are taken for lognormal, where Cox's interval is the better one for few values.
- **Values that are all equal** show no spread, and an interval of width 0 would claim certainty. For a share it is certain only that a value
  which was not seen in n draws is rare: with q = z²/(n + z²), the mean lies in v(1 - q) … v(1 - q) + q, which for v = 0 and 1 is
  Wilson's interval. A quantity has no such bound, and no interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.stats.quantiles import normal_quantile, student_quantile
from karat.stats.spread import Spread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEANS = 1.645
"""Logarithms whose skewness is further from 0 than this, in standard errors, are not treated as normal."""

Interval = tuple[float, float]


def share_interval(spread: Spread, confidence: float = 0.95) -> Interval:
    """The interval of the mean of values in 0…1."""
    mean = min(max(spread.mean, 0.0), 1.0)
    if not spread.error or mean in (0.0, 1.0):
        return _seen_only_one(mean, spread.clusters, confidence)
    odds = math.log(mean / (1 - mean))
    half = student_quantile(0.5 + confidence / 2, spread.freedom) * spread.error / (mean * (1 - mean))
    return _from_odds(odds - half), _from_odds(odds + half)


def quantity_interval(
    values: Sequence[float] | Floats, spread: Spread, confidence: float = 0.95, *, clustered: bool = False
) -> Interval | None:
    """The interval of the mean of any numbers; None where they show no spread."""
    if not spread.error:
        return None
    found = None if clustered else _lognormal(values, confidence)
    low, high = found or _hall(spread, confidence)
    return min(low, spread.mean), max(high, spread.mean)


def _seen_only_one(value: float, count: int, confidence: float) -> Interval:
    square = normal_quantile(confidence) ** 2
    unseen = square / (count + square)
    return value * (1 - unseen), 1.0 if value == 1 else value * (1 - unseen) + unseen


def _from_odds(odds: float) -> float:
    return 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0


def _hall(spread: Spread, confidence: float) -> Interval:
    """Hall (1992): the t statistic is made symmetric by T + g/3·T² + g²/27·T³ + g/(6n), which can be turned round exactly."""
    count, skew = spread.clusters, spread.skewness
    edge = student_quantile(0.5 + confidence / 2, spread.freedom) / math.sqrt(count)
    deviation = spread.error * math.sqrt(count)

    def turned(value: float) -> float:
        moved = value - skew / (6 * count)
        return moved if abs(skew) < 1e-6 else (math.cbrt(1 + skew * moved) - 1) / (skew / 3)

    return spread.mean - deviation * turned(edge), spread.mean - deviation * turned(-edge)


def _lognormal(values: Sequence[float] | Floats, confidence: float) -> Interval | None:
    """Cox's interval with Student's quantile; None for values that do not look lognormal."""
    import numpy as np

    numbers = np.asarray(values, dtype=np.float64)
    count = len(numbers)
    if count < 3 or float(numbers.min()) <= 0:
        return None
    logs = np.log(numbers)
    centred = logs - logs.mean()
    variance = float(np.square(centred).sum()) / (count - 1)
    second = float(np.square(centred).mean())
    if second < 1e-18:
        return None
    skewness = float((centred**3).mean()) / second**1.5 * math.sqrt(count * (count - 1)) / (count - 2)
    error = math.sqrt(6 * count * (count - 1) / ((count - 2) * (count + 1) * (count + 3)))
    if abs(skewness) > LEANS * error:
        return None
    half = student_quantile(0.5 + confidence / 2, count - 1) * math.sqrt(
        variance / count + variance**2 / (2 * (count - 1))
    )
    centre = float(logs.mean()) + variance / 2
    return math.exp(centre - half), math.exp(min(centre + half, 700.0))
