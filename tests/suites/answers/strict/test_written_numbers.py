"""The ways to write a number in a sentence: separators, signs, percent, currencies, words; and what can be read in two
ways."""

from __future__ import annotations

from typing import Any

import pytest

from karat.suites.answers.strict.numbers import number_match

CASES: list[tuple[str, float, str]] = [
    ("12 480", 12480, "right"),
    ("There were 12 480 visitors.", 12480, "right"),
    ("12\u00a0480", 12480, "right"),
    ("12\u202f480", 12480, "right"),
    ("12\u2009480.5", 12480.5, "right"),
    ("12'480", 12480, "right"),
    ("12\u2019480", 12480, "right"),
    ("1 234 567", 1234567, "right"),
    ("12 48", 1248, "wrong"),
    ("1234 567", 1234567, "wrong"),
    ("1,234 567", 1234567, "wrong"),
    ("12 480", 480, "needs_review"),
    ("Of 12 480 are left", 12, "needs_review"),
    ("12\u00a0480", 480, "wrong"),
    ("12'480", 480, "wrong"),
    ("minus 5.2", -5.2, "right"),
    ("It fell to minus 5.2 degrees.", -5.2, "right"),
    ("negative 5.2", -5.2, "right"),
    ("minus 5.2", 5.2, "wrong"),
    ("10 minus 5.2 is 4.8", 4.8, "right"),
    ("\u22125.2", -5.2, "right"),
    ("(5.2)", -5.2, "right"),
    ("(5.2)", 5.2, "needs_review"),
    ("($1,234)", -1234, "right"),
    ("The mean (5.2) was low.", 5.2, "right"),
    ("The mean (5.2) was low.", -5.2, "needs_review"),
    ("57.4 pct", 0.574, "right"),
    ("57.4 percent", 0.574, "right"),
    ("57.4 per cent", 0.574, "right"),
    ("57.4%", 0.574, "right"),
    ("57.4 pct", 0.00574, "scale"),
    ("1,234,567.89 EUR", 1234567.89, "right"),
    ("EUR 1,234,567.89", 1234567.89, "right"),
    ("CHF 1'234'567.89", 1234567.89, "right"),
    ("The market 5 years later had 7", 5, "needs_review"),
    ("maybe not 5 but 6. It is 6", 6, "right"),
    ("May 5, 2020: 6", 6, "right"),
    ("three", 3, "right"),
    ("There are three stations.", 3, "right"),
    ("There are three stations in 2 towns.", 3, "wrong"),
    ("Three or four", 3, "needs_review"),
    ("The one that closed is Harbour.", 1, "wrong"),
    ("One.", 1, "right"),
]


@pytest.mark.parametrize(("answer", "gold", "state"), CASES)
def test_a_number_in_words(answer: str, gold: float, state: str) -> None:
    verdict = number_match(answer, gold)
    expected: Any = ("wrong", "scale_100") if state == "scale" else None
    assert (verdict.state, verdict.reason) == expected if expected else verdict.state == state


def test_what_can_be_read_in_two_ways_says_so() -> None:
    assert number_match("12 480", 480).reason == "two_readings"
    assert number_match("(5.2)", 5.2).reason == "two_readings"
