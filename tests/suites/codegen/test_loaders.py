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
from karat.suites.codegen.execution import run_code
from karat.suites.codegen.records import Task


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


CONTEXT = '''
import pandas as pd
import copy


def generate_test_case(test_case_id):
    def generate_ans(data):
        return "the secret answer"

    def define_test_input(test_case_id):
        if test_case_id == 1:
            df = pd.DataFrame({"a": [3, 1, 2]})
        return df

    test_input = define_test_input(test_case_id)
    return test_input, generate_ans(copy.deepcopy(test_input))


def exec_test(result, ans):
    return 1


exec_context = r"""
import pandas as pd
df = test_input
[insert]
result = df
"""


def test_execution(solution: str):
    code = exec_context.replace("[insert]", solution)
'''


def ds1000(
    library: str = "Pandas", context: str = CONTEXT, reference: str = 'df = df.sort_values("a")'
) -> dict[str, Any]:
    return {
        "prompt": "Problem:\nSort it by a.\nA:\n<code>\nimport pandas as pd\n</code>\ndf = ... # put solution here\nBEGIN SOLUTION\n<code>\n",
        "reference_code": reference,
        "metadata": {"problem_id": 7, "library": library, "perturbation_type": "Origin", "perturbation_origin_id": 7},
        "code_context": context,
    }


def test_ds1000_without_its_answers(tmp_path: Path, box: Sandbox) -> None:
    loaded = load_cases(packed(tmp_path / "ds1000.jsonl.gz", ds1000(), ds1000("Pytorch"), ds1000("Scipy")))
    (case,) = loaded.cases
    task = task_of(case)
    assert (case.id, case.question, task.cluster) == ("7", "Sort it by a.", "Pandas-7")
    assert "secret" not in task.setup + task.template
    assert run_code(box, task, task.reference)[1].result.columns[0].values == [1, 2, 3]
    (warning,) = loaded.problems
    assert (warning.severity, "Pytorch 1, Scipy 1" in warning.message) == ("warning", True)


def test_ds1000_that_asks_for_the_body_of_a_function(tmp_path: Path, box: Sandbox) -> None:
    context = CONTEXT.replace("df = test_input\n[insert]\nresult = df", "def f(df):\n[insert]\nresult = f(test_input)")
    row = ds1000(context=context, reference='    out = df["a"].max()\n    return out')
    task = task_of(load_cases(packed(tmp_path / "d.jsonl.gz", row)).cases[0])
    assert run_code(box, task, task.reference)[1].result == 3


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
    assert "unpacked" in load_cases(tmp_path / "cut.jsonl.gz").problems[0].message
