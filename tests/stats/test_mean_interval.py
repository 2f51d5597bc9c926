"""What the intervals promise, by simulation: 95 % of them hold the true mean, give or take two points."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from karat.core.metric import Kind
from karat.stats.intervals.estimates import estimate

RUNS = 2_500
Draw = Callable[[np.random.Generator, int], "np.ndarray[tuple[int], np.dtype[np.float64]]"]


def coverage(draw: Draw, truth: float, n: int, kind: Kind, clusters: list[str] | None = None) -> float:
    rng = np.random.default_rng(n)
    hits = 0
    for _ in range(RUNS):
        found = estimate(draw(rng, n).tolist(), kind, clusters)
        hits += found.low is not None and found.high is not None and found.low <= truth <= found.high
    return hits / RUNS


@pytest.mark.parametrize("n", [10, 30, 100])
@pytest.mark.parametrize("sigma", [0.25, 0.5, 1.0, 1.5])
def test_lognormal_quantities(n: int, sigma: float) -> None:
    found = coverage(lambda rng, n: rng.lognormal(0, sigma, n), math.exp(sigma**2 / 2), n, "quantity")
    assert 0.93 <= found <= 0.97


def test_lognormal_quantities_of_which_some_are_zero() -> None:
    def draw(rng: np.random.Generator, n: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.where(rng.random(n) < 0.3, 0.0, rng.lognormal(0, 1, n))

    assert 0.93 <= coverage(draw, 0.7 * math.exp(0.5), 10, "quantity") <= 0.97


def test_lognormal_losses() -> None:
    """Values below 0 are the mirror of those above."""
    assert 0.93 <= coverage(lambda rng, n: -rng.lognormal(0, 1, n), -math.exp(0.5), 12, "quantity") <= 0.97


@pytest.mark.parametrize("n", [10, 40])
@pytest.mark.parametrize(("draw", "truth"), [
    (lambda rng, n: rng.gamma(4.0, 1.0, n), 4.0), (lambda rng, n: rng.exponential(1, n), 1.0),
    (lambda rng, n: rng.normal(5, 1, n), 5.0),
], ids=["gamma", "exponential", "normal"])  # fmt: skip
def test_other_quantities(n: int, draw: Draw, truth: float) -> None:
    assert 0.925 <= coverage(draw, truth, n, "quantity") <= 0.975


@pytest.mark.parametrize("n", [5, 10, 40])
@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (1, 1), (2, 2), (8, 2), (5, 1), (2, 0.5), (1, 3)])
def test_beta_shares(n: int, a: float, b: float) -> None:
    assert 0.925 <= coverage(lambda rng, n: rng.beta(a, b, n), a / (a + b), n, "share") <= 0.975


@pytest.mark.parametrize("n", [5, 8])
@pytest.mark.parametrize(("a", "b"), [(10, 0.5), (0.5, 10), (5, 0.5), (20, 1)])
def test_beta_shares_near_an_end(n: int, a: float, b: float) -> None:
    assert 0.93 <= coverage(lambda rng, n: rng.beta(a, b, n), a / (a + b), n, "share") <= 0.97


def clustered(rng: np.random.Generator, rate: float, sizes: list[int]) -> list[float]:
    """Cases of a cluster go together: each cluster has a mean of its own."""
    means = np.clip(rng.beta(4 * rate, 4 * (1 - rate), len(sizes)), 0.01, 0.99)
    return [
        float(value)
        for mean, size in zip(means, sizes, strict=True)
        for value in rng.beta(4 * mean, 4 - 4 * mean, size)
    ]


@pytest.mark.parametrize("sizes", [[6] * 5, [2, 4, 6, 8, 10], [3] * 20])
def test_few_clusters_of_shares(sizes: list[int]) -> None:
    names = [str(number) for number, size in enumerate(sizes) for _ in range(size)]
    found = coverage(lambda rng, _: np.array(clustered(rng, 0.7, sizes)), 0.7, len(sizes), "share", names)
    assert 0.93 <= found <= 0.975


def test_few_clusters_of_seconds() -> None:
    names = [str(number) for number in range(5) for _ in range(6)]

    def draw(rng: np.random.Generator, _: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.repeat(rng.normal(3, 0.4, 5), 6) + rng.normal(0, 0.5, 30)

    assert 0.93 <= coverage(draw, 3.0, 5, "quantity", names) <= 0.97


def test_five_clusters_of_lognormal_seconds() -> None:
    sizes = [2, 4, 6, 8, 10]
    names = [str(number) for number, size in enumerate(sizes) for _ in range(size)]

    def draw(rng: np.random.Generator, _: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.exp(np.repeat(rng.normal(0, 0.3**0.5, 5), sizes) + rng.normal(0, 0.7**0.5, 30))

    assert 0.93 <= coverage(draw, math.exp(0.5), 5, "quantity", names) <= 0.97


def test_few_values_of_many_magnitudes_have_an_end() -> None:
    """The lognormal bound would be 10⁴⁰ here; ten times Student's half-width is where it stops."""
    values = [1e-6, 1e-3, 1.0, 1e3, 1e6]
    found = estimate(values, "quantity")
    half = 2.776 * float(np.std(values, ddof=1)) / 5**0.5
    assert found.mean is not None and found.high == pytest.approx(found.mean + 10 * half, rel=1e-3)


def test_the_mirror_of_values_has_the_mirror_of_their_interval() -> None:
    values = np.random.default_rng(3).lognormal(0, 1, 12)
    found, turned = estimate(values.tolist(), "quantity"), estimate((-values).tolist(), "quantity")
    assert found.low is not None and found.high is not None
    assert [turned.low, turned.high] == pytest.approx([-found.high, -found.low])


def test_a_mean_without_clusters_would_be_too_sure() -> None:
    sizes = [6] * 5
    found = coverage(lambda rng, _: np.array(clustered(rng, 0.7, sizes)), 0.7, 5, "share")
    assert found < 0.85
