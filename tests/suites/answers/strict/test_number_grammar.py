"""Numbers whose value depends on what stands around their digits: scales, signs, units, dates, products."""

from __future__ import annotations

import pytest

from karat.suites.answers.strict.numbers import number_match

SCALES = [
    *(
        "5 (million)",
        "k€ 5",
        "5 kEUR",
        "5 MEUR",
        "EUR mn 5",
        "USD m 5",
        "(in thousands) 5",
        "5 (in millions)",
        "5 grand",
    ),
    *("5, in million USD", "5 (thousands of dollars)", "Total ($000): 5", "T€ 5", "5 T€"),
]
BELOW = ["down 5", "▼5", "5-", "- 5", "$(5)", "moins 5", "menos 5", "минус 5", "负5", "マイナス5"]
NO_NUMBERS = [
    *("5. Mai 2024", "le 5 mai 2024", "5 de mayo de 2024", "5 maggio", "5 maja 2024", "5 мая 2024 года", "5. května"),
    *(
        "5-May-24",
        "UTC+5",
        "GMT+5",
        "2024-W5",
        "令和5年",
        "5回目",
        "3e et 5e",
        "5-й",
        "see x.org/5",
        "results/5.csv",
        "5.json",
    ),
]


@pytest.mark.parametrize("answer", SCALES)
def test_a_scale_beside_a_number_is_for_a_person(answer: str) -> None:
    assert number_match(answer, 5).state == "needs_review"
    assert number_match(answer, 8).state == "wrong"


@pytest.mark.parametrize("answer", BELOW)
def test_what_may_be_below_zero_is_for_a_person(answer: str) -> None:
    assert number_match(answer, 5).state == "needs_review"
    assert number_match(answer, -5).state == "needs_review"


@pytest.mark.parametrize("answer", NO_NUMBERS)
def test_dates_ordinals_and_paths_are_no_numbers(answer: str) -> None:
    assert number_match(answer, 5).state == "wrong"


def test_dates_in_other_languages_leave_the_number_of_the_answer() -> None:
    assert number_match("Le 5 mai 2024, il y avait 7 navires.", 7).state == "right"
    assert number_match("Am 5. Mai 2024 gab es 7 Schiffe.", 7).state == "right"
    assert number_match("In the 1990s, 7 ships sailed.", 7).state == "right"


CASES: list[tuple[str, str | float, str]] = [
    *(
        ("5-million", 5_000_000, "right"),
        ("a 5-million-dollar deal", 5, "wrong"),
        ("The change is \u20115.", 5, "wrong"),
    ),
    *(("- 5\n- 7", 5, "needs_review"), ("- 5 ships\n- 7 tugs", -5, "needs_review"), ("Ships:\n- 5", 5, "right")),
    *(("12 процентов", 0.12, "right"), ("12パーセント", 0.12, "right"), ("%12", 0.12, "needs_review")),
    *(("12-15%", 0.12, "needs_review"), ("twelve percent", 0.12, "needs_review"), ("12% ± 2%", 0.12, "right")),
    *(
        ("It fell by 5%.", 0.05, "right"),
        ("It fell by 5%.", -0.05, "needs_review"),
        ("5 below zero", -5, "needs_review"),
    ),
    *(("1.2*10**3", 1200, "right"), ("1.2 x 10-3", 0.0012, "needs_review"), ("1,2×10³", 1200, "needs_review")),
    *(
        ("1.2 × 1000", 1200, "needs_review"),
        ("1_234_567", 1234567, "needs_review"),
        ("12,34,567.50", 1234567.5, "needs_review"),
    ),
    *(
        ("none of them", 0, "needs_review"),
        ("none of the 12", 0, "wrong"),
        ("There is exactly one.", 1, "needs_review"),
    ),
    *(("nineteen ninety-nine", 1999, "needs_review"), ("a million and a half", 1_500_000, "needs_review")),
    *(("twenty\u2011five", 25, "right"), ("twenty\u2011five", 20, "wrong"), ("point five", 0.5, "needs_review")),
    *(("minus fünf", -5, "needs_review"), ("FY2024", 2024, "needs_review"), ("one in 4", 0.25, "needs_review")),
    *(
        ("five (5)", 5, "right"),
        ("six (5)", 5, "needs_review"),
        ("Either 5 or six.", 5, "needs_review"),
        ("5zł", 5, "right"),
    ),
    *(
        ("7 (2023: 5)", 5, "needs_review"),
        ("5 ± 0.2", 5, "right"),
        ("Rs.5", 5, "right"),
        ("line 5: syntax error", 5, "needs_review"),
    ),
]


@pytest.mark.parametrize(("answer", "gold", "state"), CASES)
def test_a_number_by_what_is_around_it(answer: str, gold: str | float, state: str) -> None:
    assert number_match(answer, gold).state == state


UNITS = [
    *(
        ("5 hours", "5 hours per week", "needs_review"),
        ("5 km", "5 km²", "needs_review"),
        ("5 km", "5 square km", "needs_review"),
    ),
    *(
        ("5 km²", "5 square kilometres", "right"),
        ("5 km/h", "5 kilometres per hour", "right"),
        ("5 km", "5 nautical miles", "wrong"),
    ),
    *(
        ("5 miles", "5 nautical miles", "wrong"),
        ("5 ha", "5 acres", "wrong"),
        ("5 mph", "5 km/h", "wrong"),
        ("5 mg", "5 µg", "wrong"),
    ),
    *(("5 hours", "5 Stunden", "right"), ("5 hours", "5 Minuten", "wrong"), ("5 °C", "5 degrees Fahrenheit", "wrong")),
    *(
        ("5 °C", "5 degrees", "right"),
        ("US$5", "5 Canadian dollars", "wrong"),
        ("€5", "5 US-Dollar", "wrong"),
        ("$5", "5 cents", "wrong"),
    ),
    *(
        ("€5", "5 zł", "wrong"),
        ("5 CHF", "5 Swiss francs", "right"),
        ("5 hours", "5%", "wrong"),
        ("5 stops", "5%", "right"),
    ),
]


@pytest.mark.parametrize(("gold", "answer", "state"), UNITS)
def test_units_are_compared_as_a_whole(gold: str, answer: str, state: str) -> None:
    assert number_match(answer, gold).state == state
