"""Numbers that stand in an answer by chance: in an error message, in the message of an empty result, or as the factor
of a comparison. Each is for a person, for gold that is a number as for gold that is a text."""

from __future__ import annotations

import pytest

from karat.suites.answers.records import Verdict
from karat.suites.answers.strict.numbers import number_match
from karat.suites.answers.strict.strings import string_match

RATIOS = [
    "The answer is 3x higher",
    "It is 3x.",
    "three times as many",
    "It is 3× the average.",
    "Sales grew 3-fold.",
    "3 times as many",
    "3-times higher",
]
RATIOS += [
    "larger by a factor of 3",
    "3 mal so viele",
    "3-fach",
    "3 fois plus",
    "3 veces más",
    "в 3 раза больше",
    "3倍",
]
MESSAGES = [
    *(("HTTP 404 Not Found", 404), ("404 Not Found", 404), ("Error 404", 404), ("500 Internal Server Error", 500)),
    *(("The query timed out after 30 s.", 30), ("timeout after 30 seconds", 30), ("30 s timeout", 30)),
    *(("The process exited with code 1", 1), ("exit code: 1", 1), ("ERROR 1064 (42000): syntax", 1064)),
    *(("ValueError: 5 is no key", 5), ("Fehler: 5", 5), ("Erreur 5", 5), ("Ошибка: 5", 5), ("错误：5", 5)),
    *(("0 rows returned", 0), ("Error: 0 results", 0), ("The query returned 0 rows.", 0), ("0 Zeilen", 0)),
    *(("Query OK, 0 rows affected", 0), ("0 lignes retournées", 0), ("0 filas", 0), ("(0 rows)", 0)),
]
ANSWERS = [
    *(("It happened 3 times", 3), ("3 times per year", 3), ("3 mal", 3), ("a scale factor of 3", 3)),
    *(
        ("The 404 page is one; the answer is 404", 404),
        ("Errors: 3", 3),
        ("Error rate: 5", 5),
        ("There were 3 errors", 3),
    ),
    *(("the mean squared error: 3", 3), ("The query timed out at first, but the answer is 5", 5)),
    *(("Error: retried\nThe answer is 5", 5), ("Terror attacks: 5", 5)),
    *(("There are 0 results", 0), ("The answer is 0 rows", 0), ("0 stations", 0), ("Total: 0 records", 0), ("0", 0)),
]


def both(answer: str, gold: int) -> list[Verdict]:
    return [number_match(answer, gold), string_match(answer, str(gold))]


@pytest.mark.parametrize("answer", RATIOS)
def test_a_factor_is_another_quantity(answer: str) -> None:
    assert {(found.state, found.reason) for found in both(answer, 3)} == {("needs_review", "two_readings")}


def test_gold_that_is_a_factor_is_not_doubted() -> None:
    assert number_match("Sales grew 3x.", "3x").state == string_match("Sales grew 3x.", "3x").state == "right"


@pytest.mark.parametrize(("answer", "gold"), MESSAGES)
def test_a_message_of_a_program_is_no_answer(answer: str, gold: int) -> None:
    assert {(found.state, found.reason) for found in both(answer, gold)} == {("needs_review", "hedged")}


def test_a_name_in_an_error_message_is_no_answer() -> None:
    assert string_match("Error: table harbour has 5 faults", "Harbour").state == "needs_review"
    assert string_match("Error rates are highest in Harbour", "Harbour").state == "right"


@pytest.mark.parametrize(("answer", "gold"), ANSWERS)
def test_words_of_messages_and_factors_in_an_answer(answer: str, gold: int) -> None:
    assert {found.state for found in both(answer, gold)} == {"right"}


@pytest.mark.parametrize(
    ("answer", "gold", "state"),
    [
        *(("$100.00", "100", "needs_review"), ("It is 1,000.0.", "1000", "needs_review")),
        *(("1.2 million", "1200000", "needs_review"), ("12 percent", "12%", "needs_review")),
        *(("3.10", "3.1", "needs_review"), ("€100", "100", "right"), ("100 km", "100", "right")),
        *(("$100.50", "100", "wrong"), ("€100", "$100.00", "wrong"), ("7", "007", "wrong"), ("0.12", "12%", "wrong")),
        *(("the X-axis", "X", "needs_review"), ("X-Achse", "X", "needs_review"), ("X-ray", "X", "wrong")),
    ],
)
def test_a_text_that_is_written_in_another_way_is_for_a_person(answer: str, gold: str, state: str) -> None:
    assert string_match(answer, gold).state == state
