"""The whole loop with a real model on this machine: it writes code, the code runs, it is told what failed, and all is
scored."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from starlette.testclient import TestClient

import karat
from karat.core.records import attempts
from karat.store import open_store
from karat.verbs.judge.ask import ask_judge
from karat.verbs.judge.calibrate import calibrate_judge
from karat.verbs.judge.corrected import judged_run
from karat.web.app import create_app
from tests.web.conftest import HERE

TASKS = """
tables:
  people: {name: [Ann, Bo, Cy], age: [31, 45, 28]}
tasks:
  - {id: mean_age, question: What is the average age?, reference: 'result = people["age"].mean()', timeout: 300}
"""
# The model chooses the words, and none of them makes a program that runs. So the course of the run is the same on every
# machine.
NEVER_RUNS = 'root ::= "result = (" [a-z]'


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The model on one thread: several wait for each other, and on busy cores they wait for minutes."""
    process = subprocess.Popen(
        [sys.executable, "-m", "karat.systems.local_llm", "--threads", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
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
    """A dozen tokens are enough for all of the path; how good the model is, and how quick, does not matter."""
    (tmp_path / "tasks.yaml").write_text(TASKS)
    store = f"sqlite:///{tmp_path / 'k.db'}"
    system = {"type": "openai", "base_url": address, "model": "smollm2", "temperature": 0.0, "max_tokens": 16}
    result = karat.run(
        suite="codegen",
        cases=tmp_path / "tasks.yaml",
        system={**system, "api_key_env": "", "concurrency": 1, "timeout": 3600, "extra_body": {"grammar": NEVER_RUNS}},
        options={"performance": False, "max_recovery_attempts": 1},
        store=store,
        workers=1,
    )
    (case,) = result.cases
    assert case.status == "scored"
    with open_store(store) as opened:
        (prediction,) = opened.predictions(opened.find_run("latest"))
    replies = [msgspec.json.decode(reply) for reply in attempts(prediction.response)]
    assert len(replies) == 2
    for reply in replies:
        assert reply["choices"][0]["message"]["content"].startswith("result = (")
        assert 1 <= reply["usage"]["completion_tokens"] <= 6
    # The second question holds the first, its code and the error.
    assert replies[1]["usage"]["prompt_tokens"] > replies[0]["usage"]["prompt_tokens"] + 20
    told = case.details["error_recovery"]
    assert (told["has_error"], told["recovery_attempts_count"], told["recovery_success"]) == (True, 1, False)
    assert "SyntaxError" in told["error_message"]
    overall = case.scores["overall"].value
    assert overall is not None and 0.0 <= overall < 0.5


GRADED = """
name: path
judge: {system: small, asks: [wrong]}
systems:
  small:
    {type: openai, base_url: "%s", model: smollm2, max_tokens: 60, api_key_env: "", concurrency: 1, timeout: 3600,
     prices: {default: {input: 1.0, output: 1.0}}}
"""


@pytest.mark.slow
def test_a_real_model_as_judge_takes_the_whole_path_and_is_not_counted(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prompt, schema, token, second try, cache, cost, store and viewer. What it says proves nothing: whatever that is,
    it must not count."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "karat.yaml").write_text(GRADED % address)
    cases = [{"id": "fruit", "question": "Which fruit?", "relevant": ["lemon"]}]
    karat.run(suite="retrieval", cases=cases, predictions=[{"id": "fruit", "results": ["lime"]}])
    (asked,) = ask_judge()
    assert asked.asked == 1 and asked.right + asked.wrong + sum(asked.abstained.values()) == 1
    assert 1 <= asked.calls <= 3  # without the schema where the server refuses it; once more where it cannot be read
    assert not asked.abstained.get("error"), asked
    assert asked.tokens > 100 and asked.cost == pytest.approx(asked.tokens / 1e6)
    (again,) = ask_judge()
    assert (again.calls, again.cached) == (0, 1)
    with open_store("sqlite:///.karat/karat.db") as store:
        store.add_review(1, "fruit", "fail", reviewer="ann", blind=True)
    found = calibrate_judge(probes=False)
    assert found.reviewed == 1 and found.model == "smollm2" and not found.counts
    with open_store("sqlite:///.karat/karat.db") as store:
        seen = judged_run(store, 1)
    assert seen is not None and not seen.counts and seen.tokens == asked.tokens
    with TestClient(create_app("sqlite:///.karat/karat.db"), base_url=HERE) as pages:
        assert "The judge does not count" in pages.get("/review/calibration?run=r-0001").text
