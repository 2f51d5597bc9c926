"""Small runs for the tests of comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karat.core.metric import Kind, Metric
from karat.core.results.result import CaseResult, MetricSummary, RepeatResult, RunInfo, RunResult
from karat.core.scores import Score, State


def metric(name: str, kind: Kind = "share", *, headline: bool = True, higher_is_better: bool = True) -> Metric:
    return Metric(
        name,
        name.replace("_", " "),
        "",
        lambda _: Score(0.0),
        kind,
        higher_is_better=higher_is_better,
        headline=headline,
    )


def case(
    name: str,
    values: Mapping[str, float | None],
    status: State = "scored",
    tags: Sequence[str] = (),
    details: dict[str, Any] | None = None,
    repeats: Sequence[RepeatResult] = (),
) -> CaseResult:
    scores = {key: Score(value, "scored" if value is not None else "not_applicable") for key, value in values.items()}
    return CaseResult(name, status, scores, details or {}, tags=tuple(tags), repeats=tuple(repeats))


def run(cases: Sequence[CaseResult], metrics: Sequence[str] = ("score",), **info: Any) -> RunResult:
    summary = tuple(MetricSummary(name, None, 0, None, None) for name in metrics)
    facts: dict[str, Any] = {"suite": "any", "cases": len(cases)} | info
    return RunResult(RunInfo(**facts), summary, tuple(cases))


def scored_run(values: Sequence[float | None], name: str = "score", **info: Any) -> RunResult:
    return run([case(f"case {index}", {name: value}) for index, value in enumerate(values)], (name,), **info)
