"""Published files as they are: DS-1000, PandasEval, DABench, in miniature."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from karat.core.records import Case
from karat.sandbox import Sandbox
from karat.suites.codegen.cases import load_cases
from karat.suites.codegen.records import Task
from karat.suites.codegen.running.execution import run_code
from tests.suites.codegen import problems


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        yield opened


def packed(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    return path


def task_of(case: Case[Task]) -> Task:
    target = case.conversation[1].target
    assert target is not None
    return target


SCRIPT = {
    "task_id": "PandasEval/1",
    "prompt": "import pandas as pd\n\ndf = pd.DataFrame({'n': [1, 0, 6]})\n# Keep rows where n is not 0\nkept =",
    "entry_point": "none",
    "canonical_solution": [" df[df.n != 0]", " df.query('n != 0')"],
    "test": "\nMETADATA = {'type': 'rows'}\ndef check():\n    assert kept.n.tolist() == [1, 6]\n",
}
FUNCTION = {
    "task_id": "PandasEval/2",
    "prompt": "import pandas as pd\n\ndef last(df, n):\n    # The last n rows\n",
    "entry_point": "last",
    "canonical_solution": ["    return df.tail(n)"],
    "test": "def check(candidate):\n    assert candidate(pd.DataFrame({'a': [1, 2]}), 1).a.tolist() == [777]\n"
    "    assert len(candidate(pd.DataFrame({'a': [1, 2]}), 2)) == 888\n",
}


def test_a_script_continues_where_it_breaks_off(tmp_path: Path, box: Sandbox) -> None:
    (case,) = load_cases(packed(tmp_path / "e.jsonl.gz", SCRIPT)).cases
    task = task_of(case)
    assert (case.id, case.question, case.tags) == ("PandasEval/1", "Keep rows where n is not 0", ("rows",))
    assert (task.answer, task.reference) == ("kept", "kept = df[df.n != 0]")
    assert "Keep rows" not in task.setup
    attempt, outcome = run_code(box, task, "kept = df.loc[df.n.ne(0)]")
    assert (attempt.ran, outcome.result.columns[0].values) == (True, [1, 6])


def test_a_function_is_called_as_the_test_calls_it_and_nothing_expected_is_taken(tmp_path: Path, box: Sandbox) -> None:
    (case,) = load_cases(packed(tmp_path / "e.jsonl.gz", FUNCTION)).cases
    task = task_of(case)
    assert "777" not in task.template
    assert "888" not in task.template
    attempt, outcome = run_code(box, task, task.reference)
    assert attempt.ran
    assert [table.height for table in outcome.result] == [1, 2]


def test_a_prompt_that_ends_within_a_statement(tmp_path: Path, box: Sandbox) -> None:
    row = SCRIPT | {
        "prompt": "import numpy as np\na = np.zeros(3)\n# Set the second to one\na",
        "canonical_solution": ["[1] = 1"],
        "test": "def check():\n    assert a[1] == 1\n",
    }
    task = task_of(load_cases(packed(tmp_path / "e.jsonl.gz", row)).cases[0])
    assert (task.reference, task.answer) == ("a[1] = 1", "a")
    assert run_code(box, task, task.reference)[1].result == [0.0, 1.0, 0.0]


def test_ds1000_without_its_answers(tmp_path: Path, box: Sandbox) -> None:
    rows = [problems.row(), problems.row(library="Pytorch"), problems.row(library="Scipy")]
    loaded = load_cases(packed(tmp_path / "ds1000.jsonl.gz", *rows))
    (case,) = loaded.cases
    task = task_of(case)
    assert (case.id, case.question, task.cluster) == ("7", "Keep the rows where a is above the limit.", "Pandas-7")
    assert task.harness is not None
    assert "secret" not in task.setup + task.template + task.harness.inputs + task.harness.program
    assert task.harness.count == 2
    assert run_code(box, task, task.reference)[1].result.shown.columns[0].values == [3, 2]
    (warning,) = loaded.problems
    assert (warning.severity, "Pytorch 1, Scipy 1" in warning.message) == ("warning", True)


def test_ds1000_problem_0_keeps_its_id(tmp_path: Path) -> None:
    rows = [problems.row(number=0), problems.row(number=1), problems.row(number="")]
    loaded = load_cases(packed(tmp_path / "d.jsonl.gz", *rows))
    assert ([case.id for case in loaded.cases], loaded.problems) == (["0", "1", "3"], ())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def generate_test_case", "def another_name"),
        ("def test_execution", "def another_name"),
        ("[insert]", "nothing"),
        ("        exec(code, test_env)\n", ""),
        ("range(2)", "range(0)"),
        ("range(2)", "range(10**9)"),
        ("import copy", "import copy("),
    ],
)
def test_ds1000_of_another_form_is_a_problem(tmp_path: Path, before: str, after: str) -> None:
    row = problems.row(problems.CONTEXT.replace(before, after))
    row["metadata"]["test_case_cnt"] = 0
    loaded = load_cases(packed(tmp_path / "d.jsonl.gz", row, problems.row(number=8)))
    assert [case.id for case in loaded.cases] == ["8"]
    assert [(problem.line, problem.severity) for problem in loaded.problems] == [(1, "error")]
    assert "not a DS-1000 problem" in loaded.problems[0].message


def test_ds1000_counts_its_inputs(tmp_path: Path) -> None:
    told = problems.row(problems.CONTEXT.replace("range(2)", "ids"))
    told["metadata"]["test_case_cnt"] = 3
    (case,) = load_cases(packed(tmp_path / "d.jsonl.gz", told)).cases
    harness = task_of(case).harness
    assert harness is not None
    assert harness.count == 3


def test_dabench_with_labels_and_tables_beside_it(tmp_path: Path) -> None:
    question = {
        "id": 5,
        "question": "What is the mean fare?",
        "concepts": ["Summary Statistics"],
        "constraints": "Round to two places.",
        "format": '@mean_fare[x] where "x" is a number',
        "file_name": "fares.csv",
        "level": "easy",
    }
    (tmp_path / "questions.jsonl").write_text(
        json.dumps(question) + "\n" + json.dumps(question | {"id": 6, "file_name": "fare.csv"})
    )
    (tmp_path / "labels.jsonl").write_text(json.dumps({"id": 5, "common_answers": [["mean_fare", "34.65"]]}))
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "fares.csv").write_text("fare\n1\n")
    loaded = load_cases(tmp_path)
    (case,) = loaded.cases
    expected = task_of(case).expected
    assert expected is not None
    assert expected.named == {"mean_fare": "34.65"}
    assert case.question == "What is the mean fare?\n\nRound to two places."
    assert "@mean_fare[x]" in case.conversation[0].content
    assert case.tags == ("easy", "Summary Statistics")
    (problem,) = loaded.problems
    assert (problem.line, problem.hint) == (2, 'Did you mean "fares.csv"?')


def test_rows_that_are_broken_cost_only_themselves(tmp_path: Path) -> None:
    path = packed(tmp_path / "e.jsonl.gz", SCRIPT | {"canonical_solution": 3}, FUNCTION | {"test": "pass"}, SCRIPT)
    loaded = load_cases(path)
    assert [case.id for case in loaded.cases] == ["PandasEval/1"]
    assert [problem.line for problem in loaded.problems] == [1, 2]
    (tmp_path / "cut.jsonl.gz").write_bytes(path.read_bytes()[:-9])
    assert "the gzip data is damaged" in load_cases(tmp_path / "cut.jsonl.gz").problems[0].message
