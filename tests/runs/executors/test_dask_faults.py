"""Workers that are killed, hang or die on one case, and a scheduler that goes: each case is scored once or reported."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from karat.core.problems import UserError
from karat.core.suite import SuiteOptions
from karat.runs.executors.dask_engine import DaskEngine
from karat.runs.scores.scoring import score_cases
from karat.store import open_store
from tests.runs.executors.cluster import Cluster, running_cluster
from tests.runs.executors.troubled_suite import Deed, begun, suite, work, worth

PATIENCE = 90.0


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One for all tests here, in their order: to start a worker takes longer than to kill it."""
    with running_cluster(tmp_path_factory.mktemp("cluster"), 0) as found:
        yield found


def engine(cluster: Cluster, count: int, timeout: float = 300.0) -> DaskEngine:
    """An engine that sees this many workers."""
    cluster.fill(count)
    made = DaskEngine(f"tcp://{cluster.address}", timeout, patience=PATIENCE)
    until = time.monotonic() + PATIENCE
    while made.slots < count and time.monotonic() < until:
        time.sleep(0.05)
    assert made.slots == count
    return made


def test_no_worker_is_an_error_that_says_so(cluster: Cluster) -> None:
    with pytest.raises(UserError, match=r"has no worker; waited 0.5 seconds") as caught:
        DaskEngine(f"tcp://{cluster.address}", 60, patience=0.5)
    assert "dask worker tcp://" in caught.value.hint


def test_workers_killed_in_mid_run_cost_nothing(cluster: Cluster, tmp_path: Path) -> None:
    rng = random.Random(15)
    deeds = [Deed(number, seconds=0.01, log=str(tmp_path)) for number in range(150)]
    here = list(score_cases(suite, work(*deeds), SuiteOptions()))
    with engine(cluster, 3) as pool:
        there = []
        for result in score_cases(suite, work(*deeds), SuiteOptions(), executor=pool):
            there.append(result)
            if len(there) in (20, 60):
                cluster.kill(rng.choice(cluster.workers))
    assert there == here
    assert len(cluster.workers) == 1


def test_a_worker_that_hangs_is_given_up(cluster: Cluster, tmp_path: Path) -> None:
    deeds = [Deed(number, seconds=0.01, log=str(tmp_path)) for number in range(60)]
    here = list(score_cases(suite, work(*deeds), SuiteOptions()))
    with engine(cluster, 2, timeout=2.0) as pool:
        there = []
        for result in score_cases(suite, work(*deeds), SuiteOptions(), executor=pool):
            there.append(result)
            if len(there) == 10:
                os.kill(cluster.workers[0].pid, signal.SIGSTOP)
        os.kill(cluster.workers[0].pid, signal.SIGCONT)
        assert there == here
        assert pool.slots == 1
        until = time.monotonic() + PATIENCE
        while pool.slots == 1 and time.monotonic() < until:  # it comes back, and takes part again
            time.sleep(0.05)
        assert pool.slots == 2


def test_a_case_that_takes_too_long_is_reported_and_costs_no_worker(cluster: Cluster, tmp_path: Path) -> None:
    deeds = [Deed(0, log=str(tmp_path)), Deed(1, seconds=2.5, log=str(tmp_path)), Deed(2, log=str(tmp_path))]
    with engine(cluster, 2, timeout=1.0) as pool:
        results = list(score_cases(suite, work(*deeds), SuiteOptions(), executor=pool))
    assert [result.status for result in results] == ["scored", "error", "scored"]
    assert "had no result within 1 seconds" in results[1].error
    assert begun(tmp_path, 1) == 3


def test_a_case_that_ends_its_worker_is_reported_and_the_rest_is_scored(cluster: Cluster, tmp_path: Path) -> None:
    deeds = [Deed(number, "die" if number == 17 else "", log=str(tmp_path)) for number in range(40)]
    with engine(cluster, 4) as pool:
        results = list(score_cases(suite, work(*deeds), SuiteOptions(), executor=pool))
    assert [result.id for result in results] == [f"c{number:04}" for number in range(40)]
    assert [result.id for result in results if result.status == "error"] == ["c0017"]
    assert results[17].error.startswith("scoring was given up after 3 tries, the last one because the Dask worker tcp:")
    assert results[17].scores["worth"].value is None
    assert begun(tmp_path, 17) == 3
    del results[17]
    assert worth(results) == [1 / (1 + number) for number in range(40) if number != 17]


