"""``karat cases`` in every suite: list, find, edit, accept, add, draft, variants, duplicates, coverage."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import karat as api
from karat.cli.main import app
from karat.core.problems import UserError
from karat.verbs.cases.ask_system import texts_in, unwrapped, words_of
from karat.verbs.cases.entries import entry_of
from karat.verbs.cases.listing import works
from karat.verbs.setup.init import start_project
from tests.verbs.cases import projects
from tests.verbs.cases.projects import assistant, karat

MAKE = {
    "data_query": projects.data_query,
    "codegen": projects.codegen,
    "text_to_sql": projects.text_to_sql,
    "beir": projects.beir,
}
FIRST = {"data_query": "population_chile", "codegen": "total", "text_to_sql": "q1", "beir": "q1"}


def country(name: str, code: str) -> dict[str, Any]:
    dimensions = [{"dimension_name": "COUNTRY", "values": [{"id": code, "name": "France"}]}]
    target = {"indicator_selection": [{"dataset_id": "IMF.RES:WEO", "dimensions": dimensions}]}
    return {"id": name, "conversation": [{"role": "user", "content": f"What about {code}?", "target": target}]}


PROPOSALS: dict[str, list[dict[str, Any]]] = {
    "data_query": [country("draft_france", "FRA"), country("draft_mars", "MARS")],
    "codegen": [
        {"id": "draft_lines", "question": "How many lines?", "reference": "result = sales.line.nunique()"},
        {"id": "fails", "question": "What is missing?", "reference": "result = sales.nothing.sum()"},
    ],
    "text_to_sql": [
        {"id": "draft_sum", "question": "What is the revenue?", "sql": "SELECT sum(price) FROM sale", "db": "shop"},
        {"id": "fails", "question": "Which ships?", "sql": "SELECT ship FROM sale", "db": "shop"},
    ],
    "beir": [
        {"id": "draft_sweet", "question": "what is sweet?", "relevant": {"honey": 1}},
        {"id": "q3", "question": "what is bitter?", "relevant": {"gall": 1}},
    ],
}
NEW = {
    "data_query": "What about FRA?",
    "codegen": "How many lines?",
    "text_to_sql": "What is the revenue?",
    "beir": "what is sweet?",
}
"""The question of the first proposal."""
PATHS = {"data_query": "cases", "codegen": "tasks.yaml", "text_to_sql": "questions.jsonl", "beir": "set"}
WRONG = {"data_query": "MARS", "codegen": "nothing", "text_to_sql": "ship", "beir": "gall"}


@pytest.fixture(params=list(MAKE))
def project(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    MAKE[request.param](tmp_path)
    return str(request.param)


def listed(*words: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(karat("cases", "list", *words, "--json"))
    return found


def test_a_draft_is_executed_marked_and_scored_only_when_accepted(project: str, tmp_path: Path) -> None:
    assistant(tmp_path, PROPOSALS[project])
    before = listed()
    output = karat("cases", "draft", "--system", "helper", "--count", "2")
    assert WRONG[project] in output
    refused = output.partition("not kept")[2]
    assert not re.search(r"\.(yaml|jsonl|tsv):\d", refused), "it is in no file, so it has no line there"
    drafts = listed("--drafts")
    assert len(drafts) == 1
    assert len(listed("--accepted")) == len(before)
    name = str(drafts[0]["id"])
    checked = json.loads(karat("check", "--json"))
    assert name not in [case["id"] for case in checked["cases"]]
    assert "and 1 draft" in karat("check")
    exported = tmp_path / "out.csv"
    suite = str(drafts[0]["suite"])
    karat("export", "--to", "csv", "--out", exported, "--suite", suite, "--cases", tmp_path / PATHS[project])
    assert name not in exported.read_text()
    if project != "data_query":
        assert "1 draft not scored" in karat("run", "--json", "result.json", code=None)
        result = json.loads((tmp_path / "result.json").read_text())
        assert name not in [case["id"] for case in result["cases"]]
    karat("cases", "accept", name)
    assert listed("--drafts") == []
    assert name in [case["id"] for case in json.loads(karat("check", "--json"))["cases"]]


def test_variants_are_drafts_of_one_cluster_with_the_same_target(project: str, tmp_path: Path) -> None:
    assistant(tmp_path, ["In other words?", "Put differently?", "Put differently?"])
    karat("cases", "variants", FIRST[project], "--system", "helper", "--count", "5")
    cases = {str(case["id"]): case for case in listed()}
    made = [case for case in cases.values() if case["status"] == "draft"]
    assert [case["question"] for case in made] == ["In other words?", "Put differently?"]
    assert {case["cluster"] for case in made} == {FIRST[project]}
    assert cases[FIRST[project]]["cluster"] == FIRST[project]
    pairs = json.loads(karat("cases", "duplicates", "--model", "lexical", "--at-least", "0.1", "--json"))[0]["pairs"]
    assert not [pair for pair in pairs if {pair["first"], pair["second"]} <= {str(case["id"]) for case in made}]


@pytest.mark.parametrize(
    ("reply", "texts"),
    [
        ('["Which ships?", "What ships?"]', ["Which ships?", "What ships?"]),
        ('{"answer": "[\\"Which ships?\\"]"}', ["Which ships?"]),
        ('{"answer": "1. Which ships?\\n2. What ships?"}', ["Which ships?", "What ships?"]),
        ('{"answer": "no", "tokens": 3}', []),
    ],
)
def test_a_reply_in_the_form_of_an_answer_is_unwrapped_and_json_is_no_wording(reply: str, texts: list[str]) -> None:
    assert texts_in(unwrapped(reply)) == texts


@pytest.mark.parametrize(
    "reply",
    [
        '<think>["wrong"]</think>["Which ships?"]',
        'I could say ["wrong"].</think>\n```json\n["Which ships?"]\n```',
    ],
)
def test_reasoning_before_the_proposals_is_no_proposal(reply: str) -> None:
    assert texts_in(words_of(reply, reply.encode())) == ["Which ships?"]


def test_a_refusal_to_propose_is_said() -> None:
    message = {"role": "assistant", "content": None, "refusal": "I may not."}
    with pytest.raises(UserError, match=r"proposed nothing: it refused: I may not\."):
        words_of("", json.dumps({"choices": [{"message": message}]}).encode())


def test_a_question_that_is_there_is_no_new_case(project: str, tmp_path: Path) -> None:
    question = next(str(case["question"]) for case in listed() if case["id"] == FIRST[project])
    proposal = json.loads(json.dumps(PROPOSALS[project][0]).replace(json.dumps(NEW[project]), json.dumps(question)))
    assert proposal != PROPOSALS[project][0]
    assistant(tmp_path, [proposal])
    assert "this question is there already" in karat("cases", "draft", "--system", "helper", code=None)
    assert listed("--drafts") == []


def test_variants_of_a_case_in_a_table_are_refused_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    projects.text_to_sql(tmp_path)
    (tmp_path / "q.csv").write_text("id,question,sql\nq1,How many?,select count(*) from sale\n")
    config = tmp_path / "karat.yaml"
    config.write_text(config.read_text().replace("questions.jsonl", "q.csv"))
    # The helper does not exist, so asking it would be another error.
    error = CliRunner().invoke(app, ["cases", "variants", "q1", "--system", "helper"]).exception
    assert isinstance(error, UserError) and "cannot be copied" in error.message
    assert error.hint.startswith("Convert it, and use q.jsonl in its place (also in karat.yaml): python -c ")


def test_coverage_counts_what_cases_touch_and_names_the_holes(project: str, tmp_path: Path) -> None:
    kinds = {one["kind"]: one for one in json.loads(karat("cases", "coverage", "--json"))[0]["kinds"]}
    hole = {
        "data_query": ("code", "COUNTRY=FRA"),
        "codegen": ("column", "sales.line"),
        "text_to_sql": ("column", "sale.price"),
        "beir": ("document", "honey"),
    }[project]
    assert hole[1] in kinds[hole[0]]["untouched"]
    assert "tag" in kinds


def test_an_edit_changes_the_case_alone_and_a_bad_one_is_kept_and_can_be_dropped(
    project: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if project == "beir":
        pytest.skip("qrels are edited as a whole file")
    file = Path(str(next(case["file"] for case in listed() if case["id"] == FIRST[project])))
    before = file.read_text()
    script = tmp_path / "change.sed"
    words = ("s/content: .*/content: Changed?/", "s/question: .*/question: Changed?/")
    script.write_text("\n".join((*words, 's/"question": "[^"]*"/"question": "Changed?"/')))
    monkeypatch.setenv("VISUAL", f"sed -i -f {script}")
    karat("cases", "edit", FIRST[project])
    after = file.read_text()
    assert "Changed?" in after
    assert len(after.splitlines()) == len(before.splitlines())
    assert [line for line in before.splitlines() if "#" in line and "?" not in line] == [
        line for line in after.splitlines() if "#" in line and "?" not in line
    ]
    monkeypatch.setenv("VISUAL", "sed -i 's/\\bid\\b/idd/'")
    output = karat("cases", "edit", FIRST[project], code=1 if project != "text_to_sql" else 0)
    if project != "text_to_sql":  # a question may have keys of its own, and its number is its id
        assert "not written" in output
        assert file.read_text() == after
        assert len(list((tmp_path / ".karat" / "edits").glob("[!.]*"))) == 1
        assert "opened again" in karat("cases", "edit", FIRST[project], code=1)
        file.write_text(after.replace("Changed?", "By another?"))
        assert "has changed in its file" in karat("cases", "edit", FIRST[project], code=1)
        karat("cases", "edit", FIRST[project], "--drop")
        assert not list((tmp_path / ".karat" / "edits").iterdir())


def test_find_and_typos(project: str) -> None:
    karat("cases", "find", "no such words anywhere", code=1)
    assert FIRST[project] in karat("cases", "find", FIRST[project].upper())
    with pytest.raises(AssertionError) as error:
        karat("cases", "edit", f"{FIRST[project]}x")
    assert "there is no case" in str(error.value)


def test_a_row_of_a_table_and_a_log_become_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    projects.data_query(tmp_path)
    rows = ("id,question,dataset,COUNTRY", "a,One?,IMF.RES:WEO,FRA: France", "b,Two?,IMF.RES:WEO,ARG: Argentina")
    (tmp_path / "new.csv").write_text("\n".join(rows))
    karat("cases", "add", "--from", "new.csv", "--row", "3")
    assert [case["status"] for case in listed() if case["id"] == "b"] == ["accepted"]
    assert not [case for case in listed() if case["id"] == "a"]
    answer = json.dumps(country("x", "FRA")["conversation"][0]["target"])
    said = (("user", "Hello"), ("assistant", "Hi"), ("user", "What about France?"), ("assistant", answer))
    line = {"messages": [{"role": role, "content": content} for role, content in said]}
    (tmp_path / "log.jsonl").write_text(json.dumps(line) + "\n")
    karat("cases", "add", "--from", "log.jsonl")
    assert [case["question"] for case in listed("--drafts")] == ["What about France?"]


def test_a_log_of_mixed_lines_loses_none_in_silence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages and pairs in one file, contents in parts, and a line that is no JSON: the first three become drafts, and
    the last is named, with exit code 3."""
    monkeypatch.chdir(tmp_path)
    projects.codegen(tmp_path)
    code = [{"type": "text", "text": "```python\nresult = 7\n```"}]
    lines: list[dict[str, Any]] = [
        {"messages": [{"role": "user", "content": "Seven?"}, {"role": "assistant", "content": code}]},
        {"messages": [{"role": "user", "content": "Eight?"}, {"role": "assistant", "content": "result = 8"}]},
        {"question": "Nine?", "answer": "result = 9"},
    ]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + "no JSON\n")
    said = karat("cases", "add", "--from", "log.jsonl", code=3)
    assert "log.jsonl:4" in said and "not valid JSON" in said
    assert [case["question"] for case in listed("--drafts")] == ["Seven?", "Eight?", "Nine?"]
    assert "type: text" not in (tmp_path / "tasks.yaml").read_text()


