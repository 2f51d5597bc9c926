"""The populations of ``coverage``: what a metric's values may look like, with their true mean, in many sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from statistics import NormalDist

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.core.metric import Kind

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, int], Floats]
"""(generator, draws, n) → one sample per row."""

SIZES = (10, 12, 15, 20, 30, 50, 100, 300)
SHARE_SIZES = (5, 8, 10, 20, 50)
RATE_SIZES = (5, 10, 20, 50, 200)
SIGMAS = (0.3, 0.5, 0.8, 1.0, 1.2, 1.5, 2.0)
CLUSTERS = {5: (2, 4, 6, 8, 10), 8: (2, 3, 4, 5, 6, 7, 9, 10), 20: (2, 3, 4, 5, 6, 7, 8, 9, 10, 2) * 2}


class Cell(msgspec.Struct, frozen=True):
    """One population, one sample size. With a second draw: pairs, and the interval is that of their difference."""

    group: str
    name: str
    n: int
    kind: Kind
    draw: Draw
    truth: float
    sizes: Sequence[int] | None = None
    """The sizes of the clusters."""
    change: Callable[[np.random.Generator, Floats], Floats] | None = None
    """From the values of run A to those of run B."""


def cells() -> Iterator[Cell]:
    """Every cell, group by group."""
    yield from _quantities()
    yield from _shares()
    yield from _rates()
    yield from _clusters()
    yield from _differences()


def _quantities() -> Iterator[Cell]:
    for sigma in SIGMAS:
        for n in SIZES:
            yield Cell("lognormal", f"σ = {sigma:g}", n, "quantity", _lognormal(sigma), math.exp(sigma**2 / 2))
    others: dict[str, tuple[Draw, float]] = {
        "exponential": (lambda rng, m, n: rng.exponential(1, (m, n)), 1.0),
        "normal": (lambda rng, m, n: rng.normal(5, 1, (m, n)), 5.0),
        "normal around 0": (lambda rng, m, n: rng.normal(0, 1, (m, n)), 0.0),
        "minus lognormal, σ = 1": (lambda rng, m, n: -rng.lognormal(0, 1, (m, n)), -math.exp(0.5)),
        "uniform": (lambda rng, m, n: rng.random((m, n)), 0.5),
        "10 + exponential": (lambda rng, m, n: 10 + rng.exponential(1, (m, n)), 11.0),
        "2 + lognormal, σ = 1": (lambda rng, m, n: 2 + rng.lognormal(0, 1, (m, n)), 2 + math.exp(0.5)),
        "Poisson(1)": (lambda rng, m, n: rng.poisson(1, (m, n)).astype(float), 1.0),
        "Poisson(5)": (lambda rng, m, n: rng.poisson(5, (m, n)).astype(float), 5.0),
        "geometric(0.3)": (lambda rng, m, n: rng.geometric(0.3, (m, n)).astype(float), 1 / 0.3),
        "3, in 10 % of cases 30": (lambda rng, m, n: np.where(rng.random((m, n)) < 0.1, 30.0, 3.0), 5.7),
    }
    for shape in (0.5, 2.0, 4.0):
        others[f"gamma({shape:g})"] = (_gamma(shape), shape)
    for shape in (0.5, 0.7, 1.5, 3.0):
        others[f"Weibull({shape:g})"] = (_weibull(shape), math.gamma(1 + 1 / shape))
    for sigma in (0.5, 1.0, 1.5):
        others[f"30 % zeros, else lognormal, σ = {sigma:g}"] = (
            _with_zeros(_lognormal(sigma)),
            0.7 * math.exp(sigma**2 / 2),
        )
    others["30 % zeros, else exponential"] = (_with_zeros(others["exponential"][0]), 0.7)
    for name, (draw, truth) in others.items():
        for n in SIZES:
            yield Cell("other quantities", name, n, "quantity", draw, truth)


def _shares() -> Iterator[Cell]:
    ends = (0.5, 1.0, 2.0, 5.0, 10.0)
    for a, b in [*((a, b) for a in ends for b in ends), (0.2, 0.2), (20.0, 1.0), (50.0, 1.0)]:
        for n in SHARE_SIZES:
            yield Cell("Beta shares", f"Beta({a:g}, {b:g})", n, "share", _beta(a, b), a / (a + b))
    for name, draw, truth in (
        ("40 % ones, 30 % zeros, else Beta(2, 2)", _with_ends(0.4, 0.3), 0.55),
        ("80 % ones, else Beta(2, 2)", _with_ends(0.8, 0.0), 0.9),
        ("95 % ones, else Beta(2, 2)", _with_ends(0.95, 0.0), 0.975),
        ("0, ½ or 1", lambda rng, m, n: rng.choice([0.0, 0.5, 1.0], (m, n), p=[0.1, 0.3, 0.6]), 0.75),
    ):
        for n in SHARE_SIZES:
            yield Cell("shares with 0s and 1s", name, n, "share", draw, truth)


def _rates() -> Iterator[Cell]:
    for rate in (0.02, 0.05, 0.1, 0.3, 0.5, 0.8, 0.95, 0.98):
        for n in RATE_SIZES:
            yield Cell("rates", f"{rate:g}", n, "rate", _rate(rate), rate)


def _clusters() -> Iterator[Cell]:
    edge = NormalDist().inv_cdf(0.8)
    kinds: dict[str, tuple[Kind, Callable[[Floats], Floats], float]] = {
        "shares around 0.7": ("share", lambda z: 1 / (1 + np.exp(-1 - z)), _mean(lambda z: 1 / (1 + np.exp(-1 - z)))),
        "shares around 0.9": (
            "share",
            lambda z: 1 / (1 + np.exp(-2.5 - z)),
            _mean(lambda z: 1 / (1 + np.exp(-2.5 - z))),
        ),
        "rate 0.5": ("rate", lambda z: (z < 0).astype(float), 0.5),
        "rate 0.8": ("rate", lambda z: (z < edge).astype(float), 0.8),
        "normal": ("quantity", lambda z: 5 + z, 5.0),
        "lognormal, σ = 0.5": ("quantity", lambda z: np.exp(z / 2), math.exp(0.125)),
        "lognormal, σ = 1": ("quantity", np.exp, math.exp(0.5)),
    }
    for name, (kind, turned, truth) in kinds.items():
        for count, sizes in CLUSTERS.items():
            for together in (0.0, 0.3, 0.8):
                draw = _clustered(sizes, together, turned)
                yield Cell("clusters", f"{name}, correlation {together:g}", count, kind, draw, truth, sizes)


def _differences() -> Iterator[Cell]:
    def noisy(rng: np.random.Generator, a: Floats) -> Floats:
        return a * rng.lognormal(0, 0.3, a.shape)

    def slower(rng: np.random.Generator, a: Floats) -> Floats:
        return 1.3 * noisy(rng, a)

    def flipped(rng: np.random.Generator, a: Floats) -> Floats:
        return np.where(rng.random(a.shape) < 0.2, 1 - a, a)

    def redrawn(rng: np.random.Generator, a: Floats) -> Floats:
        return np.where(rng.random(a.shape) < 0.5, rng.beta(2, 1, a.shape), a)

    rise = math.exp(0.045)
    for n in (10, 20, 50, 100):
        for sigma in (0.5, 1.0, 1.5):
            mean = math.exp(sigma**2 / 2)
            name = f"lognormal, σ = {sigma:g}"
            yield Cell("differences", f"{name}, same", n, "quantity", _lognormal(sigma), mean * (rise - 1), None, noisy)
            yield Cell(
                "differences",
                f"{name}, 30 % more",
                n,
                "quantity",
                _lognormal(sigma),
                mean * (1.3 * rise - 1),
                None,
                slower,
            )
    for n in (5, 10, 20, 50, 100):
        yield Cell("differences", "Beta(2, 1), half redrawn", n, "share", _beta(2, 1), 0.0, None, redrawn)
        yield Cell(
            "differences", "Beta(10, 0.5), half redrawn", n, "share", _beta(10, 0.5), 1 / 3 - 10 / 21, None, redrawn
        )
        for rate in (0.5, 0.9):
            truth = 0.2 * (1 - 2 * rate)
            yield Cell("differences", f"rate {rate:g}, a fifth flipped", n, "rate", _rate(rate), truth, None, flipped)


def _lognormal(sigma: float) -> Draw:
    return lambda rng, m, n: rng.lognormal(0, sigma, (m, n))


def _gamma(shape: float) -> Draw:
    return lambda rng, m, n: rng.gamma(shape, 1, (m, n))


def _weibull(shape: float) -> Draw:
    return lambda rng, m, n: rng.weibull(shape, (m, n))


def _beta(a: float, b: float) -> Draw:
    return lambda rng, m, n: rng.beta(a, b, (m, n))


def _rate(rate: float) -> Draw:
    return lambda rng, m, n: (rng.random((m, n)) < rate).astype(float)


def _with_zeros(draw: Draw) -> Draw:
    return lambda rng, m, n: np.where(rng.random((m, n)) < 0.3, 0.0, draw(rng, m, n))


def _with_ends(ones: float, zeros: float) -> Draw:
    def draw(rng: np.random.Generator, m: int, n: int) -> Floats:
        which = rng.random((m, n))
        return np.where(which < ones, 1.0, np.where(which < ones + zeros, 0.0, rng.beta(2, 2, (m, n))))

    return draw


def _clustered(sizes: Sequence[int], together: float, turned: Callable[[Floats], Floats]) -> Draw:
    """Normal values that correlate within a cluster, turned into what is wanted."""

    def draw(rng: np.random.Generator, m: int, _: int) -> Floats:
        shared = np.repeat(rng.normal(0, 1, (m, len(sizes))), sizes, axis=1)
        return turned(math.sqrt(together) * shared + math.sqrt(1 - together) * rng.normal(0, 1, shared.shape))

    return draw


def _mean(turned: Callable[[Floats], Floats]) -> float:
    """The mean of a turned standard normal value."""
    points = (np.arange(200_000) + 0.5) / 200_000
    normal = NormalDist()
    return float(turned(np.array([normal.inv_cdf(p) for p in points])).mean())
