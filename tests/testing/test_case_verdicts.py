"""What a case is as a test, rule by rule."""

from __future__ import annotations

import msgspec

import karat
from karat.core.results.result import CaseResult, CaseReview, RepeatResult, RunInfo, RunResult
from karat.core.scores import Score, scored
from karat.testing.verdicts import verdict_on

WRONG = {"answers": [{"outcome": "wrong"}]}


def result(*cases: CaseResult, reviews: tuple[CaseReview, ...] = ()) -> RunResult:
    return RunResult(RunInfo("retrieval", id="r-0001"), (), cases, reviews=reviews)


def state(case: CaseResult, **more: tuple[CaseReview, ...]) -> str:
    return verdict_on(result(case, **more), case).state


RIGHT = {"passed": scored(1.0)}


def test_right_wrong_error_and_missing() -> None:
    assert state(CaseResult("a", "scored", RIGHT)) == "passed"
    assert state(CaseResult("a", "scored", {"passed": scored(0.0)})) == "failed"
    assert state(CaseResult("a", "scored", {"passed": scored(0.999)})) == "failed"
    assert state(CaseResult("a", "error", {}, error="timeout")) == "failed"
    assert state(CaseResult("a", "missing", {})) == "failed"


def test_a_case_that_failed_in_one_of_its_tries_fails() -> None:
    tries = (RepeatResult("scored", RIGHT), RepeatResult("error", {}, error="timeout"))
    case = CaseResult("a", "scored", RIGHT, repeats=tries)
    verdict = verdict_on(result(case), case)
    assert (verdict.state, verdict.reason) == ("failed", "error: timeout")


def test_no_verdict_is_never_a_pass() -> None:
    assert state(CaseResult("a", "not_applicable", {}, error="gold is unreadable")) == "no_verdict"
    undefined = CaseResult("a", "scored", {"passed": Score(None, "not_applicable", "0/0")})
    assert state(undefined) == "no_verdict"
    assert state(CaseResult("a", "scored", {})) == "no_verdict"


def test_a_case_that_needs_review_goes_by_what_people_say() -> None:
    gold = {
        "instance_id": "t",
        "question": "Which?",
        "evaluation": {"func": "string_match", "parameters": {"gold": ["a"]}},
    }
    found = karat.score(suite="answers", cases=[gold], predictions=[{"id": "t", "answer": "a"}])
    base = found.cases[0]
    details = {**base.details, "strict": {**base.details["strict"], "state": "needs_review"}}
    case = msgspec.structs.replace(base, details=details)

    def given(*reviews: CaseReview) -> str:
        return verdict_on(msgspec.structs.replace(found, cases=(case,), reviews=reviews), case).state

    assert given() == "no_verdict"
    assert given(CaseReview("t", "pass", "Ada")) == "passed"
    assert given(CaseReview("t", "fail", "Ada")) == "failed"
    assert given(CaseReview("t", "gold_wrong", "Ada")) == "no_verdict"
    assert given(CaseReview("t", "pass", "Ada"), CaseReview("t", "fail", "Bob")) == "no_verdict"  # disputed
