"""Intervals for a rate: k successes in n tries.

- ``wilson``: the score interval. Its coverage is near what it promises on average; the interval to show.
- ``clopper_pearson``: the exact interval. Its coverage is never below what it promises, so it is wider; for guarantees.

No tries: nothing is known, the interval is 0…1.
"""

from __future__ import annotations

import math

from karat.stats.intervals.quantiles import beta_quantile, checked_confidence, normal_quantile


def wilson(successes: float, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval. ``successes`` may be a fraction, as the sum of shares is."""
    _check(successes, n)
    if not n:
        return 0.0, 1.0
    rate, z = successes / n, normal_quantile(confidence)
    square = z * z
    centre = (rate + square / (2 * n)) / (1 + square / n)
    half = z / (1 + square / n) * math.sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    # At the ends the bound is 0 or 1 itself; said outright, as the arithmetic may miss it by a rounding.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return low, high


def clopper_pearson(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The exact interval: all rates that a binomial test at this confidence would not reject."""
    _check(successes, n)
    tail = (1 - checked_confidence(confidence)) / 2
    low = beta_quantile(tail, successes, n - successes + 1) if successes else 0.0
    high = beta_quantile(1 - tail, successes + 1, n - successes) if successes < n else 1.0
    return low, high


def _check(successes: float, n: int) -> None:
    if n < 0 or not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n} tries: successes lie between 0 and the tries")
