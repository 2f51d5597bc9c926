"""Recorded code: lines, folders, and lines that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.case_files.loaded import LoadedPredictions
from karat.core.problems import UserError
from karat.core.records import attempts
from karat.suites.codegen.predictions import read_predictions
from karat.suites.codegen.responses import code_of


def recorded(tmp_path: Path, *lines: Any) -> LoadedPredictions:
    file = tmp_path / "code.jsonl"
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return read_predictions(file)


def test_code_response_and_attempts(tmp_path: Path) -> None:
    chat = {"choices": [{"message": {"content": "Here:\n```python\nresult = 4\n```"}}]}
    loaded = recorded(
        tmp_path,
        {"id": "a", "code": "result = 1", "latency": 0.5, "tokens": {"total_tokens": 12}, "cost": 0.01},
        {"id": "b", "response": "```python\nresult = 2\n```"},
        {"id": "c", "attempts": ["result = x", "result = 3"]},
        {"id": "d", "response": chat},
        {"id": "e", "error": {"kind": "timeout", "message": "late"}},
    )
    assert loaded.problems == ()
    answered = [item for item in loaded.predictions if item.error is None]
    found = {item.case_id: [code_of(response) for response in attempts(item.response)] for item in answered}
    assert found["a"] == ["result = 1"]
    assert found["b"] == ["result = 2"]
    assert found["c"] == ["result = x", "result = 3"]
    assert found["d"] == ["result = 4"]
    first, last = loaded.predictions[0], loaded.predictions[-1]
    assert (first.latency, first.tokens, first.cost, first.turn) == (0.5, 12, 0.01, None)
    assert last.error is not None
    assert last.error.kind == "timeout"


def test_bad_lines_are_problems_with_their_line(tmp_path: Path) -> None:
    loaded = recorded(
        tmp_path,
        "{oops",
        {"id": "a", "cod": "result = 1"},
        {"id": "a", "code": "x", "attempts": ["y"]},
        {"id": "a", "attempts": []},
        {"id": "b", "code": "result = 1"},
        {"id": "b", "code": "result = 2"},
        {"id": "b", "code": "result = 2", "repeat": 1},
    )
    assert [(item.case_id, item.repeat) for item in loaded.predictions] == [("b", 0), ("b", 1)]
    assert [problem.line for problem in loaded.problems] == [1, 2, 3, 4, 6]
    assert loaded.problems[1].hint == 'Did you mean "code"?'


def test_a_folder_of_files(tmp_path: Path) -> None:
    (tmp_path / "PandasEval__3.py").write_text("result = 1")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.py").write_text("result = 2")
    assert [item.case_id for item in read_predictions(tmp_path).predictions] == ["PandasEval/3", "sub/b"]


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        read_predictions(tmp_path / "none.jsonl")
    with pytest.raises(UserError, match="there is no code"):
        read_predictions(tmp_path)


def test_attempts_given_as_python_values_are_attempts_too(tmp_path: Path) -> None:
    (tmp_path / "tasks.yaml").write_text(
        "- {id: t, question: How many?, tables: {t: {a: [1, 2]}}, expected: {value: 2}}\n"
    )
    result = karat.score(
        suite="codegen",
        cases=tmp_path / "tasks.yaml",
        predictions=[{"id": "t", "attempts": ["result = len(nothing)", "result = len(df)"]}],
        workers=1,
    )
    assert result.cases[0].scores["passed"].value == 1.0
    assert result.cases[0].details["error_recovery"]["recovery_attempts_count"] == 1
