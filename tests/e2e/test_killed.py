"""Killed at random moments, a run goes on where it was: every case once, no finished call repeated, nothing stored
lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from karat.store import open_store
from tests.slow_server import Assistant, serving
from tests.store.conftest import postgres, url

__all__ = ["postgres", "url"]

CASES, KILLS = 400, 10
CASE = """\
id: {id}
conversation:
- role: user
  content: Which one?
  target:
    indicator_selection:
    - dataset_id: X:D
      dimensions:
      - {{dimension_name: A, values: [{{id: a, name: name of a}}]}}
"""


def project(folder: Path, assistant: Assistant, cases: int) -> None:
    (folder / "cases").mkdir()
    (folder / "cases" / "all.yaml").write_text("---\n".join(CASE.format(id=f"c{n:03}") for n in range(cases)))
    (folder / "karat.yaml").write_text(
        f"systems:\n  slow: {{type: http, url: '{assistant.url}', concurrency: 8, retries: 0}}\n"
        "suites:\n- {suite: data_query, cases: cases/, system: slow}\n"
    )


def start(folder: Path, *words: str, before: str = "") -> subprocess.Popen[str]:
    """``before``: what a shell does first."""
    command = ["sh", "-c", f'{before}exec "$@"', "sh", sys.executable, "-m", "karat", "run", *words]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def stored(folder: Path) -> list[str]:
    if not (folder / ".karat" / "karat.db").exists():
        return []
    with open_store(f"sqlite:///{folder / '.karat' / 'karat.db'}") as store:
        return [p.case_id for p in store.predictions(1)] if store.runs(1) else []


def answered(url: str) -> list[str]:
    """The cases that have an answer in the store of a killed run, each as often as it has one."""
    with open_store(url) as store:
        found = [p.case_id for p in store.predictions(1)] if store.runs(1) else []
        assert all(len(store.attempts(1, case_id)) == 1 for case_id in found), "an answer is stored twice"
        return found


@pytest.mark.slow
def test_killed_ten_times_at_random_moments(tmp_path: Path, url: str) -> None:
    """In each store. Runs that are scored on Dask: see test_dask_faults."""
    rng = random.Random(20261115)
    with serving(Assistant(delay=0.09)) as assistant:
        project(tmp_path, assistant, CASES)
        kept: dict[str, int] = {}
        process = start(tmp_path, "--store", url)
        for _ in range(KILLS):
            before = sum(assistant.calls.values())
            while sum(assistant.calls.values()) == before and process.poll() is None:
                time.sleep(0.002)  # until the run is calling again
            time.sleep(rng.uniform(0.0, 0.2))
            assert process.poll() is None, "the run is over: make the server slower"
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
            time.sleep(0.12)  # what the server was still answering comes to its end
            now = answered(url)
            assert len(now) == len(set(now)), "a case is stored twice"
            assert set(kept) <= set(now), "something that was stored is lost"
            for case_id, calls in kept.items():
                assert assistant.calls[f"{case_id}:0"] == calls, f"{case_id} was stored and asked again"
            kept = {case_id: assistant.calls[f"{case_id}:0"] for case_id in now}
            process = start(tmp_path, "--resume", "latest", "--store", url)
        output, _ = process.communicate(timeout=120)
        assert process.returncode == 0, output
        assert sorted(answered(url)) == [f"c{n:03}" for n in range(CASES)]
        for case_id, calls in kept.items():
            assert assistant.calls[f"{case_id}:0"] == calls
        # A kill costs at most the 8 calls in flight and the 8 whose answers had come but were not committed yet.
        assert sum(assistant.calls.values()) <= CASES + KILLS * (8 + 8)
        assert f"{CASES} scored" in output
        with open_store(url) as store:
            assert len(store.scorings(1)) == 1 and store.run(1).status == "finished"


@pytest.mark.parametrize(
    ("signum", "ignored"), [(signal.SIGINT, ""), (signal.SIGTERM, ""), (signal.SIGTERM, "trap '' INT; ")]
)
def test_asked_to_stop_it_stops_cleanly_and_says_how_to_go_on(
    tmp_path: Path, signum: signal.Signals, ignored: str
) -> None:
    """``ignored``: a script that starts it in the background has Ctrl-C ignored; it can be stopped all the same."""
    with serving(Assistant(delay=0.05)) as assistant:
        project(tmp_path, assistant, 200)
        process = start(tmp_path, before=ignored)
        while sum(assistant.calls.values()) < 20 and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signum)
        output, _ = process.communicate(timeout=30)
        assert process.returncode == 130, output
        assert "to resume: karat run --resume r-0001" in output
        assert "Traceback" not in output
        done = stored(tmp_path)
        assert 0 < len(done) < 200
        finish = start(tmp_path, "--resume", "r-0001")
        output, _ = finish.communicate(timeout=60)
        assert finish.returncode == 0, output
        assert len(stored(tmp_path)) == 200
        assert all(assistant.calls[f"{case_id}:0"] == 1 for case_id in done)


def test_two_runs_at_once_in_one_store(tmp_path: Path) -> None:
    with serving(Assistant(delay=0.01)) as assistant:
        project(tmp_path, assistant, 100)
        both = [start(tmp_path), start(tmp_path)]
        outputs = [process.communicate(timeout=60)[0] for process in both]
        assert [process.returncode for process in both] == [0, 0], outputs
        with open_store(f"sqlite:///{tmp_path / '.karat' / 'karat.db'}") as store:
            assert sorted(row.id for row in store.runs(10)) == [1, 2]
            assert [len(store.predictions(run)) for run in (1, 2)] == [100, 100]
