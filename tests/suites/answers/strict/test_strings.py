"""Texts found at word boundaries, excluded texts, and texts that are denied."""

from __future__ import annotations

import pytest

from karat.suites.answers.strict.strings import string_match

CASES = [
    ("It is the UK.", "UK", "right"),
    ("It is Ukraine.", "UK", "wrong"),
    ("google  24OZ ring", "Google 24oz Ring", "right"),
    ("ＰＡＲＩＳ", "paris", "right"),
    ("C++ it is", "C++", "right"),
    ("It is not Paris", "Paris", "needs_review"),
    ("It isn't Paris", "Paris", "needs_review"),
    ("Paris isn't it", "Paris", "needs_review"),
    ("Paris is no longer it", "Paris", "needs_review"),
    ("It is no longer Paris, but Lyon", "Lyon", "right"),
    ("I do not know much. Paris.", "Paris", "right"),
    ("Not Paris in 2010; Paris in 2020", "Paris", "right"),
    ("", "Paris", "wrong"),
]


@pytest.mark.parametrize(("answer", "gold", "state"), CASES)
def test_one_text(answer: str, gold: str, state: str) -> None:
    verdict = string_match(answer, gold)
    assert verdict.state == state
    assert verdict.reason == ("" if state == "right" else "wrong_text")


def test_any_or_all() -> None:
    assert string_match("A", ["A", "B"])
    assert not string_match("A", ["A", "B"], conj="and")
    assert string_match("B, A", ["A", "B"], conj="and")
    assert string_match("A", ["A", "B"], conj="and").evidence["missing"] == ["B"]
    assert string_match("not A, B", ["A", "B"]).state == "right"
    assert string_match("B, not A", ["A", "B"], conj="and").state == "needs_review"


def test_an_excluded_text_makes_it_wrong() -> None:
    verdict = string_match("Paris and London", ["Paris"], ["London", "Rome"])
    assert (verdict.state, verdict.reason, verdict.evidence["found"]) == ("wrong", "extra_match_excluded", ["London"])


def test_an_excluded_text_inside_a_gold_text_is_no_extra_match() -> None:
    assert string_match("Google 24oz Ring Bottle Blue", "Google 24oz Ring Bottle Blue", ["Google 24oz Ring"])


def test_an_excluded_text_that_is_denied_needs_a_person() -> None:
    assert string_match("Paris, not London", "Paris", ["London"]).state == "needs_review"
