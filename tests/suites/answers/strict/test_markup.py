"""Answers with markup: what a person reads on the screen decides, for right answers and for wrong ones."""

from __future__ import annotations

from typing import Literal

import pytest

from karat.core.json_types import Json
from karat.suites.answers.records import Answer, Entry, Gold
from karat.suites.answers.strict.judge import judge
from karat.suites.answers.strict.markup import as_read

Func = Literal["string_match", "number_match"]


def state(text: str, gold: Json, func: Func = "number_match", **parameters: Json) -> str:
    entry = Entry(func, {"gold": gold, **parameters})
    verdict = judge(Gold("q", (entry,)), Answer("q", "answer", text))
    return verdict.state


NUMBERS = [
    ('<p style="width:62px">We own <b>26</b> works.</p>', 26, 62),
    ("<table width=62><tr><td>works</td><td>26</td></tr></table>", 26, 62),
    ("We own [26 works](https://museum.example/report/62).", 26, 62),
    ("See https://museum.example/62: we own 26.", 26, 62),
    ("![chart](chart-62.png) We own 26.", 26, 62),
    ("We own 26 works\u301062:0\u2020source\u3011.", 26, 62),
    ("<!-- 62 -->We own 26.", 26, 62),
    ("```python\nprint(62)\n```\nWe own 26.", 26, 62),
    ("We own 1&nbsp;204 works.", 1204, 204),
    ("<b>48,</b>210 visitors", 48210, 210),
    (r"The answer is $48{,}210$.", 48210, 210),
    (r"\(48\,210\) visitors", 48210, 210),
    (r"$$\boxed{62}$$", 62, 26),
    (r"About 12\% of them", "12%", 62),
    ("Visitors<br>48<br>210", 48, 48210),
]


@pytest.mark.parametrize(("text", "said", "not_said"), NUMBERS)
def test_numbers_are_those_that_are_read(text: str, said: Json, not_said: Json) -> None:
    assert state(text, not_said) == "wrong"
    if "<br>48<br>" not in text:  # two numbers, of which nobody says which is meant
        assert state(text, said) == "right"


TEXTS = [
    ('<a title="Monday">Tuesday</a>', "Tuesday", "Monday"),
    ("<!-- Monday --> Tuesday", "Tuesday", "Monday"),
    ("Closed on [Tuesday](https://museum.example/Monday)", "Tuesday", "Monday"),
    ("Tuesday, see https://museum.example/Monday", "Tuesday", "Monday"),
    ("```sql\nSELECT 1 WHERE day = 'Monday'\n```\nTuesday", "Tuesday", "Monday"),
    ("Mari &Oslash;deg&aring;rd", "Mari Ødegård", "Mari"[:3]),
    ("*Harbour* at **Dawn**", "Harbour at Dawn", "Harbour Dawn"),
    ("`Harbour` at _Dawn_", "Harbour at Dawn", "Harbour Dawn"),
    ("<i>Harbour</i> at Dawn", "Harbour at Dawn", "i"),
    ("Harbour&nbsp;at&nbsp;Dawn", "Harbour at Dawn", "nbsp"),
]


@pytest.mark.parametrize(("text", "said", "not_said"), TEXTS)
def test_words_are_those_that_are_read(text: str, said: str, not_said: str) -> None:
    assert state(text, [said], "string_match") == "right"
    assert state(text, [not_said], "string_match") == "wrong"


def test_what_is_struck_out_is_for_a_person() -> None:
    assert state("<del>62</del> 26", 62) == state("~~62~~ 26", 62) == "needs_review"


def test_gold_with_markup_is_looked_for_in_the_answer_as_it_came() -> None:
    assert state("Use the tag <br> there.", ["<br>"], "string_match") == "right"
    assert state("Write &amp; for it.", ["&amp;"], "string_match") == "right"
    assert state("Call `__init__` first.", ["__init__"], "string_match") == "right"


def test_gold_that_is_an_address_is_found_in_links() -> None:
    assert state("See [the report](https://a.example/62).", ["https://a.example/62"], "string_match") == "right"
    assert state("See https://a.example/62", ["a.example"], "string_match") == "right"


@pytest.mark.parametrize(
    "text",
    ["a < b and c > d", "if x<b and y>3", "2*3*4", "snake_case_name", "R&D; AT&T", "[1, 2]", "costs $5-$6", "1 * 2"],
)
def test_signs_that_are_no_markup_stay(text: str) -> None:
    assert as_read(text, []) == text


@pytest.mark.parametrize("text", ["```python\nprint(62)\n```", "```sql\nSELECT 62\n"])
def test_code_that_is_the_whole_answer_stays(text: str) -> None:
    assert "62" in as_read(text, [])


def test_a_label_in_one_sentence_states_nothing_for_the_next() -> None:
    assert state('Called the tool with {"limit": 62}.\nWe own 26 works.', 62) == "needs_review"
    assert state("North: 412 trips. The largest line is South with 500.", 412) == "needs_review"
    assert state("Answer: 412. The year before it had 405.", 412) == "right"
    assert state("Ships: 14 (3 of them are ferries)", 14) == "right"
