"""The explanation of a case, whatever its suite: also of one without an answer, of an unknown suite and of another
version's details."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from karat.core.explanation import (
    Explanation,
    Line,
    differing_lines,
    explaining,
    plain_details,
    read_details,
    unexplained,
)
from karat.core.metric import pass_metric
from karat.core.plugins import load_suite
from karat.core.presentation.case_explanation import explanation_of, target_of
from karat.core.results.failures.failures import failures_of
from karat.core.results.result import CaseResult
from karat.core.scores import Score


class Kept(msgspec.Struct, frozen=True):
    words: tuple[str, ...]
    by_turn: dict[int, int] = {}


def test_details_go_to_json_values_and_back() -> None:
    kept = Kept(("a", "b"), {1: 2})
    plain = plain_details(kept)
    assert plain == {"words": ["a", "b"], "by_turn": {"1": 2}}
    assert read_details(Kept, plain) == kept
    assert read_details(Kept, {}) is None
    assert read_details(Kept, {"words": 3}) is None


def test_half_a_surrogate_pair_becomes_visible() -> None:
    assert plain_details(Kept(("\udfff",)))["words"] == ["\\udfff"]
    assert read_details(Kept, {"words": ["a"], "\udfff": 1}) == Kept(("a",))


def test_details_of_another_form_give_their_reason() -> None:
    explain = explaining(Kept, lambda kept, _target: Explanation(outcome="wrong", reason=kept.words[0]))
    assert explain({"words": ["first"]}, None).reason == "first"
    assert explain({"words": 3, "reason": "old words"}, None).reason == "old words"


def test_a_case_without_an_answer_is_explained_by_its_error() -> None:
    case = CaseResult("c", "error", {}, {}, error="429 after 5 tries")
    found = explanation_of("data_query", case)
    assert (found.outcome, found.reason, found.headline) == ("error", "429 after 5 tries", "429 after 5 tries")


def test_a_suite_that_is_not_installed() -> None:
    case = CaseResult("c", "scored", {"m": Score(0.0)}, {"reason": "too loud", "other": 1})
    found = explanation_of("no_such_suite", case)
    assert (found.outcome, found.reason, found.headline) == ("wrong", "too loud", "too loud")
    assert target_of("no_such_suite", {"id": "c"}) is None


def test_without_a_reason_of_the_suite_a_metric_gives_the_headline() -> None:
    scores = {
        "m": Score(None, "not_applicable", "nothing relevant"),
        "latency": Score(None, "not_applicable", "unknown"),
    }
    found = explanation_of("retrieval", CaseResult("c", "scored", scores, {"fields": []}))
    assert (found.reason, found.headline) == ("", "nothing relevant")


def test_lines_of_two_texts() -> None:
    assert differing_lines("a\nb", "a\nc") == (Line("same", "a"), Line("missing", "b"), Line("extra", "c"))
    assert differing_lines("a\n" * 3000, "b\n" * 3000) == ()


def test_a_suite_that_explains_nothing_is_right_or_wrong_by_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = replace(load_suite("data_query"), explain=unexplained)
    monkeypatch.setattr("karat.core.presentation.case_explanation.load_suite", lambda name: plain)
    monkeypatch.setattr("karat.core.presentation.case_explanation._explain", lambda name: unexplained)
    judging = pass_metric(plain.metrics)
    assert judging is not None

    def told(score: Score) -> Explanation:
        return explanation_of("plain", CaseResult("c", "scored", {"other": Score(0.0), judging.name: score}, {}))

    assert told(Score(1.0)).outcome == "right"
    assert told(Score(0.9999999999)).outcome == "right", "a mean over turns"
    assert told(Score(0.5)).outcome == "wrong"
    wrong = told(Score(0.0, reason="said yes, expected no"))
    assert (wrong.outcome, wrong.reason, wrong.headline) == ("wrong", "said yes, expected no", "said yes, expected no")
    assert failures_of(wrong), "it is in a failure group"
    assert told(Score(None, "not_applicable")).outcome == "right", "nothing says that it is wrong"


@pytest.mark.parametrize(
    ("scores", "outcome"),
    [
        ({"latency": Score(0.2), "first": Score(0.0, reason="no")}, "wrong"),
        ({"first": Score(0.5)}, "wrong"),
        ({"first": Score(1.0), "second": Score(0.0)}, "right"),
        ({"edits": Score(3.0)}, "needs_review"),
        ({"edits": Score(-1.0)}, "needs_review"),
        ({"first": Score(None)}, "needs_review"),
        ({}, "right"),
    ],
)
def test_a_case_of_a_suite_that_is_not_installed_is_right_only_if_its_first_figure_says_so(
    scores: dict[str, Score], outcome: str
) -> None:
    told = explanation_of("of another machine", CaseResult("c", "scored", scores, {"other": 1}))
    assert told.outcome == outcome
    assert (outcome == "needs_review") == ("is not installed here" in told.headline)
