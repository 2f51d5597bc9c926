"""One process at a time works on a run, and a dead one is not waited for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import text

from karat.core.problems import UserError
from karat.core.results.live import LiveBatch, live_case
from karat.store import Store, open_store
from karat.store.database import revision
from karat.store.leases.lease_holder import Holder, is_dead, this_process
from karat.store.leases.leases import EXPIRES
from karat.store.live import LiveRuns
from tests.store.samples import a_result, a_run, answer

ELSEWHERE = Holder("0123456789abcdef", "node-7", "another machine", 4711, 99)


def silent_for(store: Store, seconds: float) -> None:
    """As if the holder's last sign of life were so long ago."""
    with store._writing() as connection:
        connection.execute(text("UPDATE leases SET renewed = renewed - :seconds"), {"seconds": seconds})


@pytest.fixture
def dead() -> Holder:
    """A process of this machine that is no more."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    return msgspec.structs.replace(this_process(), id="dead", pid=process.pid, born=1)


@pytest.fixture
def stopped() -> Iterator[Holder]:
    """A process that has ended, and whose parent has not asked about it yet."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    yield msgspec.structs.replace(this_process(), id="stopped", pid=process.pid, born=12)
    process.wait()


def test_a_second_holder_is_refused_and_hears_who_holds(store: Store) -> None:
    run = store.create_run(a_run(), ELSEWHERE)
    with pytest.raises(UserError, match="r-0001 cannot be resumed: process 4711 on node-7 is working on it") as caught:
        store.set_status(run, "running", this_process())
    assert "heartbeat was 0 s ago" in caught.value.hint and "60 s after" in caught.value.hint
    assert store.run(run).status == "running"
    found = store.lease(run)
    assert found is not None and found.holder == ELSEWHERE and not found.over


def test_who_is_done_lets_go(store: Store) -> None:
    first, second = this_process(), this_process()
    run = store.create_run(a_run(), first)
    store.add_predictions(run, [answer()])
    store.set_status(run, "finished", first)
    assert store.lease(run) is None and store.run(run).status == "finished"
    store.set_status(run, "running", second)
    store.set_status(run, "interrupted", second)
    assert store.lease(run) is None


def test_a_holder_that_is_silent_for_too_long_is_passed_over(store: Store, url: str) -> None:
    run = store.create_run(a_run(), ELSEWHERE)
    silent_for(store, EXPIRES - 20)
    assert store.run(run).status == "running"
    silent_for(store, 25)
    assert store.run(run).status == store.run_row(run).status == store.runs()[0].status == "interrupted"
    with open_store(url) as other:
        other.set_status(run, "running", this_process())
        assert store.runs()[0].status == "running"
        for write in (
            lambda: store.add_predictions(run, [answer()]),
            lambda: store.add_scoring(run, a_result()),
            lambda: store.set_status(run, "finished", ELSEWHERE),
        ):
            with pytest.raises(UserError, match=r"r-0001 was lost: process .* has taken it over"):
                write()
        assert not store.renew_lease(run, ELSEWHERE)
        assert store.predictions(run) == [] and store.scorings(run) == [] and store.run(run).status == "running"
        other.add_predictions(run, [answer()])
        assert store.predictions(run) == [answer()]


def test_signs_of_life_keep_a_hold(store: Store) -> None:
    run = store.create_run(a_run(), ELSEWHERE)
    silent_for(store, EXPIRES + 1)
    assert store.renew_lease(run, ELSEWHERE), "nobody has taken it meanwhile"
    assert store.run(run).status == "running"
    silent_for(store, -3600)  # a clock that was set back says nothing about life
    assert store.run(run).status == "interrupted"


def test_a_dead_process_of_this_machine_is_passed_over_at_once(store: Store, dead: Holder, stopped: Holder) -> None:
    for number, gone in enumerate((dead, stopped, msgspec.structs.replace(this_process(), born=7)), 1):
        run = store.create_run(a_run(), gone)
        assert is_dead(gone) and store.run(run).status == "interrupted"
        store.set_status(run, "running", this_process())
        assert store.run(run).status == "running" and run == number
    assert not is_dead(this_process()) and not is_dead(ELSEWHERE)


def test_a_live_run_is_not_deleted(store: Store, dead: Holder) -> None:
    held, left = store.create_run(a_run(), this_process()), store.create_run(a_run(), dead)
    with pytest.raises(UserError, match=f"r-0001 cannot be deleted: process {os.getpid()} on .* is working on it"):
        store.delete_run(held)
    store.delete_run(left)
    assert [row.id for row in store.runs()] == [held]


_TAKER = """
import sys
from karat.core.problems import UserError
from karat.store import open_store
from karat.store.leases.lease_holder import this_process
with open_store(sys.argv[1]) as store:
    sys.stdin.readline()
    try:
        store.set_status(1, "running", this_process())
        print("taken", flush=True)
    except UserError as error:
        print(error.message, flush=True)
    sys.stdin.readline()
"""


def test_of_many_processes_at_once_one_takes_it(url: str) -> None:
    with open_store(url) as store:
        store.create_run(a_run())
    command = [sys.executable, "-c", _TAKER, url]
    takers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) for _ in range(4)
    ]
    said = []
    for taker in takers:
        assert taker.stdin is not None
        taker.stdin.write("\n")
    for taker in takers:
        assert taker.stdout is not None
        said.append(taker.stdout.readline().strip())
    winner = takers[said.index("taken")]
    for taker, words in zip(takers, said, strict=True):
        if taker is not winner:
            assert f"process {winner.pid} on " in words
    with open_store(url) as store:
        assert store.run(1).status == "running"
        winner.send_signal(signal.SIGKILL)
        winner.wait()
        assert store.run(1).status == "interrupted"
    for taker in takers:
        taker.communicate()


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_vanishes_is_an_error_at_the_next_write(tmp_path: Path, replaced: bool) -> None:
    path = tmp_path / "karat.db"
    with open_store(str(path)) as store:
        run = store.create_run(a_run(), this_process())
        store.add_predictions(run, [answer()])
        path.rename(tmp_path / "elsewhere.db")
        if replaced:
            open_store(str(path)).close()
        words = "another file is in its place" if replaced else "its file was removed or moved"
        for use in (lambda: store.add_predictions(run, [answer("b")]), lambda: store.run(run)):
            with pytest.raises(UserError, match=f"disappeared while it was in use: {words}"):
                use()
        if not replaced:
            assert not path.exists(), "nothing is made in its place"


def test_runs_that_an_older_karat_left_as_running(url: str) -> None:
    from alembic import command

    with open_store(url) as store:
        store.create_run(a_run())
        store.create_run(msgspec.structs.replace(a_run(), status="finished"))
        with store._writing() as connection:
            command.downgrade(revision.alembic_config(connection), "0003")
    with open_store(url) as store:
        assert [row.status for row in store.runs()] == ["finished", "interrupted"]


def test_a_holder_that_finishes_a_run_leaves_nothing_of_what_was_shown_meanwhile(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "k.db")) as store:
        holder = this_process()
        run = store.create_run(a_run(), holder)
        live, result = LiveRuns(store), a_result()
        live.add(run, LiveBatch((), tuple(live_case("data_query", 0, case, (), 0.0) for case in result.cases), True))
        assert live.read(run)[0]
        scoring = store.begin_scoring(run, result.run)
        store.add_results(scoring, result.cases)
        store.finish_scoring(scoring, result.run, result.summary, holder)
        assert store.run_row(run).status == "finished" and live.read(run) == ([], 0)
