"""From case results to the figures of a run: for each metric the mean over cases where it is defined, with its interval."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.result import CaseResult, MetricSummary, RunInfo, RunResult
from karat.core.suite import Metric, Suite
from karat.core.usage import USAGE
from karat.stats.intervals import estimate


def summarise(suite: Suite, info: RunInfo, cases: Sequence[CaseResult]) -> RunResult:
    """The result of a run. Usage (latency, tokens, cost) is listed only where it is known for some case."""
    metrics = [*suite.metrics, *(m for m in USAGE if any(_value(case, m.name) is not None for case in cases))]
    return RunResult(info, tuple(_summary(metric, cases) for metric in metrics), tuple(cases))


def _summary(metric: Metric, cases: Sequence[CaseResult]) -> MetricSummary:
    values = [value for case in cases if (value := _value(case, metric.name)) is not None]
    failed = sum(1 for case in cases if case.status == "error" and _value(case, metric.name) is None)
    undefined = sum(1 for case in cases if case.status == "scored" and _value(case, metric.name) is None)
    found = estimate(values, metric.kind)
    with_errors = sum(values) / (len(values) + failed) if failed and metric.zero_on_error else None
    return MetricSummary(metric.name, found.mean, found.n, found.low, found.high, undefined, with_errors)


def _value(case: CaseResult, metric: str) -> float | None:
    score = case.scores.get(metric)
    return None if score is None else score.value
