"""The page of a judge: its figures against people, why it does not count, and hostile reasons."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any  # Any: what a function judge gets and returns

import pytest
from starlette.testclient import TestClient

import karat
from karat.store import open_store
from karat.verbs.judge.ask import ask_judge
from karat.verbs.judge.attack import attack_judge
from karat.verbs.judge.calibrate import calibrate_judge
from karat.verbs.judge.drift import drift_of_judge
from karat.verbs.judge.pools import pool_of
from karat.web.app import create_app
from tests.web.conftest import HERE

HOSTILE = "<script>alert(1)</script>\u202e"


def judge(request: dict[str, Any]) -> dict[str, Any]:
    number = int(str(request["case"])[1:])
    return {"verdict": "right" if number % 3 else "wrong", "reason": HOSTILE}


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A run with 40 refused answers, judged; and one that no judge was asked about."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "karat.yaml").write_text(
        "systems: {grader: {type: function, function: 'no:judge'}}\njudge: {system: grader, asks: [wrong]}\n"
    )
    cases = [{"id": f"c{n}", "question": f"What? {n}", "relevant": ["lemon"]} for n in range(40)]
    answers = [{"id": f"c{n}", "results": ["lime"]} for n in range(40)]
    for _ in range(2):
        karat.run(suite="retrieval", cases=cases, predictions=answers)
    ask_judge("r-0001", judge)
    with open_store("sqlite:///.karat/karat.db") as store:
        for name in pool_of(store, 1, "").sample.order[:30]:
            verdict = "pass" if int(name[1:]) % 2 else "fail"
            store.add_review(1, name, verdict, reviewer="ann", comment=HOSTILE, blind=True)
    calibrate_judge(["r-0001"], judge)
    with TestClient(create_app("sqlite:///.karat/karat.db"), base_url=HERE, raise_server_exceptions=False) as found:
        yield found


def test_the_page_has_the_figures_the_reasons_and_the_disagreements(pages: TestClient) -> None:
    text = pages.get("/review/calibration?run=r-0001").text
    assert "Asked about 40 answers" in text and "30 of them were drawn" in text
    assert "The judge does not count: it misses" in text and "30 drawn reviews, wanted 50" in text
    for figure in ("agreement with people", "kappa", "sensitivity", "specificity", "By rule, and corrected"):
        assert figure in text
    assert "Where they differ" in text and '<a class="data" href="/runs/r-0001/cases/' in text
    assert "<script>alert" not in text and "\u202e" not in text
    assert 'href="/review/calibration?run=r-0001" aria-current="page"' in text


def test_a_run_that_no_judge_was_asked_about_says_how_to_ask(pages: TestClient) -> None:
    text = pages.get("/review/calibration?run=r-0002").text
    assert "No judge was asked about this run." in text and "karat judge r-0002" in text
    assert 'href="/review/calibration?run=r-0002"' in pages.get("/review?run=r-0002").text


def test_the_page_has_the_probes_and_the_checks_over_time(pages: TestClient) -> None:
    text = pages.get("/review/calibration?run=r-0001").text
    assert "not tried:</span> <code>karat judge attack</code>" in text
    assert "1.000 said the same, of 30" in text and "0 of 30 verdicts changed" in text and "called right" in text
    assert "calibrated</td>" in text and "asked again</td>" not in text

    def turned(request: dict[str, Any]) -> dict[str, Any]:
        said = judge(request) if str(request["case"])[1:].isdigit() else {"verdict": "right"}
        return said | {"verdict": "wrong"} if request["case"] == "c1" else said

    turned.__name__ = turned.__qualname__ = judge.__name__  # the same judge by name, that says something else by now
    attack_judge(turned, suite="retrieval")
    found = drift_of_judge("r-0001", turned)
    assert found is not None and found.changed == 1
    text = pages.get("/review/calibration?run=r-0001").text
    assert "of 40 passed" in text and "40 of 40 passed" not in text
    assert "asked again</td>" in text and "1 of 30, p = 1.000" in text
