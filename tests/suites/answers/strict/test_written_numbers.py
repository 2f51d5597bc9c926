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
    ("In May 12,480 passengers sailed.", 12480, "right"),  # no day of May
    ("In May 12.5 million passengers sailed.", 12.5e6, "right"),
    ("In May 12 480 passengers sailed.", 12480, "right"),
    ("On May 12 480 passengers sailed.", 480, "needs_review"),
    ("On May 12, 480 passengers sailed.", 480, "right"),
    ("In May 5400 passengers sailed.", 5400, "right"),  # no year
    ("In May 12 ships sailed.", 12, "right"),
    ("On May 12 ships sailed.", 12, "wrong"),
    ("In May 12, 2024 there were 6.", 6, "right"),
    ("three", 3, "right"),
    ("There are three stations.", 3, "right"),
    ("There are three stations in 2 towns.", 3, "needs_review"),
    ("Three or four", 3, "needs_review"),
    ("The one that closed is Harbour.", 1, "wrong"),
    ("One.", 1, "right"),
    ("No one.", 1, "wrong"),
    ("forty-two", 42, "right"),
    ("One thousand two hundred and thirty-four", 1234, "right"),
    ("two million, five hundred thousand", 2_500_000, "right"),
    ("two million", 2, "wrong"),
    ("three hundred", 3, "wrong"),
    ("three point five", 3, "wrong"),
    ("two thirds", 2, "wrong"),
    ("twenty-first", 20, "wrong"),
    ("a five-year plan", 5, "wrong"),
    ("several hundred", 100, "wrong"),
    ("two dozen", 24, "right"),
    ("5 hundred", 5, "wrong"),
    ("5 millions", 5_000_000, "right"),
    ("5 Mio. Euro", 5_000_000, "right"),
    ("5 Millionen", 5, "wrong"),
    ("3 mil millones", 3_000_000_000, "right"),
    ("5 lakh", 500_000, "right"),
    ("5 crore", 5, "wrong"),
    ("5万", 50_000, "right"),
    ("5万", 5, "wrong"),
    ("5千万", 5_000, "wrong"),
    ("5万2000", 2_000, "wrong"),
    ("共有5个客户。", 5, "right"),
    ("2020年5月3日", 5, "wrong"),
    ("第5名", 5, "wrong"),
    ("5M", 5, "wrong"),
    ("12.5k", 12.5, "wrong"),
    ("12.5k", 12_500, "right"),
    ("€5m", 5, "wrong"),
    ("$5 M", 5, "wrong"),
    ("$5 for each", 5, "right"),
    ("5M USD", 5_000_000, "right"),
    ("5‰", 5, "wrong"),
    ("433.5‰", 0.4335, "right"),
    ("5 bps", 0.0005, "right"),
    ("5 basis points", 5, "wrong"),
    ("1.234.567", 1_234_567, "needs_review"),
    ("1.234", 1_234, "needs_review"),
    ("4\u200b2", 42, "right"),
    ("2023-12", 12, "wrong"),
    ("0,123", 123, "needs_review"),
    ("0,123", 0.123, "needs_review"),
    ("12,34,567", 1_234_567, "needs_review"),
    ("12,34,567", 1_234_568, "wrong"),
    ("5 bln", 5 * 10**9, "right"),
    ("$5 bil", 5, "wrong"),
    ("5 trn", 5, "wrong"),
    ("$5MM", 5_000_000, "right"),
    ("$5MM", 5, "wrong"),
    ("5 k", 5, "needs_review"),
    ("5 k", 5_000, "needs_review"),
    ("5 M", 5_000_000, "needs_review"),
    ("Rs 5 cr", 5, "needs_review"),
    ("5 cr", 50_000_000, "needs_review"),
    ("$5 mil", 5_000_000, "needs_review"),
    ("5 mm", 5, "right"),
    ("5 K-pop groups", 5, "right"),
    ("5 M&Ms", 5, "right"),
    ("5 kg", 5, "right"),
]


@pytest.mark.parametrize(("answer", "gold", "state"), CASES)
def test_a_number_in_words(answer: str, gold: float, state: str) -> None:
    verdict = number_match(answer, gold)
    expected: Any = ("wrong", "scale_100") if state == "scale" else None
    assert (verdict.state, verdict.reason) == expected if expected else verdict.state == state


def test_what_can_be_read_in_two_ways_says_so() -> None:
    assert number_match("12 480", 480).reason == "two_readings"
    assert number_match("(5.2)", 5.2).reason == "two_readings"


@pytest.mark.parametrize(
    ("answer", "gold", "state"),
    [
        ("5 kilometres", "5 km", "right"),
        ("It is 5 km long.", 5, "right"),
        ("5 stations", "5 km", "right"),
        ("5", "5 km", "right"),
        ("5 miles", "5 km", "wrong"),
        ("5 m", "5 minutes", "right"),
        ("5 m", "5 miles", "wrong"),
        ("5 hours", "5 minutes", "wrong"),
        ("$5", "€5", "wrong"),
        ("5 EUR", "€5", "right"),
        ("5 euros", "€5", "right"),
        ("5 dollars", "€5", "wrong"),
        ("A$5", "$5", "right"),
        ("A$5", "US$5", "wrong"),
        ("5 million EUR", "€5,000,000", "right"),
        ("5 million USD", "€5,000,000", "wrong"),
        ("5m EUR", "$5000000", "wrong"),
        ("5 pounds", "£5", "right"),
        ("5 pounds", "5 kg", "wrong"),
    ],
)
def test_a_number_of_another_unit_is_another_number(answer: str, gold: str | int, state: str) -> None:
    assert number_match(answer, gold).state == state


def test_several_golds_of_which_one_may_be_multiplied() -> None:
    assert number_match("5 k and 7", [5, 7], conj="and").reason == "two_readings"
