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


def test_a_floor_that_holds_only_without_the_unanswered_cases_fails() -> None:
    few = run([*RIGHT[:3], *(case(f"m{n}", None, "missing") for n in range(97))])
    (verdict,) = judge([Gate("demo.recall", at_least=0.9)], few, METRICS)
    assert (verdict.passed, verdict.value) == (False, 0.03)
    assert verdict.words == (
        "demo.recall is 1 over 3 cases, wanted at least 0.9; it holds only because cases without an answer were left "
        "out: with 97 cases without an answer counted it is 0.03"
    )
    (verdict,) = judge([Gate("demo.recall", at_least=0.9, missing="leave_out")], few, METRICS)
    assert verdict.passed and verdict.rule == "demo.recall at least 0.9, missing answers left out"
    assert verdict.words.endswith("wanted at least 0.9; 97 cases have no answer and are not counted")
    (verdict,) = judge([Gate("demo.wrong_dataset", at_most=0.1)], few, METRICS)
    assert (verdict.passed, verdict.value) == (False, 0.97)
    one = run([*RIGHT, case("m", None, "missing")])
    (verdict,) = judge([Gate("demo.recall", at_least=0.8)], one, METRICS)
    assert verdict.passed, "it holds with the worst value, too"
    assert verdict.words.endswith("wanted at least 0.8; 1 case has no answer and is not counted")
    both = run([*RIGHT, case("m", None, "missing"), *(case(f"e{n}", None, "error") for n in range(2))])
    (verdict,) = judge([Gate("demo.recall", at_least=0.85)], both, METRICS)
    assert verdict.words.endswith(
        "it holds only because errors and cases without an answer were left out: with 2 cases in error and 1 case "
        "without an answer counted it is 0.8"
    )


def test_a_case_without_an_answer_counts_only_in_what_it_can_have() -> None:
    refusal = CaseResult("m", "missing", {"recall": Score(None, "not_applicable", "nothing is asked for")})
    (verdict,) = judge([Gate("demo.recall", at_least=1)], run([*RIGHT, with_all(refusal)]), METRICS)
    assert verdict.passed and verdict.words.endswith("1 case has no answer and is not counted")
    (verdict,) = judge([Gate("demo.right", at_least=1)], run([*RIGHT, with_all(refusal)]), METRICS)
    assert not verdict.passed


def with_all(found: CaseResult) -> CaseResult:
    missing = {metric.name: Score(None, "missing", "no prediction") for metric in METRICS}
    return CaseResult(found.id, found.status, missing | found.scores)


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
    unanswered = run([*RIGHT, *(case(f"x{n}", None, "missing") for n in range(12))])
    (verdict,) = judge([gate], unanswered, METRICS, baselines({"old": before}))
    assert not verdict.passed
    assert "left out: with 12 cases without an answer counted, demo.recall against" in verdict.words
    lenient = Gate("demo.recall", no_worse_than="old", margin=0.2, missing="leave_out")
    (verdict,) = judge([lenient], unanswered, METRICS, baselines({"old": before}))
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
