"""The bootstrap interval: by hand, against scipy, clustered, and its coverage by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from karat.stats.bootstrap import mean_interval


def test_the_standard_error_by_hand() -> None:
    found = mean_interval([1.0, 2.0, 3.0, 6.0])  # mean 3, squares 4+1+0+9 = 14, sd² = 14/3, error² = 14/12
    assert found is not None
    assert found.error == pytest.approx((14 / 12) ** 0.5) and found.clusters == 4


def test_clusters_by_hand() -> None:
    # Clusters {1, 3} and {5}: mean 3; sums less size·mean: 4-6 = -2, 5-3 = 2; error = sqrt(2/1 · 8) / 3.
    found = mean_interval([1.0, 3.0, 5.0], ["x", "x", "y"])
    assert found is not None
    assert found.error == pytest.approx(4 / 3) and found.clusters == 2


def test_every_value_its_own_cluster_is_no_cluster() -> None:
    values = list(np.random.default_rng(2).random(30))
    assert mean_interval(values, [str(i) for i in range(30)]) == mean_interval(values)


def test_copies_of_a_case_add_nothing() -> None:
    values = np.random.default_rng(2).random(40)
    names = [str(i) for i in range(40)]
    once, thrice = mean_interval(values), mean_interval(np.repeat(values, 3), np.repeat(names, 3).tolist())
    assert once is not None and thrice is not None
    assert thrice.error == pytest.approx(once.error)
    assert [thrice.low, thrice.high] == pytest.approx([once.low, once.high], abs=0.01)


def test_too_few_to_see_a_spread() -> None:
    assert mean_interval([]) is mean_interval([0.4]) is mean_interval([0.1, 0.9], ["x", "x"]) is None


def test_equal_values_have_no_spread() -> None:
    found = mean_interval([0.5] * 9)
    assert found is not None and (found.low, found.high, found.error) == (0.5, 0.5, 0.0)


def test_near_scipy() -> None:
    values = np.random.default_rng(6).exponential(1, 150)
    ours = mean_interval(values, resamples=9_999)
    theirs = stats.bootstrap((values,), np.mean, method="percentile", rng=1).confidence_interval
    assert ours is not None
    # Ours is the wider, by about 1 % at 150 cases; the rest is the noise of two draws.
    assert [ours.low, ours.high] == pytest.approx([theirs.low, theirs.high], abs=0.02)


def test_the_order_of_cases_does_not_matter() -> None:
    values, names = [0.1, 0.5, 0.7, 0.9, 0.2], ["x", "y", "x", "z", "x"]
    one, other = mean_interval(values, names), mean_interval(values[::-1], names[::-1])
    assert one is not None and other is not None
    assert [one.low, one.high, one.error] == pytest.approx([other.low, other.high, other.error], rel=1e-12)


@pytest.mark.parametrize("n", [20, 60])
@pytest.mark.parametrize("kind", ["shares", "seconds"])
def test_coverage(n: int, kind: str) -> None:
    rng = np.random.default_rng(n)
    if kind == "shares":
        runs, truth = rng.choice([0.0, 0.25, 0.5, 1.0], (2_000, n), p=[0.1, 0.1, 0.2, 0.6]), 0.725
    else:
        runs, truth = rng.gamma(4.0, 1.0, (2_000, n)), 4.0
    found = [mean_interval(row) for row in runs]
    assert 0.93 <= np.mean([f is not None and f.low <= truth <= f.high for f in found]) <= 0.97


def test_coverage_with_clusters() -> None:
    """30 cases of 1 to 5 turns that go together. Taking turns for cases, the interval would be far too narrow."""
    rng = np.random.default_rng(12)
    hits = naive = 0
    for _ in range(2_000):
        sizes = rng.integers(1, 6, 30)
        values = np.repeat(rng.normal(0, 1, 30), sizes) + rng.normal(0, 0.3, sizes.sum())
        names = np.repeat(np.arange(30), sizes).astype(str).tolist()
        right = mean_interval(values, names)
        error = values.std(ddof=1) / len(values) ** 0.5
        assert right is not None
        hits += right.low <= 0 <= right.high
        naive += abs(values.mean()) <= 2 * error
    assert 0.93 <= hits / 2_000 <= 0.97
    assert naive / 2_000 < 0.85


def test_coverage_of_the_interval_for_many() -> None:
    rng = np.random.default_rng(5)
    found = [mean_interval(row) for row in rng.exponential(1, (2_000, 1_000))]
    assert 0.93 <= np.mean([f is not None and f.low <= 1 <= f.high for f in found]) <= 0.97
