"""``karat answers --questions`` as a user types it, the same from karat.yaml, and a live system."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.e2e.test_answers import run
from tests.suites.answers.text_to_sql.making import database, question_file
from tests.warm import warm_karat

ROWS = [
    {"id": "all", "db": "shop", "question": "How many customers?", "sql": "select count(*) from customer"},
    {"id": "fr", "db": "shop", "question": "Names in France?", "sql": "select name from customer where country = 'FR'"},
]
GIVEN = [{"id": "all", "sql": "select 4"}, {"id": "fr", "sql": "select name from customer"}]

ASSISTANT = """
def ask(request):
    said = request["messages"][-1]["content"]
    if "customer(id INTEGER" in said and "France" in said:
        return "Here:\\n```sql\\nselect name from customer where country = 'FR'\\n```"
    return "I do not know"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    database(tmp_path / "databases")
    question_file(tmp_path, ROWS)
    question_file(tmp_path, GIVEN, "given.jsonl")
    return tmp_path


def test_every_figure_and_the_sentence(project: Path) -> None:
    words = ("--questions", "team.jsonl", "--predictions", "given.jsonl", "--databases", "databases")
    out = run(project, "karat", "answers", *words, "--json", "out.json", "--xlsx", "out.xlsx", "--html", "out.html")
    assert "misses the filter `country = 'FR'`" in out
    cases = json.loads((project / "out.json").read_text())["cases"]
    assert [(case["id"], case["outcome"], case["scores"]["strict"], case["scores"]["bird_ex"]) for case in cases] == [
        ("all", "pass", 1.0, 1.0),
        ("fr", "fail", 0.0, 0.0),
    ]
    assert cases[1]["db"] == "shop"
    assert cases[1]["components"] == [{"part": "filters", "missing": ["customer.country = 'FR'"]}]
    assert cases[1]["rows"] == {"gold": [2, 1], "answer": [4, 1]}


def test_a_missing_database_ends_with_3_and_is_named_once(project: Path) -> None:
    question_file(project, [{**row, "db": "shap"} for row in ROWS])
    words = ("--questions", "team.jsonl", "--predictions", "given.jsonl", "--databases", "databases")
    assert "errors 2" in run(project, "karat", "answers", *words, code=3)


def test_gold_that_fails_everywhere_is_said_and_ends_with_3(project: Path) -> None:
    question_file(project, [{**row, "sql": "select name from nowhere"} for row in ROWS])
    words = ("--questions", "team.jsonl", "--predictions", "given.jsonl", "--databases", "databases")
    out = run(project, "karat", "answers", *words, code=3)
    assert "no verdict flips" not in out
    assert "gold fails in 2 cases" in out
    assert "no such table: nowhere" in out


def test_karat_yaml_gate_and_check(project: Path) -> None:
    (project / "karat.yaml").write_text(
        "suites:\n"
        "  - {suite: answers, cases: team.jsonl, predictions: given.jsonl, options: {databases: databases}}\n"
        "gates:\n"
        "  - {metric: answers.strict, at_least: 0.9}\n"
    )
    assert "misses the filter" in run(project, "karat", "run", code=1)  # the gate
    checked = run(project, "karat", "check", "--questions", "team.jsonl", "--databases", "databases")
    assert "no mistakes" in checked


def test_a_live_system_is_told_the_tables_and_its_sql_is_executed(project: Path) -> None:
    (project / "assistant.py").write_text(ASSISTANT)
    (project / "karat.yaml").write_text(
        "systems:\n  mine: {type: function, function: 'assistant:ask', prompt: default}\n"
        "suites:\n  - {suite: answers, cases: team.jsonl, system: mine, options: {databases: databases}}\n"
    )
    run(project, "karat", "run", "--json", "out.json", code=3)
    cases = {case["id"]: case for case in json.loads((project / "out.json").read_text())["cases"]}
    assert cases["fr"]["scores"]["strict"] == 1.0
    assert cases["all"]["status"] == "error"
    assert "no SQL in the response" in cases["all"]["error"]


def test_the_words_of_the_command_line_are_keys_of_karat_yaml(project: Path) -> None:
    text = "suites:\n  - suite: answers\n    questions: team.jsonl\n    predictions: given.jsonl\n    databases: {}\n"
    (project / "karat.yaml").write_text(text.format("databases"))
    run(project, "karat", "run", "--json", "out.json")
    found = {case["id"]: case["scores"]["strict"] for case in json.loads((project / "out.json").read_text())["cases"]}
    assert found == {"all": 1.0, "fr": 0.0}
    (project / "karat.yaml").write_text(text.format("[databases]"))
    said = run_failing(project, "run")
    assert "karat.yaml:5" in said
    (project / "karat.yaml").write_text(text.format("databases") + "    database: x\n")
    assert "karat.yaml:6" in run_failing(project, "run")
    (project / "karat.yaml").write_text("suites:\n  - {suite: data_query, questions: team.jsonl, databases: x}\n")
    assert "questions" in run_failing(project, "run")


def test_a_function_and_the_keys_from_an_empty_folder(project: Path) -> None:
    (project / "assistant.py").write_text(ASSISTANT)
    (project / "karat.yaml").write_text(
        "systems:\n  mine: {type: function, function: 'assistant:ask', prompt: default}\n"
        "suites:\n  - {suite: answers, questions: team.jsonl, system: mine, databases: databases}\n"
    )
    run(project, "karat", "check")
    run(project, "karat", "run", "--json", "out.json", code=3)
    cases = {case["id"]: case for case in json.loads((project / "out.json").read_text())["cases"]}
    assert (cases["fr"]["scores"]["strict"], cases["all"]["status"]) == (1.0, "error")


def run_failing(folder: Path, *words: str) -> str:
    done = subprocess.run(warm_karat(*words), cwd=folder, capture_output=True, text=True, timeout=240)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr
