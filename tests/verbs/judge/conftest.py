"""A project with a run whose answers the rule refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

import karat
from tests.verbs.judge.function_judges import CASES


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run whose answers the rule refuses, but for twenty."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "karat.yaml").write_text(
        "systems: {grader: {type: function, function: 'nowhere:judge'}}\njudge: {system: grader, asks: [wrong]}\n"
    )
    cases = [{"id": f"c{n}", "question": f"What is it? {n}", "relevant": ["lemon"]} for n in range(CASES)]
    answers = [{"id": f"c{n}", "results": ["lemon" if n >= CASES - 20 else "lime"]} for n in range(CASES)]
    karat.run(suite="retrieval", cases=cases, predictions=answers)
    return tmp_path
