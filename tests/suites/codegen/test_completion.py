"""Answers that continue a program: whatever the form, the same code is judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.records import Case, Where
from karat.suites.codegen.benchmarks.pandaseval import read_problem
from karat.suites.codegen.records import Task, Unfinished
from karat.suites.codegen.running.completion import code_for, completed

PROMPT = "import pandas as pd\n\ndf = pd.DataFrame({'n': [1, 0, 6]})\n# Keep rows where n is not 0\nkept ="
SCRIPT = {
    "task_id": "PandasEval/1",
    "prompt": PROMPT,
    "entry_point": "none",
    "canonical_solution": [" df[df.n != 0]"],
    "test": "def check():\n    assert kept.n.tolist() == [1, 6]\n",
}
HEAD = "def last(df, n):\n    # The last n rows\n"
FUNCTION = {
    "task_id": "PandasEval/2",
    "prompt": f"import pandas as pd\n\n{HEAD}",
    "entry_point": "last",
    "canonical_solution": ["    return df.tail(n)"],
    "test": "def check(candidate):\n    assert candidate(pd.DataFrame({'a': [1, 2]}), 1).a.tolist() == [2]\n",
}


def task_of(row: dict[str, Any]) -> Task:
    case = read_problem(row, Where())
    assert isinstance(case, Case), case
    target = case.conversation[1].target
    assert target is not None
    return target


@pytest.mark.parametrize(
    "answer",
    [
        " df[df.n != 0]",
        "df[df.n != 0]",
        "\n df[df.n != 0]\n",
        "kept = df[df.n != 0]",
        "kept=df[df.n != 0]",
        "    kept = df[df.n != 0]",
        f"{PROMPT} df[df.n != 0]",
        PROMPT.replace("\n\n", "\n") + " df[df.n != 0]\n",
        "df = pd.DataFrame({'n': [1, 0, 6]})\nkept = df[df.n != 0]",
        "import numpy as np\nkept = df[df.n != 0]",
        "import numpy as np\n\ndf[df.n != 0]",
        "```python\nkept = df[df.n != 0]\n```",
        "Here it is:\n```\n df[df.n != 0]\n```\nThat is all.",
        f"```python\n{PROMPT} df[df.n != 0]\n```",
        " df[df.n != 0]\nprint(kept)",
        " df[\n    df.n != 0\n]",
        "mask = df.n != 0\nkept = df[mask]",
    ],
)
def test_a_script_in_every_form(tmp_path: Path, answer: str) -> None:
    assert passed(tmp_path, SCRIPT, {"task_id": "PandasEval/1", "completion": answer}) == [1.0]


@pytest.mark.parametrize(
    "answer",
    [
        "    return df.tail(n)",
        "return df.tail(n)",
        "\n    return df.tail(n)\n",
        "rows = df.tail(n)\n    return rows",
        "rows = df.tail(n)\nreturn rows",
        "    rows = df.tail(n)\n    return rows\n\nprint(last(pd.DataFrame({'a': [1]}), 1))\n",
        f"{HEAD}    return df.tail(n)",
        "def last(df, n):\n    return df.tail(n)",
        f"import pandas as pd\n\n{HEAD}    return df.tail(n)",
        "```python\n    return df.tail(n)\n```",
        "```python\ndef last(df, n):\n    return df.tail(n)\n```",
    ],
)
def test_a_function_in_every_form(tmp_path: Path, answer: str) -> None:
    assert passed(tmp_path, FUNCTION, {"task_id": "PandasEval/2", "completion": answer}) == [1.0]


@pytest.mark.parametrize(
    "answer", [" df", "df[df.n > 1]", "result = df[df.n != 0]", "x = df[df.n != 0]", "pass", "", " df["]
)
def test_a_wrong_continuation_stays_wrong(tmp_path: Path, answer: str) -> None:
    assert passed(tmp_path, SCRIPT, {"task_id": "PandasEval/1", "completion": answer}) == [0.0]


def test_samples_of_a_task_are_its_repeats(tmp_path: Path) -> None:
    samples = [
        {"task_id": "PandasEval/1", "completion": text} for text in (" df", " df[df.n != 0]", "kept = df[df.n > 0]")
    ]
    assert passed(tmp_path, SCRIPT, *samples) == [0.0, 1.0, 1.0]


def test_a_prompt_beside_the_completion_and_a_solution(tmp_path: Path) -> None:
    beside = {"task_id": "PandasEval/1", "prompt": PROMPT, "completion": " df[df.n != 0]"}
    assert passed(tmp_path, SCRIPT, beside) == [1.0]
    assert passed(tmp_path, SCRIPT, {"task_id": "PandasEval/1", "solution": f"{PROMPT} df[df.n != 0]"}) == [1.0]


def test_the_finished_part_is_not_held_against_an_answer_that_repeats_it() -> None:
    assert code_for(task_of(SCRIPT), f"{PROMPT} df[df.n != 0]".encode()) == ("kept = df[df.n != 0]")


@pytest.mark.parametrize(
    ("rest", "answer", "whole"),
    [
        ("a", "[1] = 1", "a[1] = 1"),
        ("a", "a[1] = 1", "a[1] = 1"),
        ("result", ".sort()", "result.sort()"),
        ("data.columns = ", '["a", "b"]', 'data.columns = ["a", "b"]'),
        ("df.loc[df['a'] == 'x', 'b'] =", " 3", "df.loc[df['a'] == 'x', 'b'] = 3"),
        ("z[1:] =", "z[1:] = z[:-1]", "z[1:] = z[:-1]"),
        ("total = sum(\n", "    [1, 2]\n)", "total = sum(\n    [1, 2]\n)"),
        ("hist, edges =", " np.histogram(a)\nhist = "
                          "hist.cumsum()", "hist, edges = np.histogram(a)\nhist = hist.cumsum()"),
        ("", "df.sort_index(inplace=True)", "df.sort_index(inplace=True)"),
    ],
)  # fmt: skip
def test_statements_that_break_off_anywhere(rest: str, answer: str, whole: str) -> None:
    task = Task(unfinished=Unfinished("", rest))
    assert code_for(task, answer.encode()) == whole


def test_a_head_that_ends_within_a_line() -> None:
    assert (
        completed(Unfinished("", "def f(df):\n    return ", "f"), "df.dropna()") == "def f(df):\n    return df.dropna()"
    )
    head = "def f(df):\n    # all\n    "
    for body in ("df.a = 1\n    return df", "    df.a = 1\n    return df", "df.a = 1\nreturn df"):
        assert completed(Unfinished("", head, "f"), body) == "def f(df):\n    # all\n    df.a = 1\n    return df"


def test_humaneval_problems_load(tmp_path: Path) -> None:
    row = FUNCTION | {"task_id": "HumanEval/0", "canonical_solution": "    return df.tail(n)\n"}
    assert passed(tmp_path, row, {"task_id": "HumanEval/0", "completion": "    return df.iloc[-n:]\n"}) == [1.0]


def passed(tmp_path: Path, row: dict[str, Any], *lines: dict[str, Any]) -> list[float | None]:
    """What the samples of one problem score, by the same door as a user's files."""
    (tmp_path / "problems.jsonl").write_text(json.dumps(row))
    (tmp_path / "samples.jsonl").write_text("\n".join(map(json.dumps, lines)))
    result = karat.score(
        suite="codegen",
        cases=tmp_path / "problems.jsonl",
        predictions=tmp_path / "samples.jsonl",
        options={"performance": False},
        workers=1,
    )
    (case,) = result.cases
    tries = case.repeats or (case,)
    return [one.scores["passed"].value for one in tries]


def test_a_test_that_makes_its_own_inputs_runs_as_it_is(tmp_path: Path) -> None:
    row = {
        "task_id": "HumanEval/1",
        "prompt": 'import math\n\n\ndef shifted(n):\n    return math.floor(n) + 1\n\n\ndef back(n):\n    """Undo."""\n',
        "entry_point": "back",
        "canonical_solution": "    return n - 1\n",
        "test": "def check(candidate):\n    for n in range(20):\n        assert candidate(shifted(n)) == n\n",
    }
    samples = [{"task_id": "HumanEval/1", "completion": text} for text in ("    return n - 1\n", "    return n + 1\n")]
    assert passed(tmp_path, row, *samples) == [1.0, 0.0]
    assert task_of(FUNCTION).unit_tests is None
