"""Comparisons, gates and tunings in a notebook: the right cells, well formed, and no text that can act."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

import karat
from karat.runs.calls.calling import Called
from karat.runs.notebook_progress import EVERY, in_notebook, progress_html, showing
from karat.stats.gates.verdicts import Verdict
from karat.verbs.gate import Verdicts

EVIL = '<script>alert("x")</script>\x1b[2J\u202e & more'
CASES = [{"id": f"{EVIL}{n}", "question": EVIL, "relevant": [EVIL]} for n in range(3)]


def scored(results: list[str]) -> karat.RunResult:
    return karat.score("retrieval", CASES, [{"id": case["id"], "results": results} for case in CASES])


def cells(html: str) -> list[str]:
    assert "<script" not in html and "\x1b" not in html and "\u202e" not in html
    assert "color:" not in html and "href=" not in html and "src=" not in html  # the colours of the page, light or dark
    return ["".join(node.itertext()) for node in ElementTree.fromstring(html).iter() if node.tag == "td"]


def test_a_comparison_has_its_figures_and_the_cases_that_changed() -> None:
    html = karat.compare(scored(["other"]), scored([EVIL]))._repr_html_()
    found = cells(html)
    assert found[:4] == ["passed", "0.000", "1.000", "+1.000"]
    assert sum(cell.startswith("<script>") for cell in found) >= 3
    assert "newly right: 3 cases" in html


def test_gates_show_what_failed_first_and_bold() -> None:
    result = scored(["other"])
    html = karat.gate(result, ["retrieval.passed>=0.9", {"metric": "retrieval.recall", "at_most": 0.5}])._repr_html_()
    assert [cells(html)[n] for n in (0, 3)] == ["failed", "passed"]
    assert "<b>failed</b>" in html and "<b>passed</b>" not in html and "1 of 2 gates failed" in html
    evil = Verdicts((Verdict(EVIL, "failed", EVIL, EVIL, EVIL, cases=(EVIL,)),))
    assert cells(evil._repr_html_())


def test_a_tuning_has_a_row_for_each_field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sheet = (
        '!evaluation()\ntable W\n    !evaluation_question()\n    [Q]\n    !evaluation_field("Food[name]")\n    [A]\n'
    )
    Path("f.sheet").write_text(sheet + 'override\n[Q],[A]\n"What is <b>sour?","Lemon"\n')
    Path("f.csv").write_text("name\nLemon\nHoney\n")
    html = karat.tune("f.sheet", tables={"Food": "f.csv"}, models=["bm25"])._repr_html_()
    assert cells(html)[:3] == ["Food[name]", "1", "bm25"] or cells(html)[:3] == ["Food[name]", "2", "bm25"]
    assert "passed 1 of 1" in html and "<b>sour" not in html


def test_progress_is_shown_now_and_then_and_at_the_end() -> None:
    states: list[object] = []
    times = iter([0.0, 0.0, EVERY / 2, EVERY * 2, EVERY * 2.1])

    class Place:
        def update(self, shown: object) -> None:
            states.append(shown)

    watch = showing(Place(), lambda html: html, lambda: next(times))
    called = Called(4)
    for done in (1, 2, 3, 4):
        called.done = done
        watch(called)
    assert [str(state).split("</progress> ")[1].split(" · ")[0] for state in states] == [
        "1 of 4 calls",
        "3 of 4 calls",
        "4 of 4 calls",
    ]
    assert "<b>2 errors</b>" in progress_html(3, 4, 2, 1.0)
    assert not in_notebook()
