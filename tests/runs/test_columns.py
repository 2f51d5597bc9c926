"""The figures from columns are those from the results themselves, to the last bit."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core import plugins
from karat.core.metric import Metric
from karat.core.results.clusters import clusters_of
from karat.core.results.result import (
    CaseResult,
    MetricSummary,
    RepeatResult,
    RunInfo,
    has_errors,
    value_with_errors,
)
from karat.core.results.usage import USAGE
from karat.core.scores import Score, State, mean_score
from karat.runs.scores import summary as summary_module
from karat.runs.scores.summary import Columns
from karat.stats.intervals.over_cases import estimate_over_cases

SUITE = plugins.load_suite("codegen")
SHOWN = [*SUITE.metrics[:6], *USAGE]
numbers = st.one_of(st.sampled_from([0.0, 1.0, 0.5, 1 / 3]), st.floats(0, 1, allow_subnormal=False))


def _as_before(metric: Metric, cases: Sequence[CaseResult]) -> MetricSummary:
    """From the objects, as it was done before there were columns."""
    values = [score.value if (score := case.scores.get(metric.name)) is not None else None for case in cases]
    without = [case.status for case, value in zip(cases, values, strict=True) if value is None]
    found = estimate_over_cases(values, clusters_of(cases), metric.kind)
    with_errors = None
    if metric.zero_on_error and any(has_errors(case) for case in cases):
        counted = [value for case in cases if (value := value_with_errors(case, metric.name)) is not None]
        with_errors = sum(counted) / len(counted) if counted else None
    undefined = without.count("scored")
    return MetricSummary(metric.name, found.mean, found.n, found.low, found.high, undefined, with_errors)


@st.composite
def _tries(draw: st.DrawFn) -> RepeatResult:
    status: State = draw(st.sampled_from(["scored", "scored", "scored", "error", "missing", "not_applicable"]))
    scores: dict[str, Score] = {}
    for metric in SHOWN:
        if status == "scored" and draw(st.integers(0, 9)):
            value = draw(numbers)
            scores[metric.name] = Score(float(round(value)) if metric.kind == "rate" else value)
        else:
            states: list[State] = ["error", "not_applicable", "missing"]
            scores[metric.name] = Score(None, draw(st.sampled_from(states)), f"why {draw(st.integers(0, 2))}")
    return RepeatResult(status, scores, {}, "" if status == "scored" else "failed")


@st.composite
def _case(draw: st.DrawFn, number: int) -> CaseResult:
    tries = draw(st.lists(_tries(), min_size=1, max_size=3))
    cluster = draw(st.sampled_from(["", "", "x", "y"]))
    details = {"cluster": cluster} if cluster else {}
    if len(tries) == 1:
        return CaseResult(f"c{number}", tries[0].status, tries[0].scores, details)
    best = next((one for one in tries if one.status == "scored"), tries[0])
    scores = {name: mean_score(one.scores[name] for one in tries) for name in tries[0].scores}
    return CaseResult(f"c{number}", best.status, scores, details, repeats=tuple(tries))


@st.composite
def _runs(draw: st.DrawFn) -> list[CaseResult]:
    return [draw(_case(number)) for number in range(draw(st.integers(0, 12)))]


@settings(max_examples=150, deadline=None)
@given(_runs(), st.integers(1, 5))
def test_columns_give_the_figures_of_the_objects(cases: list[CaseResult], block: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(summary_module, "BLOCK", block)  # most of the values are read back
        columns = Columns(SUITE)
        columns.add(cases[: len(cases) // 2])
        columns.add(cases[len(cases) // 2 :])
        summary, problems = columns.figures(RunInfo("codegen"))
    by_name = {metric.name: metric for metric in (*SUITE.metrics, *USAGE)}
    assert summary == tuple(_as_before(by_name[item.metric], cases) for item in summary)
    listed = {item.metric for item in summary}
    for metric in USAGE:
        known = any((score := case.scores.get(metric.name)) and score.value is not None for case in cases)
        assert (metric.name in listed) == known
    tries = [one for case in cases for one in case.repeats or (case,) if one.status == "scored"]
    failed = {
        name: [s.reason for one in tries if (s := one.scores.get(name)) is not None and s.state == "error"]
        for name in listed
    }
    told = [f"{reasons[0]} ({len(reasons):,} of " for name in listed if (reasons := failed[name])]
    assert sorted(problem.message.partition(" of ")[0] + " of " for problem in problems) == sorted(told)


def test_an_empty_run_has_figures_of_nothing() -> None:
    summary, problems = Columns(SUITE).figures(RunInfo("codegen"))
    assert [item.metric for item in summary] == [metric.name for metric in SUITE.metrics]
    assert all((item.mean, item.n) == (None, 0) for item in summary) and problems == ()
