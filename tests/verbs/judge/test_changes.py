"""What a judge says otherwise of the same cases in another run, in every form of ``karat compare``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any  # Any: what a function judge gets and returns

import pytest

import karat
from karat.reports.compare.comparison_sheets import comparison_report
from karat.reports.html.comparison import comparison_html
from karat.reports.markdown.comparison import comparison_markdown
from karat.verbs.judge.ask import ask_judge


def judge(request: dict[str, Any]) -> dict[str, Any]:
    given = str(request["document"]["given"])
    return {"verdict": "right" if "citrus" in given else "cannot_tell" if "maybe" in given else "wrong"}


def other(request: dict[str, Any]) -> dict[str, Any]:
    return {"verdict": "wrong"}


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "karat.yaml").write_text(
        "systems: {grader: {type: function, function: 'no:judge'}}\njudge: {system: grader, asks: [wrong]}\n"
    )
    cases = [
        {"id": f"c{n}", "question": f"What? {n}", "relevant": ["lemon"], "tags": ["even"] if n % 2 == 0 else ["odd"]}
        for n in range(5)
    ]
    for given in (["lime", "lime", "citrus", "lime", "lime"], ["citrus", "lime", "lime", "maybe", "lemon"]):
        karat.run(
            suite="retrieval",
            cases=cases,
            predictions=[{"id": f"c{n}", "results": [one]} for n, one in enumerate(given)],
        )


def test_changed_verdicts_of_one_version_are_listed_without_a_claim(runs: None) -> None:
    for run in ("r-0001", "r-0002"):
        ask_judge(run, judge)
    found = karat.compare("r-0001", "r-0002")
    assert found.judge is not None and found.judge.both == 4  # a rule passes the last one by now
    said = {one.case: str(one) for one in found.judge.changes}
    assert said == {
        "c0": "judge: wrong → right",
        "c2": "judge: right → wrong",
        "c3": "judge: wrong → cannot tell",
    }
    assert "3 of 4 verdicts changed" in repr(found) and "judge: wrong → right" in repr(found)
    assert found.to_dict()["judge"]["changes"][0] == {"case": "c0", "before": "wrong", "after": "right"}
    assert "judge: wrong → right" in comparison_html([found])
    assert "judge: wrong → right" in comparison_markdown([found])
    assert not any("version" in warning for warning in found.comparison.warnings)
    even = karat.compare("r-0001", "r-0002", tags=["even"])
    assert even.judge is not None and [one.case for one in even.judge.changes] == ["c0", "c2"]


def test_the_workbook_has_a_sheet_of_them(runs: None) -> None:
    for run in ("r-0001", "r-0002"):
        ask_judge(run, judge)
    (sheet,) = [one for one in comparison_report([karat.compare("r-0001", "r-0002")]).sheets if one.title == "Judge"]
    assert ("c3", "wrong", "cannot_tell") in sheet.tables[0].rows


def test_other_versions_are_a_warning_and_no_figures(runs: None) -> None:
    ask_judge("r-0001", judge)
    ask_judge("r-0002", other)
    found = karat.compare("r-0001", "r-0002")
    assert found.judge is None and "judge" not in found.to_dict()
    assert any("judged by different versions" in warning for warning in found.comparison.warnings)
    ask_judge("r-0001", other)  # now one version has seen both
    assert karat.compare("r-0001", "r-0002").judge is not None


def test_runs_without_a_judge_say_nothing_of_one(runs: None) -> None:
    found = karat.compare("r-0001", "r-0002")
    assert found.judge is None and "judge" not in json.dumps(found.to_dict()["warnings"]).lower()
    ask_judge("r-0001", judge)
    assert karat.compare("r-0001", "r-0002").judge is None


def test_the_page_of_two_runs_lists_them(runs: None) -> None:
    from starlette.testclient import TestClient

    from karat.web.app import create_app
    from tests.web.conftest import HERE

    for run in ("r-0001", "r-0002"):
        ask_judge(run, judge)
    with TestClient(create_app("sqlite:///.karat/karat.db"), base_url=HERE) as pages:
        text = pages.get("/compare?a=r-0001&b=r-0002").text
    assert "3 of 4 verdicts changed" in text and "judge: wrong → right" in text