def test_rows_are_added_to_a_beir_folder_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    projects.beir(tmp_path)
    before = sorted(path for path in tmp_path.rglob("*.tsv"))
    for name, key in (("a", "honey"), ("b", "salt")):
        (tmp_path / "new.csv").write_text(f"id,question,expected\n{name},Where is {key}?,{key}\n")
        karat("cases", "add", "--from", "new.csv")
    assert {case["id"] for case in listed()} == {"q1", "a", "b"}
    assert sorted(path for path in tmp_path.rglob("*.tsv")) == before
    assert before[0].read_text().endswith("q1\tlemon\t1\na\thoney\t1\nb\tsalt\t1\n")


def test_a_stored_answer_becomes_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    projects.data_query(tmp_path)
    karat("run", "--json", "before.json", code=None)
    cases = json.loads((tmp_path / "before.json").read_text())["cases"]
    scored = [case for case in cases if case["status"] == "scored"]
    wrong = next(case["id"] for case in scored if case["scores"]["fully_right"] == 0)
    karat("cases", "add", "--answer", wrong)
    karat("run", "--case", wrong, "--json", "after.json", code=None)
    after = json.loads((tmp_path / "after.json").read_text())["cases"][0]
    assert after["scores"]["fully_right"] == 1


def test_a_draft_in_a_gold_file_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    start_project(tmp_path, "answers")
    file = tmp_path / "gold" / "karat_gold.jsonl"
    file.write_text(file.read_text().replace('"type": "text"', '"type": "text", "status": "draft", "cluster": "x"', 1))
    before = file.read_text()
    assert "and 1 draft" in karat("check")
    karat("cases", "accept", "busiest_line")
    assert file.read_text() == before.replace('"status": "draft"', '"status": "accepted"')
    assert "draft" not in karat("check")
    assert [case["cluster"] for case in listed() if case["id"] == "busiest_line"] == ["x"]


