"""An answer that names several candidates, or says that it does not know, is not settled; ordinary words around the
gold text are fine."""

from __future__ import annotations

import pytest

from karat.suites.answers.strict.numbers import number_match
from karat.suites.answers.strict.strings import string_match

SETTLED = [
    "Harbour",
    "The station that closed is Harbour.",
    "The answer is Harbour, and it closed in 2019.",
    "In 2019, Harbour, which had been busy, was closed.",
    "Harbour: 57 passengers",
    "Harbour, 57",
    "After Campus and Park had been renovated, the busiest station was Harbour.",
    "**Harbour**",
    "The Harbour station, for better or worse.",
    "harbour\n\nThat is the station with most passengers.",
]
SETTLED += [
    "It is probably Harbour.",
    "I think it is Harbour",
    "Campus, Harbour",
    "It is Campus, Park and Harbour.",
    "Harbour/Station",
    "I do not know much about trains. Harbour.",
    "It is unknown who built it; the station is Harbour.",
]
SEVERAL = ["Harbour or Station", "Station or Harbour", "Either Harbour or Station.", "It is Campus, Park or Harbour."]
HEDGED = [
    "I do not know; maybe Harbour",
    "I don't know. Harbour?",
    "Maybe Harbour.",
    "It might be Harbour",
    "Perhaps it is Harbour",
    "I'm not sure, but Harbour.",
    "I cannot determine the station. One candidate is Harbour.",
]


@pytest.mark.parametrize("answer", SETTLED)
def test_ordinary_words_around_the_right_text_stay_right(answer: str) -> None:
    assert string_match(answer, "Harbour").state == "right"


@pytest.mark.parametrize("answer", SEVERAL)
def test_several_candidates_need_a_person(answer: str) -> None:
    verdict = string_match(answer, "Harbour")
    assert (verdict.state, verdict.reason) in {("needs_review", "several_answers"), ("needs_review", "hedged")}


@pytest.mark.parametrize("answer", HEDGED)
def test_an_answer_that_is_not_sure_needs_a_person(answer: str) -> None:
    verdict = string_match(answer, "Harbour")
    assert (verdict.state, verdict.reason) == ("needs_review", "hedged")


def test_several_names_of_one_gold_are_no_candidates() -> None:
    assert string_match("Harbour or Harbor", ["Harbour", "Harbor"]).state == "right"
    assert string_match("Campus, Park and Quay", ["Quay", "Park", "Campus"], conj="and").state == "right"
    assert string_match("Trinidad and Tobago", "Trinidad and Tobago").state == "right"


def test_words_inside_gold_are_no_doubt() -> None:
    assert string_match("The song is Maybe Baby.", "Maybe Baby").state == "right"
    assert string_match("Unknown Pleasures", "Unknown Pleasures").state == "right"


def test_a_number_that_is_only_guessed_needs_a_person() -> None:
    assert number_match("I do not know; maybe 5.", 5).reason == "hedged"
    assert number_match("It is about 5.", 5).state == "right"
    assert number_match("5 or 7", 5).reason == "several_answers"
    assert number_match("It is not 5.", 5).reason == "negated"
