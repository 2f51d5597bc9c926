"""What several tries at each case tell: how steady the system is, pass@k and pass^k.

A try counts when the metric has a value for it; a failed call has none, unless the metric counts all tries. Cases with fewer than
k such tries are left out and counted. Each case counts once, and the interval is over cases.
"""

from __future__ import annotations

import math

import msgspec

from karat.core.result import CaseResult, Estimate, RunResult
from karat.stats.intervals import estimate
from karat.stats.pairing import finite
from karat.stats.pass_k import pass_at_k, pass_hat_k


class PassK(msgspec.Struct, frozen=True):
    """Over the cases with at least k tries: at least one of k tries passes (``at``), all k do (``hat``)."""

    k: int
    at: Estimate
    hat: Estimate
    left_out: int
    """Cases with fewer tries than k."""


def pass_k(result: RunResult, metric: str, k: int) -> PassK:
    """pass@k and pass^k by a metric that is 1 for a pass. A try that is not fully right has not passed."""
    if k < 1:
        raise ValueError(f"k = {k}: at least one try is needed")
    tries = [values for case in result.cases if len(values := try_values(case, metric)) >= k]
    counts = [(len(values), sum(value >= 1 for value in values)) for values in tries]
    return PassK(
        k,
        estimate([pass_at_k(n, c, k) for n, c in counts]),
        estimate([pass_hat_k(n, c, k) for n, c in counts]),
        len(result.cases) - len(tries),
    )


def repeat_spread(result: RunResult, metric: str) -> float | None:
    """The standard deviation between tries at the same case, pooled over cases. None when no case has two values."""
    squares, freedom = 0.0, 0
    for case in result.cases:
        values = try_values(case, metric)
        if len(values) > 1:
            mean = math.fsum(values) / len(values)
            squares += math.fsum((value - mean) ** 2 for value in values)
            freedom += len(values) - 1
    return math.sqrt(squares / freedom) if freedom else None


def try_values(case: CaseResult, metric: str) -> list[float]:
    """The metric's value for each try that has one. A case that was tried once has its own."""
    tries = [r.scores for r in case.repeats] if case.repeats else [case.scores]
    scores = [scores[metric] for scores in tries if metric in scores]
    return [value for score in scores if (value := finite(score.value)) is not None]