def test_drafts_given_in_python_are_not_scored() -> None:
    cases = [{"id": "a", "relevant": ["x"]}, {"id": "b", "relevant": ["x"], "status": "draft"}]
    result = api.score("retrieval", cases, [{"id": "a", "results": ["x"]}, {"id": "b", "results": ["y"]}])
    assert [case.id for case in result.cases] == ["a"]
    assert result.metric("recall").mean == 1.0
    assert [problem.severity for problem in result.problems] == ["warning"]
    with pytest.raises(api.UserError):
        api.score("retrieval", cases[1:], [{"id": "b", "results": ["x"]}])


def test_a_case_in_braces_is_read_with_a_question_mark_in_its_text(tmp_path: Path) -> None:
    (tmp_path / "q.yaml").write_text("- {id: ships, question: How many ships?, sql: SELECT 1}\n")
    (work,) = works(suite="answers", cases=tmp_path / "q.yaml")
    (case,) = work.suite.load_cases(work.cases).cases
    assert entry_of(work, case)["question"] == "How many ships?"


@pytest.mark.parametrize("sign", [",", ";"])
def test_cases_in_a_csv_file_say_the_command_that_makes_lines_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sign: str
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = (("id", "db_id", "question", "query"), ("ships", "", "How many, in all?", "SELECT 1"))
    with Path("q.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=sign).writerows(rows)
    (work,) = works(suite="answers", cases=Path("q.csv"))
    (case,) = work.suite.load_cases(work.cases).cases
    with pytest.raises(api.UserError) as error:
        entry_of(work, case)
    command = "python" + error.value.hint.partition(": python")[2]
    subprocess.run(command.replace("python", sys.executable, 1), shell=True, check=True, timeout=60)
    (work,) = works(suite="answers", cases=Path("q.jsonl"))
    (again,) = work.suite.load_cases(work.cases).cases
    assert (again.id, again.question, again.conversation) == (case.id, case.question, case.conversation)
    assert entry_of(work, again)["question"] == "How many, in all?"
