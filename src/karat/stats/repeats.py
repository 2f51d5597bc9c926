"""What several tries at each case tell: how steady the system is, pass@k and pass^k.

A try counts when the metric has a value for it; a failed call has none, unless the metric counts all tries. Cases with
fewer than k such tries are left out and counted. Each case counts once; the interval is that of a rate over cases, with
variants of one case kept together. pass@1 and pass^1 are the rate itself, unless a try can be partly right (by some of
its turns).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import isfinite

import msgspec

from karat.core.metric import Metric
from karat.core.results.clusters import clusters_of
from karat.core.results.facts import facts_of
from karat.core.results.pass_k import pass_at_k, pass_hat_k
from karat.core.results.result import CaseResult, Estimate, RunResult
from karat.stats.intervals.over_cases import estimate_over_cases
from karat.stats.pass_rates import pass_rates

EACH = 5
"""k goes up by one as far as this, then doubles."""

Values = Sequence[Sequence[float]]
"""The values of the tries that count, of each case."""
Counts = Sequence[tuple[int, int]]
"""(tries that count, tries that passed) of each case."""


class PassK(msgspec.Struct, frozen=True):
    """Over the cases with at least k tries: at least one of k tries passes (``at``), all k do (``hat``)."""

    k: int
    """The number of tries."""
    at: Estimate
    """pass@k: the share of cases in which at least one of k tries passes."""
    hat: Estimate
    """pass^k: the share of cases in which all k tries pass."""
    left_out: int
    """Cases with fewer than k tries."""


class MetricTries(msgspec.Struct, frozen=True):
    """What the tries tell by one metric. ``pass_k`` is empty where the metric does not say right or wrong."""

    metric: str
    title: str
    spread: float | None
    pass_k: tuple[PassK, ...] = ()


class Tries(msgspec.Struct, frozen=True):
    """What the tries tell of a run in which a case was tried up to ``tries`` times; ``every``: each case was, failed
    calls included."""

    tries: int
    every: bool
    metrics: tuple[MetricTries, ...]


def tries_of(result: RunResult, metrics: Sequence[Metric]) -> Tries | None:
    """Spread for the headline metrics and the pass rates, pass@k and pass^k for the latter. None when every case was
    tried once."""
    facts = facts_of(result.cases)
    tries = max(result.run.repeats, facts.most_tries)
    if tries < 2:
        return None
    known = {item.metric for item in result.summary}
    listed = [metric for metric in metrics if metric.name in known]
    rates = {metric.name for metric in pass_rates(listed)}
    shown = [metric for metric in listed if metric.headline or metric.name in rates] or listed[:3]
    clusters = clusters_of(result.cases)
    found = []
    for metric in shown:
        values = [try_values(case, metric.name) for case in result.cases]
        passed: tuple[PassK, ...] = ()
        if metric.name in rates:
            counts = _counts(values)
            passed = tuple(_pass_k(counts, clusters, k) for k in tries_shown(tries))
        found.append(MetricTries(metric.name, metric.title, _spread(values), passed))
    return Tries(tries, facts.fewest_tries == facts.most_tries == tries, tuple(found))


def tries_shown(tries: int) -> list[int]:
    """The k that are shown for this many tries: 1 to 5, the powers of two above, and all tries."""
    powers = [2**power for power in range(3, tries.bit_length())]
    return sorted({*range(1, min(tries, EACH) + 1), *powers, tries})


def pass_k(result: RunResult, metric: str, k: int) -> PassK:
    """pass@k and pass^k by a metric that is 1 for a pass. A try that is not fully right has not passed."""
    if k < 1:
        raise ValueError(f"k = {k}: at least one try is needed")
    values = [try_values(case, metric) for case in result.cases]
    return _pass_k(_counts(values), clusters_of(result.cases), k)


def _counts(values: Values) -> Counts:
    return [(len(tries), sum(value >= 1 for value in tries)) for tries in values]


def _pass_k(counts: Counts, clusters: Sequence[str] | None, k: int) -> PassK:
    # A run of many cases has few pairs of tries and passes.
    chances = {
        (n, c): (float(pass_at_k(n, c, k)), float(pass_hat_k(n, c, k))) if n >= k else (None, None)
        for n, c in set(counts)
    }
    found = [chances[pair] for pair in counts]
    return PassK(
        k,
        estimate_over_cases([at for at, _ in found], clusters, "rate"),
        estimate_over_cases([hat for _, hat in found], clusters, "rate"),
        sum(at is None for at, _ in found),
    )


def _spread(values: Values) -> float | None:
    squares: list[float] = []
    freedom = 0
    for tries in values:
        if len(tries) > 1:
            freedom += len(tries) - 1
            if min(tries) != max(tries):
                mean = math.fsum(tries) / len(tries)
                squares += [(value - mean) ** 2 for value in tries]
    return math.sqrt(math.fsum(squares) / freedom) if freedom else None


def try_values(case: CaseResult, metric: str) -> list[float]:
    """The metric's value for each try that has one. A case that was tried once has its own."""
    tries = [repeat.scores.get(metric) for repeat in case.repeats] if case.repeats else [case.scores.get(metric)]
    return [score.value for score in tries if score is not None and score.value is not None and isfinite(score.value)]
