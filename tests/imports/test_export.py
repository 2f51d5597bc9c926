"""``karat export --to``: cases, answers and scores for other tools, and back again with ``karat import``."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import yaml

import karat
from karat.cli import main
from karat.core import plugins
from karat.core.records import truth_hash

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    monkeypatch.chdir(tmp_path)

    def command(*words: str, code: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["karat", *words])
        with pytest.raises(SystemExit) as stopped:
            main.main()
        printed = capsys.readouterr()
        assert (stopped.value.code or 0) == code, printed
        return f"{printed.out}{printed.err}"

    return command


def truths(suite: str, path: str) -> dict[str, str]:
    """What is asked and expected of each case, as a hash."""
    loaded = plugins.load_suite(suite)
    found = loaded.load_cases(Path(path))
    assert not found.problems, found.problems
    return {case.id: truth_hash([case], loaded.truth) for case in found.cases}


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_a_run_goes_out_and_comes_back_with_the_same_figures(run: Any, form: str) -> None:
    shutil.copytree(EXAMPLES / "data_query", "project")
    before = karat.run(
        suite="data_query",
        cases="project/cases",
        predictions="project/predictions.jsonl",
        options={"today": "2026-11-01"},
    )
    run("export", "latest", "--to", form, "--out", f"back.{form}")
    text = run("import", f"back.{form}", "--suite", "data_query", "--map", "id=id")
    assert "expected → expected" in text and "answer → answer" in text
    original = {case.id: case for case in plugins.load_suite("data_query").load_cases(Path("project/cases")).cases}
    single = {name for name, case in original.items() if len(case.conversation) == 1}
    assert len(single) > 8
    expected, found = truths("data_query", "project/cases"), truths("data_query", "back/cases.yaml")
    assert {name: found[name] for name in single} == {name: expected[name] for name in single}
    after = karat.score(
        suite="data_query",
        cases="back/cases.yaml",
        predictions="back/predictions.jsonl",
        options={"today": "2026-11-01"},
    )
    scores = {case.id: case.scores["macro_recall"].value for case in before.cases if case.status == "scored"}
    again = {case.id: case.scores["macro_recall"].value for case in after.cases}
    assert {name: again[name] for name in single & set(scores)} == {name: scores[name] for name in single & set(scores)}


def _selection(*countries: str) -> dict[str, Any]:
    values = [{"id": code, "name": f"name of {code}"} for code in countries]
    return {"indicator_selection": [{"dataset_id": "X:D", "dimensions": [{"dimension_name": "C", "values": values}]}]}


def test_every_scored_turn_is_paired_with_its_own_answer(run: Any) -> None:
    turns = [("Mexico?", _selection("MEX")), ("And Chile?", _selection("CHL"))]
    asked = [{"role": "user", "content": text, "target": target} for text, target in turns]
    later = [{"role": "user", "content": "Hello"}, {"role": "user", "content": "Peru?", "target": _selection("PER")}]
    cases = [
        {"id": "two", "tags": ["t"], "conversation": asked},
        {"id": "two-turn-2", "conversation": later},
        {"id": "words", "conversation": [{"role": "user", "content": "Kenya?", "target": _selection("KEN")}]},
        {"id": "refused", "conversation": [{"role": "user", "content": "Me?", "target": {"is_out_of_scope": True}}]},
    ]
    lines: list[dict[str, Any]] = [
        {"id": "two", "turn": 0, **_selection("MEX")},
        {"id": "two", "turn": 1, **_selection("CHL", "PER")},
        {"id": "two-turn-2", "turn": 1, **_selection("PER")},
        {"id": "words", "response": "I do not know."},
        {"id": "refused", "response": "No, that is outside my scope."},
    ]
    rules = {"outcome_from": [{"text": "outside my scope", "outcome": "out_of_scope"}]}
    before = karat.run(suite="data_query", cases=cases, predictions=lines, options=rules)
    run("export", "latest", "--to", "csv", "--out", "back.csv")
    with Path("back.csv").open(newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    assert list(rows) == ["two-turn-1", "two-turn-2-2", "two-turn-2", "words", "refused"]
    first, second = rows["two-turn-1"], rows["two-turn-2-2"]
    assert (first["question"], first["expected"], first["answer"]) == ("Mexico?", *[first["expected"]] * 2)
    assert second["question"] == "And Chile?"
    assert "PER" in second["answer"] and "PER" not in second["expected"] and "CHL" in second["expected"]
    assert (float(first["score fully_right"]), second["score fully_right"]) == (0.5, "")  # the figure of the whole case
    assert rows["two-turn-2"]["question"] == "Peru?"
    assert "it is text without JSON" in rows["words"]["error"]
    assert ("I do not know." in rows["words"]["answer"], rows["words"]["status"]) == (True, "error")
    run("import", "back.csv", "--suite", "data_query", "--map", "id=id")
    after = karat.score(suite="data_query", cases="back/cases.yaml", predictions="back/predictions.jsonl")
    scores = {case.id: case for case in after.cases}
    for case in before.cases[1:]:
        assert scores[case.id].status == case.status
        assert scores[case.id].scores["fully_right"].value == case.scores["fully_right"].value
        assert scores[case.id].scores["macro_precision"].value == case.scores["macro_precision"].value
    assert [scores[name].scores["fully_right"].value for name in ("two-turn-1", "two-turn-2-2")] == [1.0, 0.0]


def test_the_table_has_answers_scores_and_no_formula(run: Any) -> None:
    Path("q.csv").write_text("id,question,expected,answer\na,=1+1?,2,=2\nb,Who?,Ada,Bob\n")
    run("import", "q.csv", "--suite", "answers")
    karat.run(suite="answers", cases="q/gold", predictions="q/submission")
    run("export", "latest", "--to", "csv", "--out", "back.csv")
    with Path("back.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["question"] for row in rows] == ["'=1+1?", "Who?"]
    assert [(row["expected"], row["answer"], float(row["score strict"])) for row in rows] == [
        ("2", "'=2", 1.0),
        ("Ada", "Bob", 0.0),
    ]
    run("export", "latest", "--to", "xlsx", "--out", "back.xlsx")
    sheet: Any = openpyxl.load_workbook("back.xlsx").active
    assert (sheet["B2"].value, sheet["B2"].data_type) == ("=1+1?", "s")
    run("import", "back.csv", "--suite", "answers", "--to", "again")
    assert Path("again/gold/karat_gold.jsonl").read_bytes() == Path("q/gold/karat_gold.jsonl").read_bytes()


def test_promptfoo_goes_out_and_comes_back(run: Any) -> None:
    Path("q.csv").write_text("id,question,expected\na,How many?,12840\nb,Who?,Ada\n")
    run("import", "q.csv", "--suite", "answers")
    run("export", "--suite", "answers", "--cases", "q/gold", "--to", "promptfoo", "--out", "p.yaml")
    config = yaml.safe_load(Path("p.yaml").read_text())
    assert [test["assert"] for test in config["tests"]] == [
        [{"type": "contains", "value": 12840}],
        [{"type": "contains", "value": "Ada"}],
    ]
    run("import", "p.yaml", "--suite", "answers", "--map", "id=description")
    assert Path("p/gold/karat_gold.jsonl").read_bytes() == Path("q/gold/karat_gold.jsonl").read_bytes()


def test_retrieval_and_codegen_come_back(run: Any) -> None:
    Path("r.csv").write_text('id,query,relevant\nq1,milk,d1; d2\nq2,tea,"{""d3"": 2, ""7"": 1}"\n')
    run("import", "r.csv", "--suite", "retrieval")
    run("export", "--suite", "retrieval", "--cases", "r", "--to", "csv", "--out", "r2.csv")
    run("import", "r2.csv", "--suite", "retrieval")
    assert truths("retrieval", "r2") == truths("retrieval", "r")
    run("export", "--suite", "retrieval", "--cases", "r", "--to", "promptfoo", "--out", "r3.yaml")
    run("import", "r3.yaml", "--suite", "retrieval", "--map", "id=description")
    assert truths("retrieval", "r3") == truths("retrieval", "r")
    Path("t.csv").write_text("id,question,reference,expected\nt1,Three?,result = 1 + 2,\nt2,Four?,,4\n")
    run("import", "t.csv", "--suite", "codegen")
    run("export", "--suite", "codegen", "--cases", "t/tasks.jsonl", "--to", "xlsx", "--out", "t2.xlsx")
    run("import", "t2.xlsx", "--suite", "codegen")
    assert truths("codegen", "t2/tasks.jsonl") == truths("codegen", "t/tasks.jsonl")


def test_mistakes_are_said(run: Any) -> None:
    assert "there is no format" in run("export", "--to", "excel", code=2)
    assert "cannot be printed" in run("export", "--to", "xlsx", code=2)
    assert "must be given together" in run("export", "--to", "csv", "--suite", "answers", code=2)
    assert "cannot be combined with --to" in run("export", "--to", "csv", "--scores", "x.csv", code=2)


@pytest.mark.parametrize(("form", "name"), [("csv", "back.csv"), ("xlsx", "back.xlsx"), ("promptfoo", "back.yaml")])
def test_tasks_come_back_with_their_tables(run: Any, form: str, name: str) -> None:
    Path("loans.csv").write_text("loan,days\n1,12\n2,40\n")
    count = "result = (loans.days > 30).sum()"
    inline: dict[str, Any] = {"t": {"x": [1, 2.5, None], "y": ["é", "=1", "c"]}}
    tasks = [
        {"id": "a", "question": "How many long loans?", "tables": {"loans": "loans.csv"}, "reference": count},
        {"id": "b", "question": "How much?", "tables": inline, "expected": {"value": 3.5}},
    ]
    Path("t.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    run("export", "--suite", "codegen", "--cases", "t.jsonl", "--to", form, "--out", name)
    named = ("--map", "id=description") if form == "promptfoo" else ()
    run("import", name, "--suite", "codegen", "--to", "again", *named)
    back = {one["id"]: one for one in map(json.loads, Path("again/tasks.jsonl").read_text().splitlines())}
    assert Path("again", back["a"]["tables"]["loans"]).read_bytes() == Path("loans.csv").read_bytes()
    assert back["b"]["tables"] == inline
    assert (back["a"]["reference"], back["b"]["expected"]) == (count, {"value": 3.5})
    assert truths("codegen", "again/tasks.jsonl").keys() == {"a", "b"}
