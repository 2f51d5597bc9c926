"""Answers in words, with cases to check by hand; and agreement with the literal algorithm."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.suites.answers.spider2 import number_match, string_match
from karat.suites.answers.spider2.numbers import numbers_in
from tests.suites.answers.spider2 import literal
from tests.suites.answers.spider2.agreeing import literally


@pytest.mark.parametrize(
    ("pred", "gold", "options", "passes"),
    [
        ("It is Paris.", "paris", {}, True),
        ("Ukulele", "UK", {}, True),  # within a word too
        ("It is not Paris", ["Paris"], {}, True),  # no sense of negation
        ("Rome", ["Paris", "Rome"], {}, True),
        ("Rome", ["Paris", "Rome"], {"conj": "and"}, False),
        ("Rome, Paris", ["Paris", "Rome"], {"conj": "and"}, True),
        ("Paris and Rome", ["Paris"], {"exclude": ["rome"]}, False),
        ("Pajis", ["Pajis"], {"exclude": "Rome"}, True),  # a text excludes its characters: r, o, m, e
        ("Paris, Texas", ["Paris"], {"exclude": "Rome"}, False),
        ("Paris", ["Paris"], {"exclude": ""}, True),
        ("Paris", ["Paris"], {"exclude": [""]}, False),
        ("Paris", ["Paris"], {"exclude": []}, True),
        ("Paris", [], {}, False),
        ("Paris", [], {"conj": "and"}, True),
    ],
)
def test_string_match(pred: str, gold: Any, options: dict[str, Any], passes: bool) -> None:
    assert bool(string_match(pred, gold, **options)) is passes
    assert literal.string_match(pred, gold, **options) is passes


def test_exclude_that_is_null_fails_every_answer() -> None:
    verdict = string_match("Paris", ["Paris"], exclude=None)
    assert (verdict.reason, verdict.evidence["error"]) == (
        "gold_error",
        "TypeError: exclude is null, not a list of texts",
    )
    assert literally(literal.string_match, "Paris", ["Paris"], exclude=None) is False
    verdict = string_match("Paris", None)  # type: ignore[arg-type]  # wrong on purpose
    assert literally(literal.string_match, "Paris", None) is bool(verdict) is False


def test_why_a_text_fails() -> None:
    assert string_match("Rome", ["Paris"]).reason == "wrong_text"
    excluded = string_match("Paris and Rome", ["Paris"], exclude=["Rome"])
    assert (excluded.reason, excluded.evidence) == ("extra_match_excluded", {"excluded": ["Rome"]})
    assert string_match("5", [5]).reason == "gold_error"  # type: ignore[list-item]  # wrong on purpose


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,234.5 and 12", [1234.5, 12]),
        ("12,3456", [12, 3456]),
        ("1,234,56", [1234, 56]),
        ("50%", [0.5]),
        ("-5", [5]),
        ("1e5", []),
        (".5", [5]),
        ("a12 12a 3rd", []),
        ("12.5.3", [12.5, 3]),
        ("12.5kg", [12.5]),
        ("2020-01-31", [2020, 1, 31]),
        ("", []),
    ],
)
def test_which_numbers_are_found(text: str, numbers: list[float]) -> None:
    assert numbers_in(text) == numbers


@pytest.mark.parametrize(
    ("pred", "gold", "options", "passes"),
    [
        ("17.5056918%", "17.5056918795851%", {"percentage": True}, True),
        ("17.5056", "0.175056", {}, False),
        ("17.5056", "0.175056", {"percentage": True}, True),
        ("0.5 of 50", ["0.5", "50%"], {"percentage": True, "conj": "and"}, True),
        ("0.5", ["0.5", "50%"], {"percentage": True, "conj": "and"}, False),  # 50 is wanted as well
        ("50", "0.5", {"percentage": True, "conj": "and"}, False),
        ("0", "0", {"percentage": True, "conj": "and"}, True),
        ("0.5 or 50", 0.5, {"percentage": True, "conj": "and"}, False),  # one number only
        ("7 or 700", 7, {"percentage": True, "conj": "and"}, True),
        ("3 of 1106", 1106, {}, True),  # an int skips the rule of one number
        ("3 of 1106", "1106", {}, False),
        ("3 of 1106", [1106], {}, False),
        ("3 of 1106", 1106.0, {}, False),
        ("3 of 1106", [3, 5], {}, True),
        ("3 of 1106", [3, 5], {"conj": "and"}, False),
        ("3 of 1106", ["3", 1106], {"conj": "and"}, True),
        ("1.00009", "1", {}, True),
        ("1.0002", "1", {}, False),
        ("1.0002", "1", {"precision": 3}, True),
        ("52830537.93", "52830538.93", {}, False),  # not relative
        ("-5", "5", {}, True),
        ("-5", "-5", {}, False),
        ("nothing", 5, {}, False),
    ],
)
def test_number_match(pred: str, gold: Any, options: dict[str, Any], passes: bool) -> None:
    assert bool(number_match(pred, gold, **options)) is passes
    assert literal.number_match(pred, gold, **options) is passes


def test_why_a_number_fails() -> None:
    verdict = number_match("3 of 4", "3")
    assert verdict.reason == "wrong_number"
    assert "exactly one" in verdict.evidence["rule"]
    assert number_match("3", "three").reason == "gold_error"
    assert number_match("3", "3", conj="xor").reason == "gold_error"


answers = st.lists(st.sampled_from(["5", "-5", "1,000", ",", "12%", " ", ".5", "1e3", "a", "0.05", "500", "."])).map(
    "".join
)
golds = st.sampled_from(
    ["5", 5, 5.0, "5%", "0.05", ["5"], ["5", 1000], [0.12, "12"], "-5", "x", [], "1,000", True, None, {"5": 5}, "%5"]
)


@given(answers, golds, st.booleans(), st.integers(0, 5), st.sampled_from(["or", "and"]))
def test_numbers_agree_with_the_literal_algorithm(
    pred: str, gold: Any, percentage: bool, precision: int, conj: str
) -> None:
    expected = literally(literal.number_match, pred, gold, percentage, precision, conj)
    assert bool(number_match(pred, gold, percentage, precision, conj)) is expected
