"""Several processes share one run in a PostgreSQL store: each case is asked once, or counted, and the run is scored
once, whatever happens to some of them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from karat.core.problems import UserError
from karat.store import Store, open_store
from karat.verbs.run import run
from tests.e2e.test_killed import project
from tests.slow_server import Assistant, serving
from tests.store.conftest import PostgresServer, postgres

__all__ = ["postgres"]

CASES = 160
RUNNER = """
import sys
from karat.store import leases
leases.EXPIRES, leases.HEARTBEAT = float(sys.argv[1]), 0.2
from karat.__main__ import main
sys.argv = ["karat", "run", *sys.argv[2:]]
main()
"""


class Runners:
    """The processes of one run, the assistant they ask, and the store."""

    def __init__(self, folder: Path, assistant: Assistant, url: str, lease: float) -> None:
        self.folder, self.assistant, self.url, self.lease = folder, assistant, url, lease
        self.processes: list[subprocess.Popen[str]] = []

    def start(self, *words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", RUNNER, str(self.lease), *words, "--store", self.url]
        process = subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.processes.append(process)
        return process

    def join(self, count: int) -> list[subprocess.Popen[str]]:
        """So many more, all of which have claimed something. Then the assistant becomes quicker."""
        joined = [self.start("--resume", "r-0001", "--join") for _ in range(count)]
        self.until(lambda: self.holders() >= {process.pid for process in joined})
        self.assistant.delay = 0.1
        return joined

    def holders(self) -> set[int]:
        """The processes that hold a part of the run."""
        with psycopg.connect(self.url) as connection:
            return {pid for (pid,) in connection.execute("SELECT pid FROM leases WHERE part >= 0").fetchall()}

    def calls(self) -> int:
        return sum(self.assistant.calls.values())

    def until(self, done: Callable[[], bool]) -> None:
        until = time.monotonic() + 60
        while not done():
            assert time.monotonic() < until, "waited for a minute"
            time.sleep(0.02)

    def end(self, process: subprocess.Popen[str]) -> tuple[int, str]:
        said = process.communicate(timeout=120)[0]
        return process.returncode, " ".join(said.split())


@contextmanager
def several(folder: Path, postgres: PostgresServer, lease: float = 60.0) -> Iterator[Runners]:
    """One runner that has begun to ask an assistant that takes very long."""
    with serving(Assistant(2.0)) as assistant:
        project(folder, assistant, CASES)
        found = Runners(folder, assistant, postgres.new_database(), lease)
        try:
            found.start()
            found.until(lambda: found.calls() > 0)
            yield found
        finally:
            for process in found.processes:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.communicate()


def accounted(store: Store, assistant: Assistant, again: int) -> None:
    """Every case has one answer and one result; calls that were made twice are no more than were counted."""
    ids = [f"c{number:03}" for number in range(CASES)]
    assert sorted(one.case_id for one in store.predictions(1)) == ids
    assert all(len(store.attempts(1, case)) == 1 for case in ids), "an answer is stored twice"
    assert [case.id for case in store.result(1).cases] == ids
    assert {case.status for case in store.result(1).cases} == {"scored"}
    assert len(store.scorings(1)) == 1 and store.run(1).status == "finished" and store.lease(1) is None
    assert set(assistant.calls) == {f"{case}:0" for case in ids}
    assert sum(assistant.calls.values()) - CASES <= again


def counted(said: str) -> int:
    """How many calls were, as one of the processes says, perhaps made twice."""
    return sum(int(calls) for calls in re.findall(r"up to (\d+) calls? may have been made twice", said))


@pytest.mark.parametrize("more", [1, pytest.param(2, marks=pytest.mark.proof)])
def test_runners_share_a_run_and_nothing_is_asked_twice(tmp_path: Path, postgres: PostgresServer, more: int) -> None:
    with several(tmp_path, postgres) as runners:
        runners.join(more)
        ends = [runners.end(process) for process in runners.processes]
        assert [code for code, _ in ends] == [0] * (1 + more), ends
        assert all(f"{CASES} scored" in said and "made twice" not in said for _, said in ends)
        with open_store(runners.url) as store:
            accounted(store, runners.assistant, 0)


@pytest.mark.parametrize("victim", ["first", pytest.param("joined", marks=pytest.mark.proof)])
def test_the_parts_of_a_killed_runner_are_done_by_the_others(
    tmp_path: Path, postgres: PostgresServer, victim: str
) -> None:
    with several(tmp_path, postgres) as runners:
        joined = runners.join(2)
        killed = runners.processes[0] if victim == "first" else joined[0]
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        ends = [runners.end(process) for process in runners.processes if process is not killed]
        assert [code for code, _ in ends] == [0, 0], ends
        said = " ".join(words for _, words in ends)
        assert f"process {killed.pid} on " in said and "was lost during r-0001" in said
        with open_store(runners.url) as store:
            accounted(store, runners.assistant, counted(said))


def test_a_runner_that_was_stopped_beyond_its_lease_writes_nothing_more(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    with several(tmp_path, postgres, lease=4.0) as runners:
        (joined,) = runners.join(1)
        os.kill(joined.pid, signal.SIGSTOP)
        code, said = runners.end(runners.processes[0])
        assert code == 0 and f"process {joined.pid} on " in said, said
        again = counted(said)
        with open_store(runners.url) as store:
            accounted(store, runners.assistant, again)
            os.kill(joined.pid, signal.SIGCONT)
            code, words = runners.end(joined)
            assert code == 2 and "r-0001 was lost" in words and "stores nothing more" in words
            accounted(store, runners.assistant, again + 8)  # and the calls that it began when it woke up


@pytest.mark.proof
def test_a_runner_that_is_asked_to_stop_gives_up_its_parts(tmp_path: Path, postgres: PostgresServer) -> None:
    with several(tmp_path, postgres) as runners:
        (joined,) = runners.join(1)
        first = runners.processes[0]
        first.send_signal(signal.SIGINT)
        code, said = runners.end(first)
        assert code == 130 and "to resume: karat run --resume r-0001" in said
        code, said = runners.end(joined)
        assert code == 0 and f"{CASES} scored" in said
        with open_store(runners.url) as store:
            accounted(store, runners.assistant, 0)


def test_a_run_that_is_shared_is_neither_resumed_nor_deleted(tmp_path: Path, postgres: PostgresServer) -> None:
    with several(tmp_path, postgres) as runners, open_store(runners.url) as store:
        (joined,) = runners.join(1)
        runners.assistant.delay = 2.0  # the run must not end meanwhile
        with pytest.raises(UserError, match="r-0001 cannot be resumed: process"):
            run(resume="r-0001", store=runners.url)
        os.kill(runners.processes[0].pid, signal.SIGKILL)
        runners.processes[0].wait()
        with pytest.raises(UserError, match=f"r-0001 cannot be deleted: process {joined.pid} on"):
            store.delete_run(1)
        runners.until(lambda: store.run(1).status == "running")
        found = store.lease(1)
        assert found is not None and found.holder.pid == joined.pid, "the one that is left has taken it over"


def test_a_sqlite_store_has_one_runner(tmp_path: Path) -> None:
    case = {"id": "q1", "question": "What is sour?", "relevant": ["lemon"]}
    store = str(tmp_path / "karat.db")
    run("retrieval", [case], lambda _: {"results": ["lemon"]}, store=store)
    with pytest.raises(UserError, match=r"r-0001 cannot be joined: the store .* is a SQLite file") as caught:
        run(resume="r-0001", join=True, store=store)
    assert "karat store move" in caught.value.hint and "karat run --resume r-0001" in caught.value.hint
    with pytest.raises(UserError, match="join needs resume"):
        run("retrieval", [case], lambda _: {"results": ["lemon"]}, join=True, store=store)
