"""What rules may ask for, and floors and ceilings: the words and the verdict agree."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from karat.core.problems import UserError
from karat.core.results.result import MetricSummary, RunInfo, RunResult
from karat.core.scores import Score
from karat.stats.gates.verdicts import CaseFilter, Gate, exit_code, judge, parse_gate, rule_text, telling
from tests.stats.gate_results import METRICS, case, run


def result(mean: float | None) -> RunResult:
    return RunResult(RunInfo("demo"), (MetricSummary("recall", mean, 3, None, None),), ())


@pytest.mark.parametrize(
    ("gate", "mean", "passed", "words"),
    [
        (Gate("demo.recall", at_least=0.8), 0.85, True, "demo.recall is 0.85 over 3 cases, wanted at least 0.8"),
        (Gate("demo.recall", at_least=0.8), 0.8, True, "demo.recall is 0.8 over 3 cases, wanted at least 0.8"),
        (Gate("demo.recall", at_least=0.8), 0.79, False, "demo.recall is 0.79 over 3 cases, wanted at least 0.8"),
        (Gate("demo.recall", at_most=0.1), 0.2, False, "demo.recall is 0.2 over 3 cases, wanted at most 0.1"),
        (Gate("demo.recall", at_least=0.1), None, False, "demo.recall is undefined, wanted at least 0.1"),
        # Four digits would say "0.85, wanted at least 0.85" of a broken gate.
        (
            Gate("demo.recall", at_least=0.85),
            0.849999,
            False,
            "demo.recall is 0.849999 over 3 cases, wanted at least 0.85",
        ),
        (
            Gate("demo.recall", at_least=0.1, at_most=0.2),
            0.3,
            False,
            "demo.recall is 0.3 over 3 cases, wanted at least 0.1 and at most 0.2",
        ),
    ],
)
def test_floors_and_ceilings(gate: Gate, mean: float | None, passed: bool, words: str) -> None:
    (verdict,) = judge([gate], result(mean))
    assert (verdict.passed, verdict.words) == (passed, words)
    assert exit_code([verdict]) == (0 if passed else 1)


def test_the_error_ceiling_counts_errors_and_missing_answers_and_leaves_out_what_cannot_be_judged() -> None:
    cases = [case("a", 1.0), case("b", 0.0), case("c", None, "error"), case("d", None, "missing")]
    (verdict,) = judge([Gate("demo.errors", at_most=0.5)], run([*cases, case("e", None, "not_applicable")]), METRICS)
    assert verdict.words == "demo.errors is 0.5 over 4 cases, wanted at most 0.5"
    assert verdict.passed
    (verdict,) = judge([Gate("demo.errors", at_most=0.02)], run(cases), METRICS)
    assert not verdict.passed
    (verdict,) = judge([Gate("demo.errors", at_most=0.02)], run([]), METRICS)
    assert verdict.words == "demo.errors is undefined, wanted at most 0.02"


def test_an_undefined_figure_is_explained_by_a_case_that_was_scored() -> None:
    """Cases without a prediction only say so; why there is no figure is said by one that has a prediction."""
    missing = [
        replace(case(name, None), status="missing", scores={"recall": Score(None, "missing", "no prediction")})
        for name in "abcdefg"
    ]
    told = RunResult(RunInfo("demo"), (MetricSummary("recall", None, 0, None, None),), (*missing, case("h", None)))
    (verdict,) = judge([Gate("demo.recall", at_least=0.5)], told)
    assert verdict.words == "demo.recall is undefined: 0/0, wanted at least 0.5"


def test_gates_of_other_suites_are_not_judged_here() -> None:
    assert judge([Gate("answers.strict", at_least=0.5)], result(1.0)) == []


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"metric": "demo.recall"}, "exactly one of"),
        ({"metric": "demo.recall", "at_least": 0.5, "no_worse_than": "baseline", "margin": 0.1}, "exactly one of"),
        ({"no_new_failures": CaseFilter(), "at_least": 0.5}, "exactly one of"),
        ({"metric": "recall", "at_least": 0.5}, "suite.metric"),
        ({"at_least": 0.5}, "suite.metric"),
        ({"metric": "demo.recall", "at_least": float("inf")}, "a number"),
        ({"metric": "demo.recall", "at_least": 0.5, "at_most": 0.4}, "nothing could pass"),
        ({"metric": "demo.recall", "at_least": 0.5, "margin": 0.1}, "go with no_worse_than"),
        (
            {"metric": "demo.recall", "at_least": 0.5, "by": "corrected", "missing": "leave_out"},
            "missing: leave_out goes",
        ),
        ({"metric": "demo.recall", "no_worse_than": "baseline"}, "needs a margin"),
        ({"metric": "demo.recall", "no_worse_than": "baseline", "margin": -0.1}, "not negative"),
        ({"metric": "demo.recall", "no_worse_than": "baseline", "margin": 0.1, "confidence": 95}, "below 1"),
        ({"metric": "demo.recall", "no_new_failures": CaseFilter()}, "inside"),
    ],
)
def test_a_rule_that_could_never_be_judged_is_refused(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        Gate(**keys)
    with pytest.raises(ValueError, match="needs its suite"):
        CaseFilter(metric="recall")


def test_gates_in_short() -> None:
    assert parse_gate("demo.recall>=0.85") == Gate("demo.recall", at_least=0.85)
    assert parse_gate("demo.errors <= 0.1") == Gate("demo.errors", at_most=0.1)
    assert parse_gate("no_new_failures: {tag: critical}") == Gate(no_new_failures=CaseFilter("critical"))
    assert parse_gate("{metric: a.b, no_worse_than: r-0012, margin: 0.02}") == Gate(
        "a.b", no_worse_than="r-0012", margin=0.02
    )
    for wrong in ("", "recall", "a.b>0.5", "a.b>=x", "a.b>=0.5.1", "recall>=0.5", "a.b>=1e999", "tag: x", "{a: [}"):
        with pytest.raises(UserError, match="is not a gate"):
            parse_gate(wrong)


def test_an_unknown_key_names_the_nearest() -> None:
    with pytest.raises(UserError, match='Did you mean "no_new_failures"'):
        parse_gate("no_new_failure: {tag: critical}")
    with pytest.raises(UserError, match='Did you mean "tag"'):
        parse_gate("no_new_failures: {tga: critical}")


def test_rules_in_words() -> None:
    assert rule_text(Gate("a.b", at_least=0.5)) == "a.b at least 0.5"
    assert rule_text(parse_gate("metric: a.b, no_worse_than: main, margin: 0.02")) == (
        "a.b no worse than main by 0.02, 95 % confidence"
    )
    assert rule_text(parse_gate("no_new_failures: {tag: x, metric: a.b, than: main}")) == (
        "no new failures in tag x by a.b against main"
    )


@given(st.floats(-2, 2), st.lists(st.floats(-2, 2), min_size=1, max_size=2))
def test_a_number_shows_on_which_side_of_the_limits_it_lies(value: float, limits: list[float]) -> None:
    shown = float(telling(value, limits))
    assert [shown > limit for limit in limits] == [value > limit for limit in limits]
    assert [shown < limit for limit in limits] == [value < limit for limit in limits]
