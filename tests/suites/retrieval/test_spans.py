"""Truths that are spans of documents: the rank at which results cover them, and runs of sheets with chunks."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest
from typer.testing import CliRunner

import karat
from karat.cli.main import app
from karat.suites.retrieval.comparison import compare_truths
from karat.suites.retrieval.metrics import map, ndcg, passed, recall, rr
from karat.suites.retrieval.options import Options
from karat.suites.retrieval.records import Ranked, Retrieved, Span, Truths
from karat.suites.retrieval.spans import span_ranks

GUIDE = "Press the red button to start the pump. Wait ten seconds.\r\n\r\nTo stop the pump, pull the grün lever.\r\n"
CARE = "Clean the filter once a month. Replace the seal every year.\n"
SHEET = '''table Docs
    dim [c] = CHUNKS("docs/*.md", 8|20, 0|4)
    [text] = [c][text]

!evaluation()
!manual()
table Evaluation
    !evaluation_question()
    [Question]
    !evaluation_field("Docs[text]")
    [Truth]
override
[Question],[Truth]
"how to start the pump","guide.md ""red button to start"""
"when to replace the seal","care.md#31-60"
"how to stop the pump","guide.md ""pull the grün lever"";guide.md ""To stop"""
'''


def test_a_span_is_found_where_the_results_so_far_cover_it() -> None:
    spans = {
        "a": Span("g.md", 10, 30),
        "b": Span("g.md", 0, 5),
        "c": Span("h.md", 0, 5),
        "d": Span("g.md", 10, 30, 0.5),
    }
    keys = ["g.md#0-20", "x", "g.md#15-40", "g.md#nothing"]
    assert span_ranks(spans, keys) == [(3, "a"), (1, "b"), (1, "d")]
    assert span_ranks(spans, []) == []


@pytest.mark.parametrize("seed", range(40))
def test_the_rank_is_that_of_counting_characters(seed: int) -> None:
    draw = random.Random(seed)
    start = draw.randrange(20)
    span = Span("d", start, start + draw.randrange(1, 20), draw.choice([1.0, 0.5, 0.1, 0.7]))
    parts = [(low := draw.randrange(40), low + draw.randrange(1, 15)) for _ in range(draw.randrange(8))]
    wanted = set(range(span.start, span.end))
    expected = None
    for rank in range(1, len(parts) + 1):
        held = {at for low, high in parts[:rank] for at in range(low, high)}
        if held & wanted and len(held & wanted) >= Fraction(str(span.cover)) * len(wanted):
            expected = rank
            break
    found = span_ranks({"t": span}, [f"d#{low}-{high}" for low, high in parts])
    assert found == ([] if expected is None else [(expected, "t")])


def test_two_spans_in_one_result_do_not_make_more_than_everything() -> None:
    truths = Truths({"f": {"a": 1, "b": 1}}, {"f": {"a": Span("d", 0, 3), "b": Span("d", 4, 6)}})
    found = compare_truths(truths, Retrieved({"f": Ranked(["d#0-9", "d#9-20"])}), Options())
    assert recall.score(found).value == passed.score(found).value == rr.score(found).value == 1.0
    for measure in (map.score(found), ndcg.score(found)):
        assert measure.state == "not_applicable" and "spans" in measure.reason


def test_results_with_scores_count_in_the_order_of_their_scores() -> None:
    truths = Truths({"f": {"a": 1}}, {"f": {"a": Span("d", 0, 3)}})
    found = compare_truths(truths, Retrieved({"f": Ranked(["d#0-9", "d#9-20"], [0.1, 0.9])}), Options())
    assert found.fields[0].ranks == (2,)
    one = compare_truths(truths, Retrieved({"f": Ranked(["d#0-9", "d#9-20"], [0.1, 0.9])}), Options(max_results=1))
    assert one.fields[0].missing == ("a",)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.md").write_bytes(GUIDE.encode())
    (tmp_path / "docs" / "care.md").write_text(CARE, encoding="utf-8")
    (tmp_path / "pump.sheet").write_text(SHEET, encoding="utf-8")
    suite = "{suite: retrieval, cases: pump.sheet, options: {budget_tokens: 20, models: [bm25]}}"
    (tmp_path / "karat.yaml").write_text(f"suites: [{suite}]\n", encoding="utf-8")
    return tmp_path


def test_a_run_finds_what_the_choice_says(folder: Path) -> None:
    assert folder.is_dir()
    tuned = karat.tune("pump.sheet", models=["bm25"], budget_tokens=20).tuning
    result = karat.run("retrieval", "pump.sheet", options={"models": ["bm25"], "budget_tokens": 20})
    assert [case.scores["passed"].value for case in result.cases] == [
        float(bool(one.passed)) for one in tuned.questions_detail
    ]
    means = {item.metric: item.mean for item in result.summary}
    assert means["recall"] == pytest.approx(tuned.mean_recall)


def test_a_run_of_one_question_keeps_the_tuning_of_all(folder: Path) -> None:
    made = CliRunner().invoke(app, ["run", "--case", "how_to_stop_the_pump", "--html", "one.html"])
    assert made.exit_code == 0, made.output
    assert "passed 3 of 3" in made.output and "optimal over 4 sizes and overlaps" in made.output
    assert "8/4" in (folder / "one.html").read_text(encoding="utf-8")
