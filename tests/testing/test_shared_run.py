"""One run for all workers: who comes first makes it, and who dies leaves it to the next."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from karat.core.problems import UserError
from karat.core.results.result import RunInfo, RunResult
from karat.testing.shared_run import shared_run


def result(run: str) -> RunResult:
    return RunResult(RunInfo("answers", id=run), (), ())


def test_workers_that_come_together_make_one_run(tmp_path: Path) -> None:
    made: list[str] = []

    def make(tell: Callable[[str], None], begun: str) -> RunResult:
        tell("r-0001")
        made.append(begun)
        time.sleep(0.2)  # long enough for the others to come meanwhile; nothing is decided by it
        return result("r-0001")

    found: list[str] = []
    project = str(tmp_path / "karat.yaml")
    workers = [
        threading.Thread(target=lambda: found.append(shared_run("s", project, "answers", make)[0])) for _ in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert (made, found) == ([""], ["r-0001"] * 4)
    assert shared_run("another session", project, "answers", make)[1] is not None


def test_the_run_of_a_worker_that_died_is_resumed_and_a_mistake_is_everybodys(tmp_path: Path) -> None:
    project = str(tmp_path / "karat.yaml")

    def dies(tell: Callable[[str], None], begun: str) -> RunResult:
        tell("r-0007")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shared_run("s", project, "answers", dies)
    begun_before: list[str] = []

    def goes_on(tell: Callable[[str], None], begun: str) -> RunResult:
        begun_before.append(begun)
        return result(begun)

    assert shared_run("s", project, "answers", goes_on)[0] == "r-0007" and begun_before == ["r-0007"]

    def wrong(tell: Callable[[str], None], begun: str) -> RunResult:
        raise UserError("no such model")

    for make in (wrong, goes_on):
        with pytest.raises(UserError, match="no such model"):
            shared_run("s", project, "retrieval", make)
