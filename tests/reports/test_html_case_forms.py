"""The form of a case in the HTML report: the viewer's macros, escaped, bounded, the worst first."""

from __future__ import annotations

from typing import Any

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
    assert [place for place, _ in every] == list(range(40))
    assert "is not in the list" in every[0][1] and 'class="lost"' in every[0][1]
    assert 'class="lost"' not in every[1][1]
    room = sum(len(form.encode()) for place, form in every if place % 2 == 0)
    assert [place for place, _ in rendered_forms("retrieval", result.cases, room)] == list(range(0, 40, 2))


@pytest.mark.parametrize("text", TEXTS[:7])
def test_texts_stay_texts(text: str) -> None:
    ((_, form),) = rendered_forms("retrieval", scored(1, text).cases)
    assert not any(act in form for act in ("<script", "<img", "<svg onload", "' onmouseover='", "\u202e"))


def test_the_report_carries_them(tmp_path: Any) -> None:
    file = tmp_path / "out.html"
    write_reports(scored(2), html=file)
    page = file.read_text(encoding="utf-8")
    assert '<template id="form-0">' in page and '<template id="form-1">' in page
    assert "Needed keys and their ranks" in page
