"""The pytest plug-in in sessions of its own: cases and gates as tests, selection, workers, stored runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ASSISTANT = """
import os

def ask(request):
    with open(os.path.join(os.path.dirname(__file__), "calls.txt"), "a") as file:
        file.write(request["id"] + "\\n")
    if request["id"] == "broken":
        raise ValueError("no such ship")
    return {"answer": "There are 37 ships."}
"""
PROJECT = """
systems:
  mine: {type: function, function: "assistant:ask"}
suites:
  - {suite: answers, cases: gold.jsonl, system: mine}
gates:
  - {metric: answers.errors, at_most: 0.5}
  - {metric: answers.strict, at_least: 0.9}
"""
OWN = """
def test_figures(karat_run):
    assert karat_run.run.cases == 3

def test_no_case_is_slow(karat_case):
    assert karat_case.result.status != "missing"
    assert karat_case.explanation.outcome in ("right", "wrong", "error")
"""


def gold(name: str, value: int, tags: list[str]) -> str:
    evaluation = {"func": "number_match", "parameters": {"gold": value}}
    question = f"How many {name}?"
    return json.dumps({"instance_id": name, "question": question, "evaluation": evaluation, "tags": tags}) + "\n"


@pytest.fixture
def project(pytester: pytest.Pytester) -> Path:
    lines = gold("ships", 37, ["count", "two words"]) + gold("seats", 40, ["count"]) + gold("broken", 1, [])
    for name, text in (("assistant.py", ASSISTANT), ("karat.yaml", PROJECT), ("gold.jsonl", lines)):
        (pytester.path / name).write_text(text)
    return pytester.path


def calls(project: Path) -> list[str]:
    file = project / "calls.txt"
    found = sorted(file.read_text().split()) if file.exists() else []
    file.unlink(missing_ok=True)
    return found


def run(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *words)


def test_cases_and_gates_are_tests_and_a_failure_is_in_the_suites_own_terms(
    pytester: pytest.Pytester, project: Path
) -> None:
    (project / "test_own.py").write_text(OWN)
    result = run(pytester, "--karat", "karat.yaml", "-v", "--strict-markers")
    result.assert_outcomes(passed=7, failed=3)
    result.stdout.fnmatch_lines(
        [
            "*karat.yaml::answers::ships PASSED*",
            "*karat.yaml::answers::seats FAILED*",
            "*karat.yaml::answers::broken FAILED*",
            "*karat.yaml::gates::answers.errors at most 0.5 PASSED*",
            "*test_own.py::test_no_case_is_slow?ships? PASSED*",
            "answers seats: wrong_number*",
            "question       How many seats?",
            "given          answer: There are 37 ships.",
            "                 - 40",
            "case *gold.jsonl:2",
            "answers broken: error: ValueError: no such ship",
            "gate failed: answers.strict is 0.5 over 2 cases, wanted at least 0.9",
            "FAILED karat.yaml::answers::seats - answers seats: wrong_number*",
        ]
    )
    assert calls(project) == ["broken", "seats", "ships"]  # the gates and both fixtures share one run
    # the run is stored: nothing is asked to look at it again, and single cases are chosen as usual
    again = run(pytester, "--karat", "karat.yaml", "--karat-run", "latest", "karat.yaml::answers::ships")
    again.assert_outcomes(passed=1)
    assert calls(project) == []


def test_only_the_selected_cases_are_asked(pytester: pytest.Pytester, project: Path) -> None:
    run(pytester, "--karat", "karat.yaml", "-m", "count and not karat_gate", "--strict-markers").assert_outcomes(
        passed=1, failed=1, deselected=4
    )
    assert calls(project) == ["seats", "ships"]
    run(pytester, "--karat", "karat.yaml", "-k", "two and words").assert_outcomes(passed=1, deselected=5)
    assert calls(project) == ["ships"]
    run(pytester, "--karat", "karat.yaml", "--collect-only")
    run(pytester, "--karat", "karat.yaml", "karat.yaml::files").assert_outcomes(passed=1)
    assert calls(project) == []


def test_workers_share_one_run_and_nothing_is_asked_twice(pytester: pytest.Pytester, project: Path) -> None:
    (project / "test_own.py").write_text(OWN)
    result = run(pytester, "--karat", "karat.yaml", "-n", "2", "--dist", "load")
    result.assert_outcomes(passed=7, failed=3)
    assert calls(project) == ["broken", "seats", "ships"]
    result.stdout.fnmatch_lines(["answers seats: wrong_number*"])


def test_what_has_no_verdict_is_skipped_with_its_reason_and_what_is_missing_fails(
    pytester: pytest.Pytester, project: Path
) -> None:
    unclear = {"instance_id": "when", "question": "When?", "evaluation": {"func": "string_match", "parameters": {}}}
    lines = gold("ships", 37, []) + gold("seats", 40, []) + json.dumps(unclear)
    (project / "gold.jsonl").write_text(f"{lines}\n{{broken line\n")
    rows = [{"instance_id": name, "answer_or_path": "37", "answer_type": "answer"} for name in ("ships", "when")]
    (project / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (project / "karat.yaml").write_text("suites: [{suite: answers, cases: gold.jsonl, predictions: answers.jsonl}]\n")
    result = run(pytester, "--karat", "karat.yaml", "-rs")
    result.assert_outcomes(passed=1, failed=2, skipped=1)
    result.stdout.fnmatch_lines(["answers seats: missing: no prediction"])
    result.stdout.fnmatch_lines(["answers: some files cannot be read", "*gold.jsonl:4:*"])
    result.stdout.fnmatch_lines(["SKIPPED ?1? gold.jsonl:3: cannot be judged: the gold cannot be read*"])


def test_a_stored_run_without_the_case_and_an_unknown_run(pytester: pytest.Pytester, project: Path) -> None:
    run(pytester, "--karat", "karat.yaml", "-k", "ships").assert_outcomes(passed=1, deselected=5)
    (project / "karat.yaml").write_text(PROJECT.partition("gates:")[0])
    result = run(pytester, "--karat", "karat.yaml", "--karat-run", "r-0001")
    result.stdout.fnmatch_lines(["answers seats: missing: the run r-0001 does not have this case"])
    result.assert_outcomes(passed=2, failed=2)
    wrong = run(pytester, "--karat", "karat.yaml", "--karat-run", "r-0009")
    assert wrong.ret == pytest.ExitCode.USAGE_ERROR
    wrong.stderr.fnmatch_lines(["ERROR: there is no run r-0009 in the store*"])


def test_mistakes_are_usage_errors_and_without_the_option_nothing_happens(
    pytester: pytest.Pytester, project: Path
) -> None:
    (project / "test_own.py").write_text("def test_one(): pass\n")
    run(pytester).assert_outcomes(passed=1)
    result = run(pytester, "--karat", "nowhere.yaml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: there is no project file *nowhere.yaml*"])
    (project / "test_own.py").write_text(OWN)
    without = run(pytester)
    without.assert_outcomes(errors=2)
    without.stdout.fnmatch_lines(["this test uses a fixture of Karat, which needs the option --karat*"])


def test_the_module_that_pytest_always_loads_imports_nothing_else_of_karat() -> None:
    code = (
        "import sys, karat.pytest_plugin; print([m for m in sys.modules if m.startswith('karat.') or m == 'msgspec'])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "['karat.pytest_plugin']"
