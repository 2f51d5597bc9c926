"""Effect sizes and the detectable difference: by hand, against scipy, and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from karat.stats.effect import cases_needed, cliff_delta, cohen_d_z, detectable_difference


def test_cohen_by_hand() -> None:
    assert cohen_d_z([1.0, 2.0, 3.0]) == pytest.approx(2.0)  # mean 2, standard deviation 1
    assert cohen_d_z([1.0, -1.0]) == 0.0


def test_cohen_without_a_spread() -> None:
    assert cohen_d_z([]) is cohen_d_z([0.3]) is cohen_d_z([0.0, 0.0]) is cohen_d_z([0.1] * 7) is None


def test_cliff_by_hand() -> None:
    # Pairs (1,2) (1,3) (2,3) up, (2,2) equal, none down: 3/4.
    assert cliff_delta([1, 2], [2, 3]) == pytest.approx(0.75)
    assert cliff_delta([1, 2], [1, 2]) == 0.0
    assert cliff_delta([5], [1]) == -1.0
    assert cliff_delta([], [1]) is None


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=12),
    st.lists(st.integers(0, 6), min_size=1, max_size=12),
)
def test_cliff_is_the_share_of_pairs(a: list[float], b: list[float]) -> None:
    pairs = [(y > x) - (y < x) for x in a for y in b]
    assert cliff_delta(a, b) == pytest.approx(sum(pairs) / len(pairs))


@pytest.mark.parametrize("n", [6, 10, 40, 300])
def test_detectable_has_that_power_by_the_noncentral_t(n: int) -> None:
    found = detectable_difference(1 / n**0.5, n)
    assert found is not None
    edge = stats.t.ppf(0.975, n - 1)
    shift = found * n**0.5
    power = stats.nct.sf(edge, n - 1, shift) + stats.nct.cdf(-edge, n - 1, shift)
    assert power == pytest.approx(0.8, abs=0.01)


def test_detectable_by_simulation() -> None:
    found = detectable_difference(1 / 50**0.5, 50)
    assert found is not None
    runs = np.random.default_rng(3).normal(found, 1, (4_000, 50))
    assert np.mean(stats.ttest_1samp(runs, 0, axis=1).pvalue <= 0.05) == pytest.approx(0.8, abs=0.02)


def test_detectable_without_a_spread() -> None:
    assert detectable_difference(0.0, 10) is detectable_difference(0.1, 1) is None


def test_cases_needed() -> None:
    assert cases_needed(100, 0.1, 0.05) == 400  # half the difference, four times the cases
    assert cases_needed(100, 0.1, -0.05) == 400
    assert cases_needed(100, 0.1, 0.0) is None
