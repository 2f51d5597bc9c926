"""The form of a case in the HTML report: the viewer's macros, escaped, bounded, the worst first."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

import karat
from karat.reports.html.case_forms import rendered_forms
from karat.verbs.report import write_reports
from tests.web.hostile_runs import TEXTS


def scored(number: int, text: str = "") -> Any:
    cases = [{"id": f"q{n}", "question": "?", "relevant": [f"{text}a", f"{text}b"]} for n in range(number)]
    answers = [{"id": f"q{n}", "results": [f"{text}a", "x"] + ([f"{text}b"] if n % 2 else [])} for n in range(number)]
    return karat.score(suite="retrieval", cases=cases, predictions=answers)


def test_cases_that_are_not_right_come_first_when_not_all_fit() -> None:
    result = scored(40)
    every = rendered_forms("retrieval", result.cases)
    assert [one.place for one in every] == list(range(40))
    assert "is not in the list" in every[0].text and 'class="lost"' in every[0].text
    assert 'class="lost"' not in every[1].text
    room = sum(len(one.text.encode()) for one in every if one.place % 2 == 0)
    assert [one.place for one in rendered_forms("retrieval", result.cases, room)] == list(range(0, 40, 2))


@pytest.mark.parametrize("text", TEXTS[:7])
def test_texts_stay_texts(text: str) -> None:
    (found,) = rendered_forms("retrieval", scored(1, text).cases)
    form = found.text
    assert not any(act in form for act in ("<script", "<img", "<svg onload", "' onmouseover='", "\u202e"))


def test_the_report_carries_them(tmp_path: Any) -> None:
    file = tmp_path / "out.html"
    write_reports(scored(2), html=file)
    page = file.read_text(encoding="utf-8")
    assert '<template id="form-0">' in page and '<template id="form-1">' in page
    assert "Needed keys and their ranks" in page


def test_each_case_of_the_report_has_its_own_form(tmp_path: Any) -> None:
    """The page has the worst cases first, whatever the order of the file."""
    cases = [{"id": f"q{n}", "question": "?", "relevant": [f"needed-{n}"]} for n in range(6)]
    answers = [{"id": f"q{n}", "results": [f"needed-{n}" if n % 2 else "x"]} for n in range(6)]
    file = tmp_path / "out.html"
    write_reports(karat.score(suite="retrieval", cases=cases, predictions=answers), html=file)
    page = file.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert found
    ids = [case["id"] for case in msgspec.json.decode(found[1])["cases"]]
    forms = dict(re.findall(r'<template id="form-(\d+)">(.*?)</template>', page, re.DOTALL))
    assert ids == ["q0", "q2", "q4", "q1", "q3", "q5"]
    for place, case in enumerate(ids[:3]):
        assert f"needed-{case[1:]} is not in the list" in forms[str(place)]
    assert all("at rank 1" in forms[str(place)] for place in (3, 4, 5))
