"""The rate that a judge's verdicts give once people have checked a random sample of them, with an interval that holds.

People review ``n`` of the cases that a judge was asked about; the other ``N`` have the judge's word alone. The estimate
is prediction-powered inference (PPI++, Angelopoulos et al. 2023) with the weight that makes it narrowest:

    λ = cov(y, f) / ((1 + n/N) · var(f)), kept in 0…1        y: people's verdicts, f: the judge's on the same cases
    θ = λ · mean(rest) + mean(y − λf)                        rest: the judge's verdicts on the other cases

PPI++ as published claims too much where few reviews happen to agree with the judge: no variance, no doubt. So half a
case of each kind is added to the residuals (0, −λ, 1 and 1 − λ, weight ½ each), and the interval is Wilson's with as
many effective cases m as give that variance:

    V = s² / (n − 1) + λ² · var(rest) / N                    s²: weighted variance of the residuals, divided by n + 2
    m = p(1 − p) / V, kept in 1…M                            p = (k·mean + 1) / (k + 2)

Cases that a rule settled take part with their own values; of the M cases in all the pool is a share (n + N) / M. With
clusters V is at least the variance between clusters, and Student's quantile takes the place of 1.96.

People's verdicts alone are shown instead where fewer than 30 were reviewed (with clusters: fewer than 30 clusters),
where the judge adds nothing (λ = 0, or an interval that is no narrower), and where the caller says that the judge must
not count. With no review, or with settled cases and fewer than two, the rate is undefined.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.core.results.result import Estimate
from karat.stats.agreement import Z
from karat.stats.intervals.quantiles import student_quantile
from karat.stats.intervals.rates import wilson

FEWEST = 30
"""Reviews, or clusters with a review, below which only people's verdicts count."""

Values: TypeAlias = NDArray[np.float64]


class CorrectedRate(msgspec.Struct, frozen=True):
    """The rate to show, how it was found, and for comparison what other methods say of the judged cases alone."""

    mean: float | None
    low: float | None
    high: float | None
    method: str
    """``ppi++`` or ``people``; ``undefined`` when there are too few reviews for any figure."""
    why: str
    """Why it is not ``ppi++``; empty when it is."""
    lam: float
    """The weight of the judge, 0 to 1."""
    effective: float | None
    """Without settled cases: it is as good as this many reviews."""
    people: Estimate | None = None
    ppi: Estimate | None = None
    """Prediction-powered inference with λ = 1, as published."""
    ppi_plus: Estimate | None = None
    """The same with the best λ, as published."""
    rogan_gladen: Estimate | None = None
    rogan_gladen_why: str = ""
    """Why there is none."""


class _Pool(msgspec.Struct, frozen=True):
    human: Values
    judge: Values
    rest: Values
    settled: Values
    clusters: tuple[Sequence[str], ...] | None
    """Of the reviewed, of the rest, of the settled."""


