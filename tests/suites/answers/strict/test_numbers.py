"""Numbers as people write them, and several numbers in one answer."""

from __future__ import annotations

from typing import Any

import pytest

from karat.suites.answers.strict.found_numbers import Tolerance, find_numbers
from karat.suites.answers.strict.numbers import number_match
from karat.tables.options import CompareOptions


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("184", [184]),
        ("-184 and +3", [-184, 3]),
        ("1.84e2", [184]),
        ("1,234.5", [1234.5]),
        (".5", [0.5]),
        ("-$5, $-5, €7", [-5, -5, 7]),
        ("12km, 5 kg", [12, 5]),
        ("184.", [184]),
        ("**184** (7)", [184, 7]),
        ("40231,5821972", [40231, 5821972]),
        ("on 2020-01-05 at 12:30:05", []),
        ("05/01/2020, 5 January 2020, January 5th, 2020, Jan 2020", []),
        ("the 3rd and the 21st", []),
        ("version 1.2.3, covid-19, bq123, 9478a2200", []),
        ("1. first 8\n2) second 9", [8, 9]),
        ("2010-2015", [2010, 2015]),
    ],
)
def test_numbers_in_a_text(text: str, shown: list[float]) -> None:
    assert [number.number for number in find_numbers(text)] == shown


@pytest.mark.parametrize(
    ("text", "factors"),
    [
        ("1.2 million", (10**6,)),
        ("1.2 billion", (10**9,)),
        ("3 thousand", (10**3,)),
        ("5m", (1, 10**6)),
        ("5M", (10**6,)),
        ("12.5k", (10**3,)),
        ("€5m, 5m USD", (10**6,)),
        ("5km", (1,)),
        ("5%", (1,)),
        ("5 percent", (1,)),
    ],
)
def test_what_a_number_is_multiplied_by(text: str, factors: tuple[int, ...]) -> None:
    found = find_numbers(text)[0]
    assert (found.factors, found.percent) == (factors, text.startswith("5%") or "percent" in text)


CASES: list[tuple[str, Any, dict[str, Any], str, str]] = [
    ("184", "184", {}, "right", ""),
    ("-184", 184, {}, "wrong", "wrong_number"),
    ("10001", 10000, {}, "wrong", "wrong_number"),
    ("12212", 12213, {}, "wrong", "wrong_number"),
    ("12,212", "12213", {}, "wrong", "wrong_number"),
    ("9007199254740993", 9007199254740992, {}, "wrong", "wrong_number"),
    ("9,007,199,254,740,993", 9007199254740993, {}, "right", ""),
    ("9007199254740993", 9007199254740992, {"precision": 2}, "wrong", "wrong_number"),
    ("123456789012345678901234567890", "123456789012345678901234567891", {}, "wrong", "wrong_number"),
    ("30000.0000001", 30000, {}, "right", ""),
    ("30000", 30000.0, {}, "right", ""),
    ("10000.6", 10001, {}, "right", ""),
    ("100001", 1e5, {}, "wrong", "wrong_number"),
    ("100001", "1e5", {}, "right", ""),
    ("0.12", "0.1234", {}, "right", ""),
    ("0.66123", 0.66, {}, "right", ""),
    ("1235", 1234.56, {}, "right", ""),
    ("0.50", 0.4951, {}, "right", ""),
    ("0.5", 0.4951, {}, "wrong", "wrong_number"),
    ("0.0", 0.0049, {}, "wrong", "wrong_number"),
    ("0", 0.004, {}, "wrong", "wrong_number"),
    ("0.01", 0.0149, {}, "wrong", "wrong_number"),
    ("0.1", "0.1234", {}, "wrong", "wrong_number"),
    ("1.2 million", 1_234_567, {}, "right", ""),
    ("12 million", 12_345_678, {}, "wrong", "wrong_number"),
    ("3 million", 3_000_000, {}, "right", ""),
    ("3 million", 3_000_100, {}, "wrong", "wrong_number"),
    ("43.35%", 0.4335, {}, "right", ""),
    ("0.4335%", 0.4335, {}, "wrong", "scale_100"),
    ("0.4335%", 0.4335, {"percentage": True}, "wrong", "scale_100"),
    ("4335%", 0.4335, {"percentage": True}, "wrong", "scale_100"),
    ("0.004335", 0.4335, {"percentage": True}, "wrong", "scale_100"),
    ("43.35", 0.4335, {"percentage": True}, "right", ""),
    ("0.4335", "0.4335%", {}, "wrong", "scale_100"),
    ("0.4335", "43.35%", {}, "right", ""),
    ("43.35", "43.35%", {}, "right", ""),
    ("43.35 percent", "43.35%", {}, "right", ""),
    ("0.43", "0.43%", {"percentage": True}, "right", ""),
    ("43%", 0.4335, {}, "right", ""),
    ("4%", 0.0435, {}, "wrong", "wrong_number"),
    ("43.35% and 12%", [0.4335, 0.12], {"conj": "and"}, "right", ""),
    ("0.4335% and 0.12%", [0.4335, 0.12], {"conj": "and"}, "wrong", "wrong_number"),
    ("12.34%", 0.1234567, {"precision": 4}, "right", ""),
    ("1.2 million", 1_200_000, {}, "right", ""),
    ("17.5056918%", "17.5056918795851%", {"percentage": True}, "right", ""),
    ("0.175056918", "17.5056918795851%", {}, "right", ""),
    ("17.5%", 0.175, {}, "right", ""),
    ("17.5%", 17.5, {}, "right", ""),
    ("17.5", 0.175, {"percentage": True}, "right", ""),
    ("0.175", 17.5, {"percentage": True}, "right", ""),
    ("17.5", 0.175, {}, "wrong", "scale_100"),
    ("17.5%", "17.5056918795851%", {}, "right", ""),
    ("18%", "17.5056918795851%", {}, "right", ""),
    ("20%", "17.5056918795851%", {}, "wrong", "wrong_number"),
    ("12.3457", 12.34567, {"precision": 2}, "right", ""),
    ("12.36", 12.34567, {"precision": 2}, "wrong", "wrong_number"),
    ("123457", 123456.789, {"precision": 2}, "wrong", "wrong_number"),
    ("the 184th", 184, {}, "wrong", "wrong_number"),
    ("nothing", 184, {}, "wrong", "wrong_number"),
    ("40231 and 5821972", ["40231", "5821972"], {"conj": "and"}, "right", ""),
    ("40231", ["40231", "5821972"], {"conj": "and"}, "wrong", "wrong_number"),
    ("5821972", ["40231", "5821972"], {}, "right", ""),
    ("80502 and 3", 3, {"exclude": ["80502"]}, "wrong", "extra_match_excluded"),
    ("80501", "80501", {"exclude": ["80502"]}, "right", ""),
    ("80502", "80501", {"exclude": ["80502"]}, "wrong", "extra_match_excluded"),
    ("3", "three", {}, "gold_error", "gold_error"),
    ("3", [], {}, "gold_error", "gold_error"),
    ("3", "2020-01-01", {}, "gold_error", "gold_error"),
]


