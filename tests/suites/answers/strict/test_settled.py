"""Answers as assistants write them that name gold and do not settle on it: none of them may be right."""

from __future__ import annotations

import pytest

from karat.suites.answers.strict.numbers import number_match
from karat.suites.answers.strict.strings import string_match

NOT_KNOWN = [
    "I don't have enough information; the table has 12 columns.",
    "Unfortunately, I can't calculate this. The table has 12 columns.",
    "I was unable to find the answer in the 12 documents provided.",
    "There is no data available for the 12 countries.",
    "Es tut mir leid, das kann ich nicht beantworten. Es gibt 12 Tabellen.",
    "Je ne sais pas. Il y a 12 tables.",
    "No lo sé. Hay 12 tablas.",
    "我不知道。共有12个表。",
    "لا أعرف. هناك 12 جدولاً",
    "Vielleicht 12.",
]
PARTS = [
    *("The answer is 35-45", "35..45", "It is 35 to 45.", "between 35 and 45", "2 ± 35", "The answer is 35 / 2."),
    *("The sum is 35 + 5", "The answer is 35 * 14", "2^35", "It is 35 times 3.", "35 °C below zero"),
]


@pytest.mark.parametrize("answer", NOT_KNOWN)
def test_an_assistant_that_says_that_it_does_not_know_did_not_answer(answer: str) -> None:
    assert (number_match(answer, 12).state, number_match(answer, 12).reason) == ("needs_review", "hedged")


@pytest.mark.parametrize(
    "answer",
    [
        "Sorry for the wait! The number is 12.",
        "The 12 customers that could not find a product left.",
        "12 customers do not have access.",
        "12. Would you like to see more?",
        "The number is 12. Is there anything else I can help with?",
        "Between 2019 and 2021, 12 stations were closed.",
        "Ages 18-25: 12",
        "12 - the highest so far",
        "Answer: 12\nConfidence: 95%",
    ],
)
def test_ordinary_words_around_the_right_number_stay_right(answer: str) -> None:
    assert number_match(answer, 12).state == "right"


@pytest.mark.parametrize("answer", PARTS)
def test_a_part_of_a_range_or_calculation_is_no_answer(answer: str) -> None:
    assert number_match(answer, 35).state == "needs_review"


def test_the_result_of_a_calculation_is_the_answer() -> None:
    assert number_match("84 / 2 = 42", 42).state == "right"
    assert number_match("The answer is 84 / 2 = 42", 84).state == "needs_review"


@pytest.mark.parametrize("answer", ["2020 and 2021", "It was between 2019 and 2021.", "In 2019, and again in 2021"])
def test_another_year_is_another_answer_where_gold_is_a_year(answer: str) -> None:
    assert number_match(answer, 2021).state == "needs_review"
    assert number_match("The year was 2021.", 2021).state == "right"


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        *(("Es sind fünf Stationen.", 5), ("Il y en a cinq.", 5), ("einundzwanzig", 21), ("quatre-vingt-dix-sept", 97)),
        *(("veintidós", 22), ("trinta e dois", 32), ("двадцать один", 21), ("五个", 5), ("一百五十万", 1_500_000)),
        *(("خمسة", 5), ("पाँच", 5), ("zwei Millionen", 2_000_000), ("anderthalb Millionen", 1_500_000), ("ventuno", 21)),
        *(("½", 0.5), ("3½", 3.5), ("two and a half million", 2_500_000), ("two-thirds", 0.6667), ("2/3", 0.6667)),
        *(("three point five", 3.5), ("In 2023, five stations closed.", 5), ("10³", 1000), ("10^-3", 0.001)),
        *(("rund 1,2 Mio. Einwohner", 1_200_000), ("1,5 millones", 1_500_000)),
    ],
)
def test_a_number_that_is_not_read_for_certain_is_not_wrong(answer: str, gold: float) -> None:
    assert (number_match(answer, gold).state, number_match(answer, gold).reason) == ("needs_review", "two_readings")
    assert number_match(answer, 8.25).state == "wrong"


def test_marks_after_a_number_are_no_part_of_it() -> None:
    assert number_match("50km²", 50).state == "right"
    assert number_match("50m2", 50).state == "right"
    assert number_match("42¹", 42).state == "needs_review", "a footnote, or the first power"


def test_letters_are_small_beside_one_that_grows() -> None:
    assert number_match("Straße: NOT 5.", 5).reason == "negated"


@pytest.mark.parametrize(
    ("answer", "gold", "reason"),
    [
        ("The answer is Paris. Sorry, actually it's Lyon.", "Paris", "several_answers"),
        ("Paris... no wait, Lyon.", "Paris", "several_answers"),
        ("Paris. Correction: Lyon.", "Paris", "several_answers"),
        ("Did you mean Paris?", "Paris", "several_answers"),
        ("Which one do you want: Paris, Lyon, Nice?", "Paris", "several_answers"),
        ("Initially I thought Paris, but it is Lyon.", "Paris", "negated"),
        ("It used to be Paris.", "Paris", "negated"),
        ("Everyone thinks it's Paris. It's Lyon.", "Paris", "negated"),
        ("Paris ist es nicht.", "Paris", "negated"),
        ("I'm not able to answer this question about Paris.", "Paris", "hedged"),
        ("No data found for Paris.", "Paris", "hedged"),
        ("There is no doubt: yes.", "no", "several_answers"),
        ("Yes, no question.", "no", "several_answers"),
        ("North-East", "North", "two_readings"),
        ("Guinea-Bissau", "Guinea", "two_readings"),
        ("A-1-2", "A-1", "two_readings"),
        ("2021-03-04", "2021-03", "two_readings"),
        ("14:30:15", "14:30", "two_readings"),
        ("100 million", "100", "two_readings"),
        ("2010-2015", "2015", "two_readings"),
    ],
)
def test_a_text_that_is_there_and_is_not_what_the_answer_says(answer: str, gold: str, reason: str) -> None:
    verdict = string_match(answer, gold)
    assert (verdict.state, verdict.reason) == ("needs_review", reason)


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        *(("Sorry, the answer is Paris.", "Paris"), ("Paris. Let me know if you need more!", "Paris")),
        *(("The answer is Paris. Is that what you were looking for?", "Paris"), ("Paris, not Lyon", "Paris")),
        *(("The answer is Lyon. Sorry, actually it's Paris.", "Paris"), ("Berlin-based firm", "Berlin")),
        *(("No, there was no increase.", "no"), ("Coca-Cola", "Coca-Cola"), ("product ABC-12: 4", "ABC-12")),
        ("2021-03-04T00:00:00Z", "2021-03-04"),
    ],
)
def test_ordinary_words_around_the_right_text_stay_right(answer: str, gold: str) -> None:
    assert string_match(answer, gold).state == "right"
