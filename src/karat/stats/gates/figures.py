"""What a gate looks at: the value of a metric for each case, and whether a case is right.

A case is right when the metric that says so has its best value: 1 for a rate or share (0 where lower is better). Asked
several times, it must be right every time. An error, a missing answer and an undefined value are not right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from karat.core.metric_names import find_metric, has_metric
from karat.core.results.result import CaseResult, RunResult, fails, value_with_errors
from karat.core.results.usage import USAGE
from karat.core.scores import Score
from karat.core.suite import Metric
from karat.stats.gates.rules import Gate


def _not_scored(_: object) -> Score:
    raise AssertionError("errors is counted from the states of the cases")


ERRORS = Metric(
    "errors",
    "errors",
    "cases in error or without a prediction / all cases",
    _not_scored,
    kind="rate",
    higher_is_better=False,
    zero_on_error=False,
)
"""A figure that every suite has. Its cases are all but those that cannot be judged through no fault of the answer."""

EVERYWHERE: tuple[Metric, ...] = (*USAGE, ERRORS)


def metric_named(name: str, metrics: Sequence[Metric]) -> Metric:
    """The metric of that name; one that is not listed is taken for a share, and higher for better."""
    known = {metric.name: metric for metric in (*EVERYWHERE, *metrics)}
    return known.get(name) or Metric(name, name, "", _not_scored)


def with_metric_name(gate: Gate, metrics: Sequence[Metric]) -> Gate:
    """The rule with its metric under the name that figures have: ``retrieval.R@10`` becomes
    ``retrieval.recall_at_10``."""
    suite, _, metric = gate.figure.partition(".")
    if not has_metric(metric, metrics):
        return gate
    name = f"{suite}.{find_metric(metric, metrics).name}"
    if gate.no_new_failures is None:
        return msgspec.structs.replace(gate, metric=name)
    return msgspec.structs.replace(gate, no_new_failures=msgspec.structs.replace(gate.no_new_failures, metric=name))


def pass_metric(metrics: Sequence[Metric]) -> Metric | None:
    """The metric by which a case of the suite is right: the first headline rate, else the first rate, else the first
    share."""
    good = [metric for metric in metrics if metric.higher_is_better and metric.kind != "quantity"]
    good.sort(key=lambda metric: (metric.kind != "rate", not metric.headline))
    return good[0] if good else None


def value_of(case: CaseResult, metric: str) -> float | None:
    """The case's value; None where it has none."""
    if metric == ERRORS.name:
        return None if case.status == "not_applicable" else float(case.status in ("error", "missing"))
    score = case.scores.get(metric)
    value = None if score is None else score.value
    return value if value is not None and math.isfinite(value) else None


def mean_of(result: RunResult, metric: str) -> tuple[float | None, int]:
    """The run's figure and over how many cases it is."""
    if metric == ERRORS.name:
        values = [value for case in result.cases if (value := value_of(case, metric)) is not None]
        return (math.fsum(values) / len(values) if values else None), len(values)
    found = next((item for item in result.summary if item.metric == metric), None)
    return (found.mean, found.n) if found else (None, 0)


def error_value(metric: Metric) -> float | None:
    """What a failed call counts where errors are not left out: the worst value; None where that cannot be said.

    Quantities have no worst value, and of a failed call nobody knows whether the case asks for a metric that not every
    case has.
    """
    if metric.kind == "quantity" or not metric.zero_on_error:
        return None
    return 0.0 if metric.higher_is_better else 1.0


def with_errors(result: RunResult, metric: Metric) -> tuple[float | None, int]:
    """The run's figure with errors counted as the worst value, and how many cases have one that counts; None where
    nothing changes."""
    worst, failed = error_value(metric), sum(fails(case, metric.name) for case in result.cases)
    if worst is None or not failed:
        return None, 0
    values = [value for case in result.cases if (value := value_with_errors(case, metric.name, worst)) is not None]
    return (math.fsum(values) / len(values) if values else None), failed


def is_right(case: CaseResult, metric: Metric) -> bool:
    """Whether nothing about the case is wrong, by this metric."""
    value = value_of(case, metric.name)
    if case.status != "scored" or value is None:
        return False
    return value >= 1 - 1e-9 if metric.higher_is_better else value <= 1e-9
