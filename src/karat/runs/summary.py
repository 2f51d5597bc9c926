"""From case results to the figures of a run: for each metric the mean over cases where it is defined, with its
interval.

Cases that are variants of one (see ``core.results.clusters``) are kept together: the mean is over cases, the interval
over clusters.
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.problems import Problem, count_of
from karat.core.results.clusters import clusters_of
from karat.core.results.result import CaseResult, MetricSummary, RunInfo, RunResult, has_errors, value_with_errors
from karat.core.results.usage import USAGE
from karat.core.suite import Metric, Suite
from karat.stats.intervals.over_cases import estimate_over_cases


def summarise(suite: Suite, info: RunInfo, cases: Sequence[CaseResult]) -> RunResult:
    """The result of a run. Usage (latency, tokens, cost) is listed only where it is known for some case."""
    metrics = [
        *suite.metrics_for(info.headline),
        *(m for m in USAGE if any(_value(case, m.name) is not None for case in cases)),
    ]
    clusters = clusters_of(cases)
    problems = tuple(problem for metric in metrics if (problem := _failures(metric, cases)) is not None)
    return RunResult(info, tuple(_summary(metric, cases, clusters) for metric in metrics), tuple(cases), problems)


def _failures(metric: Metric, cases: Sequence[CaseResult]) -> Problem | None:
    """A metric that failed on answers which were read: its mean is over the others only, which must not go unseen."""
    tries = [one for case in cases for one in case.repeats or (case,) if one.status == "scored"]
    failed = [score.reason for one in tries if (score := one.scores.get(metric.name)) and score.state == "error"]
    if not failed:
        return None
    return Problem(f"{failed[0]} ({len(failed):,} of {count_of(len(tries), 'answer')}; its mean is over the others)")


def _summary(metric: Metric, cases: Sequence[CaseResult], clusters: Sequence[str] | None) -> MetricSummary:
    values = [_value(case, metric.name) for case in cases]
    without = [case.status for case, value in zip(cases, values, strict=True) if value is None]
    undefined = without.count("scored")
    found = estimate_over_cases(values, clusters, metric.kind)
    with_errors = None
    if metric.zero_on_error and any(has_errors(case) for case in cases):
        counted = [value for case in cases if (value := value_with_errors(case, metric.name)) is not None]
        with_errors = sum(counted) / len(counted) if counted else None
    return MetricSummary(metric.name, found.mean, found.n, found.low, found.high, undefined, with_errors)


def _value(case: CaseResult, metric: str) -> float | None:
    score = case.scores.get(metric)
    return None if score is None else score.value
