"""An answer that names several candidates, or says that it does not know, is not settled; ordinary words around the
gold text are fine."""

from __future__ import annotations

import pytest

from karat.suites.answers.strict import numbers
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
    "I do not know much about trains. Harbour.",
    "It is unknown who built it; the station is Harbour.",
]
SEVERAL = [
    "Harbour or Station",
    "Station or Harbour",
    "Either Harbour or Station.",
    "Harbour (or Station)",
    "Harbour; alternatively Station",
    "It is Campus, Park or Harbour.",
]
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


@pytest.mark.parametrize(
    "answer",
    ["more than 5", "at least 5", ">5", "≤ 5", "5+", "5 or more", "up to 5", "almost 5", "mindestens 5", "超过5个"],
)
def test_a_bound_is_not_the_number(answer: str) -> None:
    verdict = number_match(answer, 5)
    assert (verdict.state, verdict.reason) == ("needs_review", "hedged")
    assert verdict.evidence["why"] == "the answer gives the number only as a bound"


@pytest.mark.parametrize(
    "answer", ["<b>5</b>", "-> 5", "count=5", "5, at least in 2020", "There are 5 orders over $100"]
)
def test_signs_and_words_beside_a_number_that_are_no_bound(answer: str) -> None:
    assert number_match(answer, 5).state == "right"


@pytest.mark.parametrize(
    ("answer", "gold", "state"),
    [
        ("Is it Harbour? No, it is Campus.", "Harbour", "needs_review"),
        ("Is it Harbour? Yes, Harbour.", "Harbour", "right"),
        ("Harbour?", "Harbour", "right"),
        ("Harbour, Campus or Park", "Harbour", "needs_review"),
        ("Harbour, which is larger than Campus or Park.", "Harbour", "right"),
        ("If I had to guess: Harbour", "Harbour", "needs_review"),
        ("How many have 5 orders? I will look.", 5, "needs_review"),
    ],
)
def test_a_repeated_question_and_a_list_of_candidates_settle_nothing(answer: str, gold: str | int, state: str) -> None:
    found = string_match(answer, gold) if isinstance(gold, str) else number_match(answer, gold)
    assert found.state == state


@pytest.mark.parametrize(
    "answer",
    [
        "all stations but Harbour",
        "anything but Harbour",
        "apart from Harbour, all",
        "hardly Harbour",
        "unlikely to be Harbour",
        "Harbour is incorrect",
        "Harbour was ruled out",
        "Harbour cannot be the answer",
        "none of: Harbour",
        "~~Harbour~~ Campus",
    ],
)
def test_more_ways_to_deny(answer: str) -> None:
    assert string_match(answer, "Harbour").reason == "negated"


def test_what_nobody_sees_makes_no_difference() -> None:
    assert string_match("Har\u200bbour", "Harbour").state == "right"
    assert string_match("Harbour", "Har\u00adbour").state == "right"


def test_thousands_in_groups_are_no_shorter_number() -> None:
    assert string_match("10 000", "10").state == "wrong"
    assert string_match("In 2019 200 ships", "2019").state == "right"


@pytest.mark.parametrize("piece", ["5 and ", "five and ", "maybe 5. ", "5 or 6, "])
def test_the_work_grows_with_the_length_of_the_answer(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not with its square: the whole answer is folded once, not for each of its numbers."""
    folded: list[int] = []
    lower = numbers._lower

    def counted(text: str) -> str:
        folded.append(len(text))
        return lower(text)

    monkeypatch.setattr(numbers, "_lower", counted)
    number_match(piece * 200, 5)
    assert len(folded) == 1


def test_an_excluded_text_inside_a_longer_gold_text_is_not_said() -> None:
    assert string_match("Harbour East", ["Harbour East"], exclude="Harbour").state == "right"
    assert string_match("Harbour East, Harbour", ["Harbour East"], exclude="Harbour").reason == "extra_match_excluded"
    assert string_match("Harbour East", ["Harbour East", "Harbour"], exclude="Harbour").state == "right"
