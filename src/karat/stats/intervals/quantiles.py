"""Quantiles and tails of the normal, Student's, the chi-square, the beta and the binomial distribution.

Plain Python: an interval must not cost an install of scipy. The tests hold every function to scipy's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

NORMAL = NormalDist()


def normal_quantile(confidence: float) -> float:
    """The z that a standard normal value stays within, on both sides, with this confidence: 1.96 for 0.95."""
    return NORMAL.inv_cdf(0.5 + checked_confidence(confidence) / 2)


def checked_confidence(confidence: float) -> float:
    """The confidence itself; ValueError when it is not valid."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    return confidence


@lru_cache(maxsize=4_096)
def student_quantile(share: float, freedom: float) -> float:
    """The value that a share of Student's distribution lies below: 2.262 for 0.975 with 9 degrees of freedom."""
    if share < 0.5:
        return -student_quantile(1 - share, freedom)
    normal = NORMAL.inv_cdf(share)
    if freedom > 1e7:
        return normal
    low, high, value = 0.0, math.inf, normal
    scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - 0.5 * math.log(freedom * math.pi)
    for _ in range(200):  # Newton's steps, kept between the values known to be too small and too large
        square = value * value
        below = 1 - beta_share(freedom / (freedom + square), freedom / 2, 0.5) / 2
        low, high = (value, high) if below < share else (low, value)
        step = (share - below) / math.exp(scale - (freedom + 1) / 2 * math.log1p(square / freedom))
        moved = value + step
        if not low <= moved <= high:
            moved = (low + high) / 2 if high < math.inf else 2 * value + 1
        if abs(moved - value) <= 1e-14 * abs(moved):
            break
        value = moved
    return value


@lru_cache(maxsize=4_096)
def chi_square_quantile(share: float, freedom: float) -> float:
    """The value that a share of the chi-square distribution lies below: 3.325 for 0.05 with 9 degrees of freedom. For
    shares up to a half."""
    if not 0 < share <= 0.5:
        raise ValueError(f"a lower quantile is of a share between 0 and 0.5, this is {share}")
    if freedom > 1_000:  # Wilson and Hilferty's, right to six digits here
        spread = 2 / (9 * freedom)
        return freedom * (1 - spread + NORMAL.inv_cdf(share) * math.sqrt(spread)) ** 3
    return freedom * _solved(lambda x: gamma_share(freedom * x / 2, freedom / 2), share)  # the median is below the mean


def gamma_share(x: float, a: float) -> float:
    """The share of the gamma distribution below x, for x up to about a: the regularised incomplete gamma function as a
    series."""
    if x <= 0:
        return 0.0
    term = total = 1.0
    part = a
    while term > 1e-17 * total:
        part += 1
        term *= x / part
        total += term
    return total * math.exp(a * math.log(x) - x - math.lgamma(a + 1))


def beta_quantile(share: float, a: float, b: float) -> float:
    """The x below which a share of the beta distribution lies."""
    return _solved(lambda x: beta_share(x, a, b), share)


def binomial_tail(heads: int, throws: int) -> float:
    """The chance of at most this many heads from a fair coin."""
    if heads >= throws:
        return 1.0
    if throws <= 64:  # whole numbers as long as they are small
        return float(sum(math.comb(throws, k) for k in range(heads + 1)) / 2**throws)
    return beta_share(0.5, throws - heads, heads + 1)


def beta_share(x: float, a: float, b: float) -> float:
    """The share of the beta distribution below x: the regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):  # where the fraction converges quickly
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, evaluated from the front."""
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 100_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + term * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + term / c
            c = c if abs(c) > tiny else tiny
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def _solved(rising: Callable[[float], float], wanted: float) -> float:
    """The x in 0…1 at which a rising function reaches a value, to the last digit."""
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if rising(middle) < wanted else (low, middle)
    return middle
