"""Runs for the tests of gates, written down by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from karat.core.metric import Metric
from karat.core.results.result import CaseResult, MetricSummary, RunInfo, RunResult
from karat.core.scores import Score


def _never(_: Any) -> Score:
    raise AssertionError("a gate does not score")


METRICS = (
    Metric("recall", "recall", "TP / (TP + FN)", _never, headline=True),
    Metric("right", "fully right", "1 if right", _never, kind="rate", headline=True),
    Metric("wrong_dataset", "wrong dataset", "1 if wrong", _never, kind="rate", higher_is_better=False),
)


def case(name: str, value: float | None, status: Any = "scored", tags: Sequence[str] = ()) -> CaseResult:
    """A case with this recall; right when it is 1, and of the wrong dataset when it is 0."""
    scored = status == "scored" and value is not None
    values = {"recall": value, "right": float(value == 1), "wrong_dataset": float(value == 0)} if scored else {}
    state: Any = "not_applicable" if status == "scored" else status
    scores = {m.name: Score(values[m.name]) if values else Score(None, state, "0/0") for m in METRICS}
    return CaseResult(name, status, scores, tags=tuple(tags))


def run(cases: Sequence[CaseResult], name: str = "r-0002", truth_set: str = "one") -> RunResult:
    """A run of these cases, with their means."""
    summary = []
    for metric in METRICS:
        values = [v for c in cases if (v := c.scores[metric.name].value) is not None]
        mean = math.fsum(values) / len(values) if values else None
        summary.append(MetricSummary(metric.name, mean, len(values), None, None))
    return RunResult(RunInfo("demo", name, truth_set=truth_set), tuple(summary), tuple(cases))


def baselines(runs: Mapping[str, RunResult]) -> Any:
    """What rules compare with, by name."""
    return lambda name: runs.get(name, f'there is no run "{name}"')