@pytest.mark.proof
def test_ten_kills_at_random_moments_lose_and_double_nothing(cluster: Cluster, tmp_path: Path) -> None:
    """Of the process that runs and of the workers that score for it, in turns."""
    rng = random.Random(1511)
    log = tmp_path / "log"
    log.mkdir()
    deeds = [Deed(number, seconds=0.05, log=str(log)) for number in range(200)]
    (tmp_path / "deeds.jsonl").write_bytes(b"\n".join(msgspec.json.encode(deed) for deed in deeds))
    there = ["--executor", f"dask://{cluster.address}"]
    words = ["run", "--suite", "troubled", "--cases", "deeds.jsonl", "--system", "function"]
    words += ["--system-option", "function=tests.runs.executors.troubled_suite:ask"]
    cluster.fill(2)
    process = _karat(cluster, tmp_path, *words, *there)
    for kill in range(10):
        before, until = len(list(log.iterdir())), time.monotonic() + PATIENCE
        while len(list(log.iterdir())) == before and time.monotonic() < until and process.poll() is None:
            time.sleep(0.005)  # until it scores again
        time.sleep(rng.uniform(0.0, 0.3))
        if process.poll() is not None:  # this machine was too busy to kill it in time
            assert kill >= 4
            break
        if kill % 2:
            process.kill()
            process.communicate()
            cluster.fill(2)
            process = _karat(cluster, tmp_path, "run", "--resume", "latest", *there)
        else:
            cluster.kill(rng.choice(cluster.workers))
    said = process.communicate(timeout=120)[0]
    assert process.returncode == 0, said
    ids = [f"c{number:04}" for number in range(200)]
    with open_store(f"sqlite:///{tmp_path / '.karat' / 'karat.db'}") as store:
        assert sorted(one.case_id for one in store.predictions(1)) == ids
        assert all(len(store.attempts(1, case)) == 1 for case in ids)
        assert [case.id for case in store.result(1).cases] == ids
        assert worth(list(store.result(1).cases)) == [1 / (1 + number) for number in range(200)]
        assert len(store.scorings(1)) == 1 and store.run(1).status == "finished"


def test_waiting_that_dask_cancels_is_a_lost_batch_and_no_crash(cluster: Cluster, tmp_path: Path) -> None:
    """Its client cancels whoever waits for it when it loses the scheduler for a moment. Nobody here asked for that."""
    deeds = [Deed(number, seconds=0.2, log=str(tmp_path)) for number in range(12)]
    here = list(score_cases(suite, work(*deeds), SuiteOptions()))
    cancelled: list[str] = []

    async def cancel() -> None:
        for task in asyncio.all_tasks():
            name = getattr(task.get_coro(), "__qualname__", "")
            if name.endswith("Client._gather"):
                cancelled.append(name)
                task.cancel()

    with engine(cluster, 1) as pool:
        there = []
        for result in score_cases(suite, work(*deeds), SuiteOptions(), executor=pool):
            there.append(result)
            if not cancelled:
                pool._wait(cancel())
    assert cancelled, "somebody was waiting"
    assert there == here


def test_a_lost_scheduler_is_a_clear_error_the_answers_stay_and_the_run_resumes(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    log.mkdir()
    deeds = [Deed(number, seconds=0.05, log=str(log)) for number in range(100)]
    (tmp_path / "deeds.jsonl").write_bytes(b"\n".join(msgspec.json.encode(deed) for deed in deeds))
    words = ["run", "--suite", "troubled", "--cases", "deeds.jsonl", "--system", "function"]
    words += ["--system-option", "function=tests.runs.executors.troubled_suite:ask"]
    cluster.fill(1)
    process = _karat(cluster, tmp_path, *words, "--executor", f"dask://{cluster.address}")
    until = time.monotonic() + PATIENCE
    while len(list(log.iterdir())) < 10 and time.monotonic() < until and process.poll() is None:
        time.sleep(0.01)
    cluster.scheduler.kill()
    said = " ".join(process.communicate(timeout=120)[0].split())
    assert process.returncode == 2, said
    assert f"the Dask scheduler at tcp://{cluster.address} is gone" in said
    assert "karat run --resume" in said
    assert 10 <= len(list(log.iterdir())) < 100
    with open_store(f"sqlite:///{tmp_path / '.karat' / 'karat.db'}") as store:
        assert len(list(store.predictions(1))) == 100
    again = _karat(cluster, tmp_path, "run", "--resume", "latest", "--executor", "in-process")
    said = again.communicate(timeout=120)[0]
    assert again.returncode == 0, said
    with open_store(f"sqlite:///{tmp_path / '.karat' / 'karat.db'}") as store:
        assert [case.status for case in store.result(1).cases] == ["scored"] * 100
    monkeypatch.setattr("karat.runs.executors.dask_engine.CONNECT", 1.0)
    with pytest.raises(UserError, match="cannot reach the Dask scheduler at tcp://") as caught:
        DaskEngine(f"tcp://{cluster.address}", 60)
    assert "dask scheduler starts one" in caught.value.hint


def _karat(cluster: Cluster, folder: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "karat", *words]
    return subprocess.Popen(
        command, cwd=folder, env=cluster.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
