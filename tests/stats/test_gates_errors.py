"""Errors leave the mean. A rule that holds only because of that fails and says so."""

from __future__ import annotations

from karat.core.results.result import CaseResult, RepeatResult, has_errors, value_with_errors
from karat.core.scores import Score
from karat.stats.gates.verdicts import Gate, judge
from tests.stats.gate_results import METRICS, baselines, case, run

RIGHT = [case(f"c{n}", 1.0) for n in range(12)]


def test_a_floor_that_holds_only_without_the_errors_fails() -> None:
    now = run([*RIGHT[:6], *(case(f"e{n}", None, "error") for n in range(4))])
    (verdict,) = judge([Gate("demo.recall", at_least=0.8)], now, METRICS)
    assert (verdict.passed, verdict.value) == (False, 0.6)
    assert verdict.words == (
        "demo.recall is 1 over 6 cases, wanted at least 0.8; it holds only because errors were left out: "
        "with 4 cases in error counted it is 0.6"
    )
    (verdict,) = judge([Gate("demo.recall", at_least=0.6)], now, METRICS)
    assert verdict.passed
    (verdict,) = judge([Gate("demo.recall", at_least=0.8)], run([*RIGHT, case("m", None, "missing")]), METRICS)
    assert verdict.passed, "what was never asked is no error"
    assert verdict.words.endswith("wanted at least 0.8; 1 case has no answer and is not counted")


def test_where_lower_is_better_an_error_counts_1() -> None:
    now = run([*RIGHT[:6], *(case(f"e{n}", None, "error") for n in range(4))])
    (verdict,) = judge([Gate("demo.wrong_dataset", at_most=0.1)], now, METRICS)
    assert (verdict.passed, verdict.value) == (False, 0.4)


def test_no_worse_than_must_hold_with_the_errors_too() -> None:
    gate = Gate("demo.recall", no_worse_than="old", margin=0.2)
    before = run([*RIGHT, *(case(f"x{n}", 1.0) for n in range(12))], "r-0001")
    now = run([*RIGHT, *(case(f"x{n}", None, "error") for n in range(12))])
    (verdict,) = judge([gate], now, METRICS, baselines({"old": before}))
    assert not verdict.passed
    assert "only because errors were left out: with 12 cases in error counted" in verdict.words
    (verdict,) = judge([gate], run(RIGHT), METRICS, baselines({"old": before}))
    assert verdict.passed
    # A baseline with the same errors is no better.
    (verdict,) = judge([gate], now, METRICS, baselines({"old": now}))
    assert verdict.passed


def test_a_failed_try_of_several_counts_too() -> None:
    tries = (RepeatResult("scored", {"recall": Score(1.0)}), RepeatResult("error", {"recall": Score(None, "error")}))
    found = CaseResult("a", "scored", {"recall": Score(1.0)}, repeats=tries)
    assert has_errors(found)
    assert value_with_errors(found, "recall") == 0.5
    assert value_with_errors(case("b", None, "missing"), "recall") is None