@pytest.mark.parametrize(("answer", "gold", "parameters", "state", "reason"), CASES)
def test_number_match(answer: str, gold: Any, parameters: dict[str, Any], state: str, reason: str) -> None:
    verdict = number_match(answer, gold, **parameters)
    assert (verdict.state, verdict.reason) == (state, reason)


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ("In 2019 there were 184 users.", "right"),
        ("The answer is 184 out of 500.", "right"),
        ("total = 184 (of 500 users)", "right"),
        ("184 and again 184.0", "right"),
        ("Out of 500 users, 184 bought.", "needs_review"),
        ("The total is 500, and 184 of them bought.", "needs_review"),
        ("It is 184 or it is 500.", "needs_review"),
        ("There were 184 in Q1, 211 in Q2 and 395 overall.", "needs_review"),
        ("There were 184 in Lyon and 395 users in total.", "needs_review"),
        ("There were 184 users, 12 of them in Lyon.", "right"),
        ("The total is 500, not 184.", "needs_review"),
        ("The answer is 500.", "wrong"),
    ],
)
def test_another_number_is_never_passed_over(answer: str, state: str) -> None:
    assert number_match(answer, 184).state == state


def test_what_was_needed_is_said() -> None:
    assert number_match("0.12", "0.1234").normalised == ("rounding",)
    assert number_match("10001", 10000.5).normalised == ("tolerance",)
    assert number_match("43.35%", 0.4335).normalised == ()
    assert number_match("184.0", 184).normalised == ()


def test_tolerance_is_an_option() -> None:
    loose = CompareOptions(rel_tol=0.1)
    assert number_match("109", 100.5, tolerance=Tolerance(loose))
    assert not number_match("109", 100, tolerance=Tolerance(loose))
    assert number_match("109", 100, tolerance=Tolerance(CompareOptions(rel_tol=0.1, whole_numbers="tolerance")))
    assert not number_match("0.12", "0.1234", tolerance=Tolerance(CompareOptions(rounding=False)))


@pytest.mark.parametrize(
    ("gold", "answer", "state"),
    [
        (12213, "\uff11\uff12\uff12\uff11\uff13", "right"),
        (12213, "\u0661\u0662\u0662\u0661\u0663", "right"),
        (12213, "\u0661\u0662\u066c\u0662\u0661\u0664", "wrong"),
        (0.1234, "12.34\uff05", "right"),
        (0.1234, "0.1234\uff05", "wrong"),
        (0.1234, "12.34 Prozent", "right"),
        (0.1234, "it rose by 12.34 percentage points", "right"),
        (0.1234, "0,1234", "needs_review"),
        (0.1234, "12,34 %", "needs_review"),
        (1234.56, "1.234,56", "needs_review"),
        (0.1234, "0,4321", "wrong"),
        (1e-9, "1 \u00d7 10^-9", "right"),
        (1e-9, "1\u00b710\u207b\u2079", "right"),
        (1e-9, "1x10^-8", "wrong"),
        (5000, "5*10^3", "right"),
        (-5, "\u20135", "right"),
        (-5, "minus five", "right"),
        (5, "minus five", "wrong"),
        (5, "3\u20135", "needs_review"),
    ],
)
def test_numbers_as_the_world_writes_them(gold: float, answer: str, state: str) -> None:
    assert number_match(answer, gold).state == state
