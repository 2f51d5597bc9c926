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
    ("It is C++", "C", "wrong"),
    ("It is C++11.", "C", "wrong"),
    ("It is C#", "C", "wrong"),
    ("It is C\u266f", "C", "wrong"),
    ("It is C\u266f", "C#", "right"),
    ("C++, C# and C.", "C", "right"),
    ("It is C.", "C", "right"),
    ("C+++", "C++", "wrong"),
    ("A+B", "A", "right"),
    ("The grade is A+.", "A", "wrong"),
    ("The grade is B-", "B", "wrong"),
    ("UK-based", "UK", "right"),
    ("Disney+ has most", "Disney", "wrong"),
    ("ASP.NET it is", ".NET", "wrong"),
    ("It is .NET.", ".NET", "right"),
    ("shop.customers", "customers", "right"),
    ("R&D", "R", "wrong"),
    ("R&D", "R&D", "right"),
    ("AT&T", "T", "wrong"),
    ("3.5", "3", "wrong"),
    ("3.5", "5", "wrong"),
    (".5", "5", "wrong"),
    ("-5", "5", "wrong"),
    ("1,234", "234", "wrong"),
    ("1,234", "1", "wrong"),
    ("3,4,5", "4", "right"),
    ("It is 3. Then", "3", "right"),
    ("$5", "5", "right"),
    ("**Paris**", "Paris", "right"),
    ("1.Paris 2.Rome", "Rome", "right"),
    ("Cafe\u0301 Central", "Caf\u00e9", "right"),
    ("Cafe\u0301", "Cafe", "wrong"),
    ("\u0926\u093f\u0932\u094d\u0932\u0940 \u0939\u0948", "\u0926\u093f\u0932\u094d\u0932\u0940", "right"),
    ("\u0926\u093f\u0932\u094d\u0932\u0940", "\u0932\u094d\u0932", "wrong"),
    ("最大的城市是北京。", "北京", "right"),
    ("答えは東京です", "東京", "right"),
    ("最も多いのはコーヒーです。", "コーヒー", "right"),
    ("ｺｰﾋｰです", "コーヒー", "right"),
    ("こたえはさくらです", "さくら", "right"),
    ("가장 큰 도시는 서울입니다.", "서울", "right"),
    ("คำตอบคือกรุงเทพมหานครครับ", "กรุงเทพมหานคร", "right"),
    ("ຄຳຕອບແມ່ນວຽງຈັນ", "ວຽງຈັນ", "right"),
    ("ចម្លើយគឺភ្នំពេញ", "ភ្នំពេញ", "right"),
    ("答案是UK的首都", "UK", "right"),
    ("共3年", "3", "right"),
    ("共13年", "3", "wrong"),
    ("答案是上海。", "北京", "wrong"),
    ("不是北京，是上海。", "北京", "needs_review"),
    ("不是北京，是上海。", "上海", "right"),
    ("東京ではありません", "東京", "needs_review"),
    ("서울이 아닙니다", "서울", "needs_review"),
    ("ไม่ใช่กรุงเทพ", "กรุงเทพ", "needs_review"),
    ("It is not Paris", "Paris", "needs_review"),
    ("Unlike Paris, Lyon grew.", "Paris", "needs_review"),
    ("Lyon is larger than Paris.", "Paris", "needs_review"),
    ("Lyon is larger than Paris.", "Lyon", "right"),
    ("Compared with Lyon, Paris grew.", "Paris", "right"),
    ("Lyon, formerly Paris", "Paris", "needs_review"),
    ("Lyon statt Paris", "Paris", "needs_review"),
    ("Lyon au lieu de Paris", "Paris", "needs_review"),
    ("Lyon en vez de Paris", "Paris", "needs_review"),
    ("More than half of the users are in Paris.", "Paris", "right"),
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
    assert verdict.reason == {"right": "", "wrong": "wrong_text", "needs_review": "negated"}[state]


def test_all_texts_may_be_compared_with_each_other() -> None:
    assert string_match("Lyon is larger than Paris.", ["Lyon", "Paris"], conj="and").state == "right"


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


@pytest.mark.parametrize(
    ("gold", "answer", "state"),
    [
        ("C", "Objective-C", "wrong"),
        ("R", "The R-squared is high", "wrong"),
        ("C", "C, not C++", "right"),
        ("B", "Plan B - the cheap one", "right"),
        ("NET", "We use .NET", "wrong"),
        ("Paris", "...Paris", "right"),
        ("Paris", "a Paris-based firm", "right"),
        ("O'Brien", "It is O\u2019Brien.", "right"),
        ("non-profit", "a non\u2011profit firm", "right"),
        ("profit", "a non-profit firm", "needs_review"),
        ("1990-2000", "from 1990\u20132000", "right"),
        ("\u0130stanbul", "istanbul", "right"),
        ("12", "\u0661\u0662", "right"),
        ("Paris", "Es ist nicht Paris", "needs_review"),
        ("Paris", "Ce n\u2019est pas Paris", "needs_review"),
        ("\u041c\u043e\u0441\u043a\u0432\u0430", "\u043d\u0435 \u041c\u043e\u0441\u043a\u0432\u0430", "needs_review"),
    ],
)
def test_signs_and_words_of_other_writers(gold: str, answer: str, state: str) -> None:
    assert string_match(answer, gold).state == state
