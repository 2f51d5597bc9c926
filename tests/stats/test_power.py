"""What a comparison says it can detect, it detects with 80 % power: by hand, and by simulating the very test that it
uses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from karat.stats.compare.paired import paired_difference
from karat.stats.compare.power import cases_needed, detectable_difference
from karat.stats.compare.significance.holm import holm


def detectable(differences: list[float], tests: int = 1) -> float:
    found = detectable_difference(np.array(differences), bounded=True, alpha=0.05 / tests)
    assert found is not None
    return found


def test_nothing_changed_in_13_cases() -> None:
    """Six gains and no loss are significant (2/64), five are not: P(6 or more of 13) = 0.8 at a rate of 0.54."""
    assert detectable([0.0] * 13) == pytest.approx(0.54, abs=0.005)


def test_one_gain_of_13_promises_no_more() -> None:
    assert detectable([1.0] + [0.0] * 12) == pytest.approx(0.54, abs=0.005)


def test_with_three_metrics_seven_gains_are_needed() -> None:
    assert detectable([0.0] * 13, tests=3) == pytest.approx(0.614, abs=0.01)


def test_too_few_pairs_show_nothing() -> None:
    assert detectable_difference(np.zeros(5), bounded=True) is None  # 2/32 at best
    assert detectable_difference(np.ones(6), bounded=True, alpha=0.05 / 3) is None


def test_unchanged_seconds_say_nothing_of_their_size() -> None:
    assert detectable_difference(np.zeros(50), bounded=False) is None


@pytest.mark.parametrize(("n", "loss"), [(13, 0.0), (40, 0.05), (150, 0.1), (1_000, 0.05)])
@pytest.mark.parametrize("tests", [1, 3])
def test_pass_or_fail(n: int, loss: float, tests: int) -> None:
    lost = round(loss * n)
    claimed = detectable([1.0] * lost + [-1.0] * lost + [0.0] * (n - 2 * lost), tests)
    rng = np.random.default_rng(n)
    found = 0
    for _ in range(1_000):
        draw = rng.random(n)
        a, b = (draw > 1 - lost / n).astype(float), (draw < lost / n + claimed).astype(float)
        found += paired_difference(a, b, kind="rate").p <= 0.05 / tests
    assert 0.76 <= found / 1_000 <= 0.85


@pytest.mark.parametrize(("n", "tests", "alike"), [(8, 1, 0.0), (8, 4, 0.9), (13, 1, 0.5), (60, 4, 0.0)])
def test_differences_that_all_move(n: int, tests: int, alike: float) -> None:
    """The claim of one sample, tried on another: a sample does not know the spread, it guesses it from its own."""
    rng = np.random.default_rng(n)

    def drawn() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        shared, own = math.sqrt(alike) * rng.normal(0, 0.2, n), math.sqrt(1 - alike)
        return shared + own * rng.normal(0, 0.2, n), shared + own * rng.normal(0, 0.2, n)

    found = 0
    for _ in range(500):
        a, b = drawn()
        claimed = detectable_difference(b - a, bounded=False, alpha=0.05 / tests)
        assert claimed is not None
        a, b = drawn()
        found += paired_difference(a, b + claimed, kind="quantity").p <= 0.05 / tests
    assert 0.75 <= found / 500 <= 0.86


def test_shares_of_which_most_stay() -> None:
    """A fifth of the cases changes by a share of its own: the changes that make up a true difference are drawn
    likewise."""
    rng = np.random.default_rng(4)
    sizes = np.array([0.25, 0.5, 0.75, 1.0])
    seen = [0.0] * 48 + [0.25, 0.5, 0.75, 1.0, 0.5, 0.5, -0.25, -0.5, -0.75, -1.0, -0.5, -0.5]
    claimed, loss, typical = detectable(seen), 6 / 60, float(np.mean(np.abs([v for v in seen if v])))
    found = 0
    for _ in range(600):
        draw, size = rng.random(60), rng.choice(sizes, 60, p=[1 / 6, 1 / 2, 1 / 6, 1 / 6])
        up, down = draw < loss + claimed / typical, draw > 1 - loss
        found += paired_difference(np.where(down, size, 0.0), np.where(up, size, 0.0)).p <= 0.05
    assert 0.76 <= found / 600 <= 0.88


def test_holm_keeps_the_claim() -> None:
    """Three metrics with the claimed difference each: adjusted, each is significant at least as often as claimed."""
    claimed = detectable([0.0] * 40, tests=3)
    rng = np.random.default_rng(7)
    found = 0
    for _ in range(500):
        p = [paired_difference(np.zeros(40), (rng.random(40) < claimed).astype(float), kind="rate").p for _ in range(3)]
        found += sum(value <= 0.05 for value in holm(p))
    assert found / 1_500 >= 0.78


def test_cases_needed() -> None:
    assert cases_needed(100, 0.1, 0.05) == 400  # half the difference, four times the cases
    assert cases_needed(100, 0.1, -0.05) == 400
    assert cases_needed(100, 0.1, 0.0) is None


@pytest.mark.parametrize(
    ("count", "rarer", "gain", "alpha"),
    [(12, 0.0, 0.6, 0.05), (40, 0.1, 0.25, 0.05), (90, 0.02, 0.1, 0.005), (6, 0.0, 1.0, 0.05), (30, 0.2, 0.6, 0.01)],
)
def test_the_power_of_the_exact_test_is_the_sum_over_all_outcomes(
    count: int, rarer: float, gain: float, alpha: float
) -> None:
    """Every number of gains and losses, with its probability, where the test of that outcome is significant."""
    from karat.stats.compare.power import _signs_power

    up, down = rarer + gain, rarer
    total = 0.0
    for gains in range(count + 1):
        for losses in range(count + 1 - gains):
            changes = gains + losses
            tail = sum(math.comb(changes, more) for more in range(gains, changes + 1)) / 2**changes
            if gains > losses and 2 * tail <= alpha:
                ways = math.comb(count, changes) * math.comb(changes, gains)
                total += ways * up**gains * down**losses * max(0.0, 1 - up - down) ** (count - changes)
    assert _signs_power(count, rarer, gain, alpha) == pytest.approx(total, abs=1e-9)
