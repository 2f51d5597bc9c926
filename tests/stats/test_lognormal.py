"""The bound of a lognormal mean: by hand, and what is not lognormal."""

from __future__ import annotations

import math

import numpy as np
import pytest

from karat.stats.intervals.lognormal import lognormal_bound
from karat.stats.intervals.rates import wilson

SPREAD = np.exp(np.array([-1.0, -0.5, 0.0, 0.5, 1.0]))
"""Logarithms with mean 0 and variance 0.625."""


def test_by_hand() -> None:
    """5 values: t(0.95; 4) = 2.1318, χ²(0.05; 4) = 0.7107."""
    of_mean, of_variance = 2.1318 * math.sqrt(0.625 / 5), 0.3125 * (4 / 0.7107 - 1)
    wanted = math.exp(0.3125 + math.hypot(of_mean, of_variance)) / SPREAD.mean()
    assert lognormal_bound(SPREAD, 0.95) == pytest.approx(wanted, rel=1e-3)


def test_zeros_are_a_share_apart() -> None:
    values = np.concatenate([SPREAD, np.zeros(3)])
    parts = 2.1318 * math.sqrt(0.625 / 5), 0.3125 * (4 / 0.7107 - 1), math.log(wilson(5, 8)[1] / (5 / 8))
    wanted = 5 / 8 * math.exp(0.3125 + math.hypot(*parts)) / values.mean()
    assert lognormal_bound(values, 0.95) == pytest.approx(wanted, rel=1e-3)


@pytest.mark.parametrize("values", [
    [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0, -0.1], [2.0] * 9, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 90.0], [0.0] * 6,
], ids=["four", "one below 0", "equal", "logarithms that lean", "zeros"])  # fmt: skip
def test_what_is_not_taken_for_lognormal(values: list[float]) -> None:
    assert lognormal_bound(np.array(values), 0.95) is None


def test_less_confidence_is_a_lower_bound() -> None:
    bounds = [lognormal_bound(SPREAD, confidence) or 0.0 for confidence in (0.999, 0.95, 0.9, 0.5, 0.2, 0.01)]
    assert bounds == sorted(bounds, reverse=True)
    assert all(math.isfinite(bound) and bound >= 1 for bound in bounds)
