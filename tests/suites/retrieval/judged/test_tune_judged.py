"""``karat tune`` for BEIR folders and recorded runs, through the command line and from Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import karat
from karat.cli.main import app
from karat.core.problems import UserError

DOCUMENTS = {
    "d1": ("Green tea", "Leaves that are steamed soon after picking."),
    "d2": ("Black tea", "Leaves that are left to oxidise."),
    "d3": ("", "Coffee is brewed from roasted beans."),
    "d4": ("Cocoa", "A drink of roasted cocoa beans and milk."),
    "d5": ("Juice", "Pressed fruit."),
}
QUESTIONS = {"q1": "green tea leaves", "q2": "a drink of roasted beans", "q3": "pressed fruit", "q4": "water"}
JUDGED = "q1\td1\t2\nq1\td2\t1\nq2\td3\t1\nq2\td4\t1\nq3\td5\t1\nq4\td1\t0\n"
RUN_A = (
    "q1 Q0 d1 1 9 a\nq1 Q0 d3 2 5 a\nq1 Q0 d2 3 4 a\nq2 Q0 d1 1 3 a\nq2 Q0 d4 2 2 a\nq3 Q0 d1 1 2 a\nq3 Q0 d5 2 1 a\n"
)
RUN_B = "q1 Q0 d2 1 .9 b\nq1 Q0 d1 2 .5 b\nq2 Q0 d4 1 .3 b\nq2 Q0 d2 2 .2 b\nq3 Q0 d5 1 .2 b\nq3 Q0 d4 2 .1 b\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    beir = tmp_path / "drinks"
    (beir / "qrels").mkdir(parents=True)
    corpus = [{"_id": name, "title": title, "text": text} for name, (title, text) in DOCUMENTS.items()]
    (beir / "corpus.jsonl").write_text("".join(json.dumps(one) + "\n" for one in corpus), encoding="utf-8")
    asked = [{"_id": name, "text": text} for name, text in QUESTIONS.items()]
    (beir / "queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in asked), encoding="utf-8")
    (beir / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + JUDGED, encoding="utf-8")
    trec = "".join("{} 0 {} {}\n".format(*line.split("\t")) for line in JUDGED.splitlines())
    (tmp_path / "qrels.txt").write_text(trec, encoding="utf-8")
    (tmp_path / "a.run").write_text(RUN_A, encoding="utf-8")
    (tmp_path / "b.run").write_text(RUN_B, encoding="utf-8")
    return beir


def tuned(*arguments: str) -> Any:
    result = CliRunner().invoke(app, ["tune", *arguments, "--json", "-"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_folder_is_chosen_for_with_models(folder: Path) -> None:
    found = tuned(str(folder), "--models", "bm25,rrf(bm25, wordllama; k=10|60)", "--budget-tokens", "60")
    (field,) = found["fields"]
    assert field["field"] == "documents" and found["questions"] == 3 and found["passes"] == "any"
    assert found["asked"] == ["bm25", "rrf(bm25, wordllama; k=10|60)"]
    assert found["models"] == ["bm25", "rrf(bm25, wordllama; k=10)", "rrf(bm25, wordllama; k=60)"]
    notes = " ".join(found["notes"])
    assert "1 question without a document judged 1 or higher: left out (q4)" in notes
    assert "optimal over 2 values of k" in notes
    assert {one["question"] for one in found["questions_detail"]} == {QUESTIONS[name] for name in ("q1", "q2", "q3")}


def test_levels_shares_and_documents(folder: Path) -> None:
    strict = tuned(str(folder), "--relevance-level", "2", "--models", "bm25", "--budget-docs", "1")
    assert strict["questions"] == 1 and strict["unit"] == "documents" and strict["tokens"] == 1
    everything = tuned(str(folder), "--models", "bm25", "--passes", "all", "--budget-docs", "5")
    assert everything["passed"] == 3 and "all its relevant documents are found" in everything["notes"][0]
    with pytest.raises(UserError, match="judged 3 or higher"):
        karat.tune(folder, relevance_level=3, models=["bm25"])


def test_recorded_runs_by_hand(folder: Path) -> None:
    """a finds a relevant document of q1 at 1, of q2 and q3 at 2; b of all three at 1: b with one document."""
    found = tuned("--qrels", "qrels.txt", "--run", "a.run", "--run", "b.run", "--budget-docs", "2")
    (field,) = found["fields"]
    assert (field["model"], field["n"], found["passed"], found["tokens"]) == ("b", 2, 3, 2)  # recall: d2 and d1 of q1
    assert tuned("qrels.txt", "--run", "a.run", "--run", "b.run", "--budget-docs", "2")["fields"] == found["fields"]
    one = tuned("--qrels", "qrels.txt", "--run", "a.run", "--run", "b.run", "--budget-docs", "1")
    assert (one["fields"][0]["model"], one["fields"][0]["n"], one["passed"]) == ("b", 1, 3)
    assert any("judged to depth 2" in note for note in found["notes"])


def test_runs_cost_tokens_with_a_corpus(folder: Path) -> None:
    corpus = str(folder / "corpus.jsonl")
    files = ["--qrels", "qrels.txt", "--run", "a.run", "--run", "b.run"]
    found = tuned(*files, "--corpus", corpus, "--budget-tokens", "100", "--models", "a,b,wsum(a, b; w=grid(0.1))")
    assert found["unit"] == "tokens" and found["passed"] == 3
    assert any("optimal over 11 weights" in note for note in found["notes"])
    same = tuned(str(folder), "--run", "a.run", "--run", "b.run", "--budget-tokens", "100")
    assert same["unit"] == "tokens" and same["models"] == ["a", "b"]


def test_what_is_printed_names_depth_and_share(folder: Path) -> None:
    result = CliRunner().invoke(app, ["tune", "--qrels", "qrels.txt", "--run", "a.run", "--models", "a"])
    assert result.exit_code == 0, result.output
    assert "judged to depth 2: the list of a for question" in result.output
    assert "a question passes with any of its truths" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "nothing to tune"),
        ({"qrels": "qrels.txt"}, "judgements need runs"),
        ({"file": "qrels.txt"}, "judgements need runs"),
        ({"runs": ["a.run"]}, "need judgements"),
        ({"file": "drinks", "qrels": "qrels.txt", "runs": ["a.run"]}, "without a sheet or folder"),
        ({"qrels": "qrels.txt", "runs": ["a.run"], "budget_tokens": 10}, "needs the texts"),
        ({"file": "drinks", "budget_tokens": 10, "budget_docs": 3}, "either --budget-tokens or --budget-docs"),
        ({"file": "drinks", "relevance_level": 0}, "at least 1"),
        ({"qrels": "none.txt", "runs": ["a.run"]}, "no judgements at none.txt"),
        ({"qrels": "qrels.txt", "runs": ["none.run"]}, "no run at"),
        ({"file": "food.sheet", "budget_docs": 3}, "--budget-docs is for judged documents"),
        ({"file": "drinks", "models": ["bm52"]}, 'no model "bm52"'),
    ],
)
def test_mistakes_are_said_plainly(folder: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        karat.tune(**arguments)


def test_a_line_that_cannot_be_read_is_refused(folder: Path) -> None:
    with (folder / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"_id": "d9"}\n')
    with pytest.raises(UserError, match="1 mistake in") as caught:
        karat.tune(folder, models=["bm25"])
    assert caught.value.problems[0].line == 6
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "text": "a"}\n{"_id": "d1", "text": "b"}\n', encoding="utf-8")
    with pytest.raises(UserError) as caught:
        karat.tune(folder, models=["bm25"])
    assert 'the document "d1" appears twice' in caught.value.problems[0].message


def test_a_question_without_a_text_cannot_be_asked(folder: Path) -> None:
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "green tea"}\n', encoding="utf-8")
    with pytest.raises(UserError, match=r"2 judged questions without a text.*q2, q3"):
        karat.tune(folder, models=["bm25"])


def test_documents_with_equal_texts_are_two_documents(folder: Path) -> None:
    (folder / "corpus.jsonl").write_text(
        "".join(f'{{"_id": "d{n}", "text": "green tea"}}\n' for n in range(1, 6)), encoding="utf-8"
    )
    found = karat.tune(folder, models=["bm25"], budget_docs=5, passes="all").tuning
    assert found.passed == 3 and found.fields[0].n == 5


def test_the_smallest_budget_of_a_folder_is_named_however_deep_the_first_truth(folder: Path) -> None:
    """The only relevant document shares no word with its question, so it is the last of five; nothing is known of it
    when three documents are ranked."""
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td5\t1\n", encoding="utf-8")
    with pytest.raises(UserError, match="the smallest budget that finds anything is 5 documents"):
        karat.tune(folder, models=["bm25"], budget_docs=3)
    found = tuned(str(folder), "--models", "bm25", "--budget-docs", "5")
    assert (found["passed"], found["tokens"]) == (1, 5)