def corrected_rate(
    human: Sequence[float],
    judge: Sequence[float],
    rest: Sequence[float],
    *,
    settled: Sequence[float] = (),
    clusters: Sequence[str] | None = None,
    rest_clusters: Sequence[str] = (),
    settled_clusters: Sequence[str] = (),
    people_only: str = "",
) -> CorrectedRate:
    """The rate over reviewed, judged and settled cases.

    ``human`` (0 or 1) and ``judge`` (0, 0.5 for an abstention, or 1) belong to the cases that were drawn and reviewed,
    ``rest`` to the other cases that the judge was asked about, ``settled`` to all other cases of the rate. The three
    lists of clusters name the cluster of each value. ``people_only`` is the reason why the judge must not count.

    >>> found = corrected_rate([1] * 45 + [0] * 15, [1] * 42 + [0] * 18, [1] * 170 + [0] * 70)
    >>> found.method, round(found.mean, 3), round(found.low, 3), round(found.high, 3)
    ('ppi++', 0.756, 0.678, 0.82)
    """
    pool = _Pool(
        np.asarray(human, np.float64),
        np.asarray(judge, np.float64),
        np.asarray(rest, np.float64),
        np.asarray(settled, np.float64),
        _named((clusters, human), (rest_clusters, rest), (settled_clusters, settled)),
    )
    _check(pool)
    lam = _weight(pool)
    n = len(pool.human)
    if n < (2 if len(pool.settled) else 1):
        return CorrectedRate(None, None, None, "undefined", "too few", lam, None)
    compared = {
        "people": Estimate(float(pool.human.mean()), n, *wilson(float(pool.human.sum()), n)),
        "ppi": _published(pool, 1.0),
        "ppi_plus": _published(pool, lam),
    }
    rogan, rogan_why = _rogan_gladen(pool)
    by_people, by_both = _shown(pool, 0.0), _shown(pool, lam)
    reviewed = n if pool.clusters is None else len(set(pool.clusters[0]))
    why = people_only
    if not why and reviewed < FEWEST:
        why = "too few"
    if not why and (lam == 0.0 or by_both[2] - by_both[1] >= by_people[2] - by_people[1]):
        why = "no gain"
    mean, low, high, effective = by_people if why else by_both
    return CorrectedRate(
        mean, low, high, "people" if why else "ppi++", why, lam, effective,
        **compared, rogan_gladen=rogan, rogan_gladen_why=rogan_why,
    )  # fmt: skip


def _named(*sides: tuple[Sequence[str] | None, Sequence[float]]) -> tuple[Sequence[str], ...] | None:
    if sides[0][0] is None:
        if any(names for names, _ in sides):
            raise ValueError("clusters of the other cases, but none of the reviewed ones")
        return None
    for names, values in sides:
        if len(names or ()) != len(values):
            raise ValueError(f"{len(names or ())} clusters for {len(values)} values")
    return tuple(list(names or ()) for names, _ in sides)


def _check(pool: _Pool) -> None:
    if len(pool.human) != len(pool.judge):
        raise ValueError(f"{len(pool.human)} verdicts of people, but {len(pool.judge)} of the judge on the same cases")
    for side in (pool.human, pool.judge, pool.rest, pool.settled):
        if not bool(np.all((side >= 0) & (side <= 1))):
            raise ValueError("every value must be a number from 0 to 1")


def _weight(pool: _Pool) -> float:
    n, others = len(pool.human), len(pool.rest)
    both = np.concatenate([pool.judge, pool.rest])
    if not n or not others or not np.ptp(both):
        return 0.0
    together = float(np.mean(pool.human * pool.judge) - pool.human.mean() * pool.judge.mean())
    return min(1.0, max(0.0, together / ((1 + n / others) * float(both.var(ddof=1)))))


def _estimate(pool: _Pool, lam: float) -> float:
    beyond = lam * float(pool.rest.mean()) if lam else 0.0
    return beyond + float((pool.human - lam * pool.judge).mean())


def _published(pool: _Pool, lam: float) -> Estimate | None:
    """The estimate and interval of ppi-python; none where it has none: nothing beside the reviews, a judge that always
    says the same, or clusters, which it does not know."""
    if not len(pool.rest) or pool.clusters is not None or (lam < 1 and not np.ptp(np.append(pool.judge, pool.rest))):
        return None
    residuals = pool.human - lam * pool.judge
    half = Z * math.sqrt(lam**2 * float(pool.rest.var()) / len(pool.rest) + float(residuals.var()) / len(residuals))
    mean = _estimate(pool, lam)
    return Estimate(mean, len(residuals) + len(pool.rest), mean - half, mean + half)


