"""``karat export``: what comes out reads back, and reviews reach the case files."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import karat as karat_package
from karat.cli.main import app
from karat.core.plugins import load_suite
from karat.core.problems import UserError
from karat.core.records import CallError, Prediction, join_attempts
from karat.core.results.result import RunResult
from karat.store import open_store
from karat.verbs.exports.answer_lines import exported
from karat.verbs.exports.csv_rows import as_csv
from tests.e2e.test_cli import karat

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CASES = {"data_query": "cases", "answers": "gold", "retrieval": "shop.sheet", "codegen": "tasks.yaml"}
RECORDED = {"data_query": "predictions.jsonl", "answers": "submission", "codegen": "careful.jsonl"}
WHAT_CALLS_TOOK = {"latency", "tokens", "cost"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """An example with a run of it, in the folder that we are in."""
    suite = getattr(request, "param", "data_query")
    shutil.copytree(EXAMPLES / suite, tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    if suite != "codegen":
        karat_package.run(suite=suite, cases=CASES[suite], predictions=RECORDED.get(suite))
    return tmp_path / "project"


def export(*words: str) -> None:
    """The verb, in this process: what starts up once is enough for all of these tests."""
    app(["export", *words], standalone_mode=False)


def figures(result: RunResult, *, without: set[str]) -> dict[str, tuple[Any, int]]:
    return {one.metric: (one.mean, one.n) for one in result.summary if one.metric not in without}


@pytest.mark.parametrize(
    ("project", "suite"), [(s, s) for s in ("data_query", "answers", "retrieval")], indirect=["project"]
)
def test_exported_answers_give_the_same_figures(project: Path, suite: str) -> None:
    export("latest", "--predictions", "out/answers.jsonl")
    before = karat_package.load_run()
    after = karat_package.score(suite=suite, cases=CASES[suite], predictions="out/answers.jsonl")
    without = set() if suite == "data_query" else WHAT_CALLS_TOOK
    assert figures(before, without=without) == figures(after, without=without)
    assert [(case.id, case.status) for case in before.cases] == [(case.id, case.status) for case in after.cases]
    assert after.summary[0].n


def test_exported_code_reads_back_as_it_was(tmp_path: Path) -> None:
    suite = load_suite("codegen")
    recorded = suite.read_predictions(EXAMPLES / "codegen" / "hasty.jsonl")
    (tmp_path / "again.jsonl").write_bytes(exported("codegen", recorded.predictions, {}).lines)
    assert suite.read_predictions(tmp_path / "again.jsonl") == recorded and recorded.predictions


def test_several_turns_tries_errors_and_attempts_read_back(tmp_path: Path) -> None:
    given = [
        Prediction(
            "a", 0, 0, b'{"id": "a", "response": {"choices": []}, "latency": 2}', latency=2.0, tokens=7, cost=0.5
        ),
        Prediction("a", 1, 1, b'{"id": "chatcmpl-1", "choices": [{"message": {"content": "x"}}]}'),
        Prediction("b", 0, 0, b"sorry \xff", None),
        Prediction("b", 0, 1, b"", CallError("timeout", "too slow")),
        Prediction("c", 0, 0, join_attempts([b"result = 1", b"result = 2"])),
        Prediction("c", 0, 1, b"```python\nresult = [1]\n```"),
    ]
    file = tmp_path / "answers.jsonl"
    written = exported("codegen", given, {})
    file.write_bytes(written.lines)
    assert (written.files, written.notes) == ({}, ())
    again = load_suite("codegen").read_predictions(file)
    assert not again.problems
    assert [(p.case_id, p.turn, p.repeat, p.error, p.latency, p.tokens, p.cost) for p in again.predictions] == [
        (p.case_id, p.turn, p.repeat, p.error, p.latency, p.tokens, p.cost) for p in given
    ]
    assert [p.response for p in again.predictions[4:]] == [p.response for p in given[4:]]
    file.write_bytes(exported("data_query", given[:4], {}).lines)
    found = load_suite("data_query").read_predictions(file)
    assert [p.error.kind if p.error else "" for p in found.predictions] == ["", "", "", "timeout"]
    assert json.loads(found.predictions[0].response)["response"] == {"choices": []}


def test_only_the_suite_knows_which_keys_stand_in_a_line() -> None:
    ranked = [Prediction("a", 0, 0, b'{"id": "a", "fields": {"f": ["x"]}}')]
    assert json.loads(exported("retrieval", ranked, {}).lines) == {"id": "a", "turn": 0, "fields": {"f": ["x"]}}
    body = {"id": "a", "fields": {"f": ["x"]}}
    assert json.loads(exported("data_query", ranked, {}).lines)["response"] == body
    assert json.loads(exported("no_such_suite", ranked, {}).lines)["response"] == body


def test_scores_as_csv_and_parquet(project: Path) -> None:
    export("--scores", "scores.csv")
    with (project / "scores.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    cases = karat_package.load_run().cases
    recalls = [case.scores["macro_recall"].value for case in cases]
    assert [row["id"] for row in rows] == [case.id for case in cases]
    assert [row["macro_recall"] for row in rows] == ["" if value is None else str(value) for value in recalls]
    assert [row["status"] for row in rows] == [case.status for case in cases]
    parquet = pytest.importorskip("pyarrow.parquet")
    export("--scores", "scores.parquet")
    table = parquet.read_table(project / "scores.parquet")
    assert table.column("id").to_pylist() == [case.id for case in cases]
    assert table.column("macro_recall").to_pylist() == recalls


def test_a_text_is_never_a_formula_and_a_number_stays_one() -> None:
    rows: list[dict[str, Any]] = [
        {"id": "=1+1", "tags": ["@x", "b"], "v": -0.5},
        {"id": "-a", "tags": [], "v": None},
        {"id": 'a,"b"\n', "v": 1.0},
    ]
    assert as_csv(["id", "tags", "v"], rows).decode() == 'id,tags,v\n\'=1+1,\'@x; b,-0.5\n\'-a,,\n"a,""b""\n",,1.0\n'


def test_reviews_reach_the_case_files(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(f"sqlite:///{project / '.karat' / 'karat.db'}") as store:
        store.add_review(1, "unemployment_spain", "accept", reviewer="Ada", comment="both are fine")
        store.add_review(1, "debt_italy_greece", "gold_wrong", reviewer="Ada", comment="old name")
    (project / "sub").mkdir()
    done = karat(project / "sub", "export", "r-0001", "--patch", "../cases.patch", "--reviews", "-")
    assert [json.loads(line)["verdict"] for line in done.stdout.splitlines()] == ["accept", "gold_wrong"]
    assert "2 files changed; reviews: 1 accepted, 1 noted" in done.stderr
    subprocess.run(["patch", "-p1", "-i", "cases.patch"], cwd=project, check=True, capture_output=True)
    karat(project, "score", "r-0001", "--cases", "cases", "--json", "after.json", code=3)
    cases = {case["id"]: case for case in json.loads((project / "after.json").read_text())["cases"]}
    assert cases["unemployment_spain"]["scores"]["exact_match"] == 1.0
    printed = karat(project, "export", "--patch", "-")
    assert "There is nothing to apply." in printed.stdout and "0 files changed" in printed.stderr
    shutil.move(project / "cases", project / "moved")
    assert "karat export r-0001 --cases PATH" in karat(project, "export", "--patch", "-", code=2).stderr
    export("--patch", "again.patch", "--cases", "moved")
    assert b"already counts the answer as right" in (project / "again.patch").read_bytes()


@pytest.mark.parametrize("project", ["answers"], indirect=True)
def test_mistakes_teach(project: Path) -> None:
    for words, why in (
        ((), "nothing to export"),
        (("--scores", "-", "--reviews", "-"), "same destination"),
        (("--scores", "x", "--reviews", "x"), "same destination"),
        (("--predictions", "-"), "cannot be printed"),
        (("r-99", "--scores", "-"), "r-0099"),
    ):
        with pytest.raises(UserError, match=why):
            export(*words)
    export("--predictions", "out/answers.jsonl")
    (project / "out" / "fares" / "result.csv").write_text("mine")
    with pytest.raises(UserError, match="already exists with other content"):
        export("--predictions", "out/answers.jsonl")
    assert (project / "out" / "fares" / "result.csv").read_text() == "mine"
