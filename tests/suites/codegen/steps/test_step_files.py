"""Sessions in case files and recordings, and what a live system is asked."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from karat.core.case_files.case_file import CaseFile
from karat.core.records import Prediction, attempts
from karat.suites.codegen.authoring.case_file import case_file
from karat.suites.codegen.cases import load_cases, recognises
from karat.suites.codegen.options import Options
from karat.suites.codegen.predictions import read_predictions
from karat.suites.codegen.repair.follow_up import follow_up
from karat.suites.codegen.running.truncation import cut_in_the_middle
from karat.suites.codegen.steps.budgets import spent
from karat.suites.codegen.steps.flat import NO_ANSWER, answering, flat_program, names_set
from karat.suites.codegen.tasks.check import check_cases

SESSION = """
- id: two
  tables: {sales: {price: [1, 2, 3]}}
  steps:
    - {question: Double the prices., reference: "twice = sales.price * 2\\nresult = twice"}
    - {question: What is their sum?, expected: 12, timeout: 3}
  final: [2]
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "tasks.yaml"
    file.write_text(text)
    return file


def test_steps_are_read(tmp_path: Path) -> None:
    file = write(tmp_path, SESSION)
    (case,) = load_cases(file).cases
    task = case.conversation[1].target
    assert task is not None and recognises(file)
    assert [(step.question, step.timeout) for step in task.steps] == [
        ("Double the prices.", None),
        ("What is their sum?", 3.0),
    ]
    assert task.final == (2,) and task.steps[1].expected is not None and task.steps[1].expected.value == 12
    assert case.conversation[1].content == "Double the prices."
    assert "several steps" in case.conversation[0].content


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("final: [2]", "final: [3]"), "final names steps by their numbers, 1 to 2"),
        (("expected: 12, ", ""), "a step needs expected, reference, plot or tests"),
        (("timeout: 3", "timeout: 0"), "timeout (seconds) must be above 0"),
        (("question: Double the prices.", 'question: ""'), "a step needs a question"),
        (("timeout: 3", "timeuot: 3"), "timeuot"),
        (("  final: [2]", "  expected: 3"), "under each step"),
    ],
)
def test_mistakes_have_their_place(tmp_path: Path, change: tuple[str, str], problem: str) -> None:
    loaded = load_cases(write(tmp_path, SESSION.replace(*change)))
    assert loaded.cases == () or not list(loaded.cases)
    assert any(problem in found.message and found.line for found in loaded.problems), loaded.problems


def test_a_reference_of_a_step_that_is_no_python_is_found_before_anything_runs(tmp_path: Path) -> None:
    loaded = load_cases(write(tmp_path, SESSION.replace("twice = sales.price * 2", "twice = = 2")))
    found = check_cases(list(loaded.cases), (), Options()).problems
    assert any("the reference of step 1" in problem.message for problem in found), found


def test_a_stored_session_is_a_case_file_again(tmp_path: Path) -> None:
    (case,) = load_cases(write(tmp_path, SESSION)).cases
    made = case_file([msgspec.to_builtins(case)])
    assert isinstance(made, CaseFile)
    (again,) = load_cases(write(tmp_path, made.text)).cases
    assert again.conversation == case.conversation


def test_recorded_steps(tmp_path: Path) -> None:
    file = tmp_path / "code.jsonl"
    lines = [{"id": "two", "steps": ["a = 1", None, "a"]}, {"id": "none", "steps": []}]
    file.write_text("\n".join(map(json.dumps, lines)) + "\n")
    loaded = read_predictions(file)
    assert [attempts(one.response) for one in loaded.predictions] == [[b"a = 1", b"", b"a"]]
    assert [problem.message for problem in loaded.problems] == ['"steps" is an empty list']


def test_a_live_system_is_asked_step_by_step(tmp_path: Path) -> None:
    (case,) = load_cases(write(tmp_path, SESSION)).cases
    code = b"```python\ntwice = df.price * 2\nprint('done', twice.sum())\nresult = twice\n```"
    assert follow_up(case, 0, [code], Options()) == "Printed output:\ndone 12\n\n\nStep 2 of 2: What is their sum?"
    failed = follow_up(case, 0, [b"result = df.cost"], Options())
    assert failed is not None and "left no trace: AttributeError" in failed and "Step 2 of 2" in failed
    assert follow_up(case, 0, [code, b"result = twice.sum()"], Options()) is None
    assert follow_up(case, 0, [code], Options(max_calls=1)) is None
    slow = b"import time; time.sleep(0.5); result = 1"
    assert follow_up(case, 0, [slow], Options(session_timeout=0.3)) is None


def test_a_used_up_budget_ends_the_asking() -> None:
    answer = Prediction("two", response=b"1", tokens=50, cost=0.2)
    assert spent(answer, Options()) == ""
    assert spent(answer, Options(max_tokens=50)) == "max_tokens"
    assert spent(answer, Options(max_cost=0.1)) == "max_cost"
    assert spent(answer, Options(max_calls=1)) == "max_calls"
    assert spent(msgspec.structs.replace(answer, tokens=None, cost=None), Options(max_tokens=1, max_cost=0.1)) == ""


def test_output_is_cut_in_the_middle() -> None:
    assert cut_in_the_middle("short", 100) == "short"
    cut = cut_in_the_middle("a" * 6_000 + "b" * 6_000, 8_192)
    assert cut == "a" * 4_096 + "\n… 3,808 bytes left out …\n" + "b" * 4_096


def test_several_steps_as_one_program() -> None:
    assert flat_program([], "x") == "x"
    assert flat_program(["result = 1"], "y = 2\nf(y)  # that") == "result = 1\ny = 2\nresult = (f(y))  # that"
    assert flat_program(["a = 1; sys.exit()\nb = 2", "raise SystemExit(0)"], "c = a") == "a = 1\n\nc = a\n" + NO_ANSWER
    assert flat_program(["result = 1"], "result = 2") == "result = 1\nresult = 2"
    assert answering("result['a'] = 1\nlen(result)") == "result['a'] = 1\nlen(result)"
    names: dict[str, object] = {}
    exec(flat_program(["result = 1"], "z = 3"), names)
    assert "result" not in names and names["z"] == 3
    assert names_set("import a.b as c, d.e\ndef f(): pass\nx, (y, *z) = g()\nfor i in x: pass") == {*"cdfxyzi"}