def _shown(pool: _Pool, lam: float) -> tuple[float, float, float, float]:
    """(mean, low, high, effective cases)."""
    n, asked = len(pool.human), len(pool.human) + len(pool.rest)
    if lam == 0.0 and not len(pool.settled) and pool.clusters is None:
        mean = float(pool.human.mean())
        return mean, *wilson(float(pool.human.sum()), n), float(n)
    theta = min(1.0, max(0.0, _estimate(pool, lam)))
    total = asked + len(pool.settled)
    mean = (asked * theta + float(pool.settled.sum())) / total
    variance = _variance(pool, lam)
    if len(pool.settled):
        spread = (asked * (theta - mean) ** 2 + float(((pool.settled - mean) ** 2).sum())) / total
        variance = spread / total + (asked / total) ** 2 * variance
    z = Z
    if pool.clusters is not None:
        groups = len(set(pool.clusters[0]))
        if groups < 2:
            return mean, 0.0, 1.0, 1.0
        variance = max(variance, _between_clusters(pool, [*chain(*pool.clusters)], lam, theta, mean, groups))
        z = student_quantile(0.975, groups - 1)
    weight = total if len(pool.settled) else n
    p = (weight * mean + 1) / (weight + 2)
    effective = min(float(total), max(1.0, p * (1 - p) / variance)) if variance > 0 else float(total)
    return mean, *_wilson(mean, effective, z), effective


def _variance(pool: _Pool, lam: float) -> float:
    n = len(pool.human)
    if n < 2:
        return math.inf
    residuals = np.concatenate([pool.human - lam * pool.judge, [0.0, -lam, 1.0, 1.0 - lam]])
    weights = np.concatenate([np.ones(n), np.full(4, 0.5)])
    spread = float(np.average((residuals - np.average(residuals, weights=weights)) ** 2, weights=weights))
    beyond = lam**2 * float(pool.rest.var()) / len(pool.rest) if lam else 0.0
    return spread / (n - 1) + beyond


def _between_clusters(pool: _Pool, names: Sequence[str], lam: float, theta: float, mean: float, groups: int) -> float:
    n, others, settled = len(pool.human), len(pool.rest), len(pool.settled)
    total = n + others + settled
    share, own = (n + others) / total, (theta - mean) / total
    residuals = pool.human - lam * pool.judge
    parts = [share * (residuals - residuals.mean()) / n + own]
    parts.append(share * lam * (pool.rest - pool.rest.mean()) / others + own if others else pool.rest)
    parts.append((pool.settled - mean) / total)
    _, codes = np.unique(names, return_inverse=True)
    sums = np.bincount(codes, weights=np.concatenate(parts))
    return groups / (groups - 1) * float((sums**2).sum())


def _wilson(mean: float, n: float, z: float) -> tuple[float, float]:
    """Wilson's interval for a mean over ``n`` cases, which need not be a whole number."""
    middle, half = mean + z * z / (2 * n), z * math.sqrt(mean * (1 - mean) / n + z * z / (4 * n * n))
    return max(0.0, (middle - half) / (1 + z * z / n)), min(1.0, (middle + half) / (1 + z * z / n))


def _rogan_gladen(pool: _Pool) -> tuple[Estimate | None, str]:
    """The judge's rate on the rest, corrected by its sensitivity and specificity; the interval by the delta method."""
    right, wrong = pool.judge[pool.human == 1], pool.judge[pool.human == 0]
    if np.any(pool.judge % 1) or np.any(pool.rest % 1):
        return None, "the judge abstained"
    if not len(right) or not len(wrong) or not len(pool.rest):
        missing = "right" if not len(right) else "wrong" if not len(wrong) else ""
        return None, f"people called none {missing}" if missing else "every case was reviewed"
    sensitivity, specificity, rate = float(right.mean()), float(1 - wrong.mean()), float(pool.rest.mean())
    informed = sensitivity + specificity - 1
    if informed <= 0.1:
        return None, "the judge is no better than chance"
    mean = (rate + specificity - 1) / informed
    clipped = min(1.0, max(0.0, mean))
    variance = rate * (1 - rate) / len(pool.rest) + clipped**2 * sensitivity * (1 - sensitivity) / len(right)
    variance += (1 - clipped) ** 2 * specificity * (1 - specificity) / len(wrong)
    half = Z * math.sqrt(variance) / informed
    return Estimate(clipped, len(pool.rest), max(0.0, mean - half), min(1.0, mean + half)), ""
