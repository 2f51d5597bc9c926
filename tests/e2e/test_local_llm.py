"""The whole loop with a real model on this machine: it writes code, the code runs, it is told what failed, and all is scored."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import karat
from karat.core.records import attempts
from karat.store import open_store

TASKS = """
tables:
  people: {name: [Ann, Bo, Cy], age: [31, 45, 28]}
tasks:
  - id: mean_age
    question: What is the average age?
    reference: result = people["age"].mean()
  - id: oldest
    question: Which name has the highest age?
    reference: result = people.loc[people["age"].idxmax(), "name"]
  - id: count
    question: How many people are older than 30?
    reference: result = int((people["age"] > 30).sum())
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "karat.systems.local_llm"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stderr is not None
    line = process.stdout.readline().strip()
    if not line:
        pytest.skip(f"the local model cannot be served here: {process.stderr.read().strip()[-300:]}")
    yield line
    process.terminate()
    process.wait(30)


@pytest.mark.slow
def test_a_real_model_generates_repairs_and_is_scored(address: str, tmp_path: Path) -> None:
    (tmp_path / "tasks.yaml").write_text(TASKS)
    store = f"sqlite:///{tmp_path / 'k.db'}"
    system = {"type": "openai", "base_url": address, "model": "smollm2", "temperature": 0.0, "max_tokens": 120}
    result = karat.run(
        suite="codegen",
        cases=tmp_path / "tasks.yaml",
        system={**system, "api_key_env": "", "concurrency": 1},
        options={"performance": False},
        store=store,
        workers=1,
    )
    assert len(result.cases) == 3
    assert {case.status for case in result.cases} == {"scored"}
    with open_store(store) as opened:
        predictions = opened.predictions(opened.find_run("latest"))
    tried = {prediction.case_id: len(attempts(prediction.response)) for prediction in predictions}
    for case in result.cases:
        overall = case.scores["overall"].value
        assert overall is not None and 0.0 <= overall <= 1.0
        told = case.details["error_recovery"]
        assert told["recovery_attempts_count"] == tried[case.id] - 1
        assert not told["has_error"] or tried[case.id] == 3 or told["recovery_success"]
    # So small a model does not write three programs that run: at least once it was asked to mend its code.
    assert max(tried.values()) > 1
