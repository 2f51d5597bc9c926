"""A store that cannot be reached for a while: connections that are cut, a server that restarts, a lock, a full disk.
What was stored is there once, whatever the moment."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest
from sqlalchemy import Connection, event, func, select

import karat
from karat.core.problems import UserError
from karat.core.records import Prediction
from karat.store import Store, open_store, schema
from karat.store import runs as run_rows
from karat.store.blocks.word_index import pack_word_index
from karat.store.database import commits
from karat.store.database import sqlite as sqlite_connections
from karat.store.leases.lease_holder import this_process
from karat.store.predictions import answer_blocks
from tests.store.conftest import PostgresServer, cut_power
from tests.store.cutting_proxy import Cut, CuttingProxy, cutting
from tests.store.samples import a_result, a_run, answer
from tests.store.test_whole_runs import CASES
from tests.store.test_whole_runs import answer as right_answer


@pytest.fixture
def proxy(postgres: PostgresServer) -> Iterator[CuttingProxy]:
    with cutting(postgres.socket_folder) as found:
        yield found


@pytest.fixture
def through(postgres: PostgresServer, proxy: CuttingProxy) -> str:
    """The URL of a new database, behind the proxy."""
    database = postgres.new_database().partition("@/")[2].partition("?")[0]
    return f"postgresql://postgres@127.0.0.1:{proxy.port}/{database}"


WRITES: dict[str, Callable[[Store, int], object]] = {
    "answers": lambda store, run: store.add_predictions(run, [answer("a"), answer("b"), answer("a")]),
    "cases": lambda store, run: store.add_cases(run, [("a", b"{}"), ("b", b"{}")]),
    "run": lambda store, _: store.create_run(a_run(), this_process()),
    "scores": lambda store, run: store.add_scoring(run, a_result()),
    "notes": lambda store, run: store.add_notes(run, {"seconds": 1}),
    "review": lambda store, run: store.add_review(run, "a", "pass"),
    "tags": lambda store, run: store.tag_run(run, ["x"]),
}


def everything(store: Store, run: int) -> list[Any]:
    """What there is of the run and of others, apart from times and ids: a server does not give an id twice."""
    return [
        len(store.runs()),
        store.cases(run),
        store.predictions(run),
        [len(store.attempts(run, name)) for name in "ab"],
        len(store.scorings(run)),
        store.notes(run),
        [one.verdict for one in store.review_history(run, "a")],
        store.run(run).tags,
    ]


@pytest.mark.parametrize("cut", get_args(Cut))
@pytest.mark.parametrize("name", WRITES)
def test_a_connection_that_is_cut_stores_everything_once(
    through: str, proxy: CuttingProxy, tmp_path: Path, cut: Cut, name: str
) -> None:
    if cut == "statement" and name == "tags":
        pytest.skip("it inserts nothing")
    with open_store(through) as store, open_store(str(tmp_path / "undisturbed.db")) as undisturbed:
        store.patience.seconds = 30
        run = store.create_run(a_run())
        assert undisturbed.create_run(a_run()) == run
        proxy.cuts = [cut]
        given = WRITES[name](store, run)
        WRITES[name](undisturbed, run)
        assert proxy.used == [cut], "the connection was cut"
        assert everything(store, run) == everything(undisturbed, run)
        if name == "run":
            assert given == store.runs()[0].id, "the id that was given is that of the run which is there"


def test_a_run_whose_connections_are_cut_again_and_again(through: str, proxy: CuttingProxy) -> None:
    asked: Counter[str] = Counter()

    def system(request: dict[str, Any]) -> Any:
        asked[request["id"]] += 1
        if sum(asked.values()) == 1:
            proxy.cuts = [*get_args(Cut)] * 2
        time.sleep(0.02)
        return right_answer(request)

    result = karat.run(suite="data_query", cases=CASES, system=system, store=through)
    assert len(proxy.used) == 2 * len(get_args(Cut)) and result.status_counts() == {"scored": 29, "error": 1}
    with open_store(through) as store:
        assert [row.status for row in store.runs()] == ["finished"]
        assert len(store.cases(1)) == len(CASES) and len(store.scorings(1)) == 1
        assert {len(store.attempts(1, case.id)) for case in CASES} == {1}
    assert set(asked.values()) == {1} and len(asked) == len(CASES)


@pytest.fixture
def own_server() -> Iterator[Any]:
    from pgserver.postgres_server import get_server

    folder = Path(tempfile.mkdtemp(prefix="karat-pg-"))
    server = get_server(folder, cleanup_mode="stop")
    try:
        yield server
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def test_a_server_that_is_restarted_in_mid_run(own_server: Any) -> None:
    url = f"postgresql://postgres@/postgres?host={own_server.get_uri().partition('host=')[2]}"
    asked: Counter[str] = Counter()
    begun = threading.Event()

    def system(request: dict[str, Any]) -> Any:
        asked[request["id"]] += 1
        if len(asked) == 10:
            begun.set()
        time.sleep(0.02)
        return right_answer(request)

    def restart() -> None:
        begun.wait(60)
        cut_power(own_server)

    restarting = threading.Thread(target=restart)
    restarting.start()
    result = karat.run(suite="data_query", cases=CASES, system=system, store=url, repeats=2)
    restarting.join()
    assert result.status_counts() == {"scored": 29, "error": 1}
    with open_store(url) as store:
        assert {len(store.attempts(1, case.id, repeat=repeat)) for case in CASES for repeat in (0, 1)} == {1}
        assert len(store.scorings(1)) == 1 and store.run(1).status == "finished"
    assert set(asked.values()) == {2}, "no call was made again"


def test_a_lock_that_is_held_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_connections, "BUSY_SECONDS", 0.05)
    path = tmp_path / "karat.db"
    with open_store(str(path)) as store:
        store.patience.seconds = 30
        run = store.create_run(a_run())
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        letting_go = threading.Timer(0.7, lambda: other.execute("ROLLBACK"))
        letting_go.start()
        store.add_predictions(run, [answer()])
        letting_go.join()
        other.close()
        assert store.attempts(run, "a") == [answer()]


def test_a_disk_that_is_full_for_a_while(tmp_path: Path) -> None:
    pages = 60
    with open_store(str(tmp_path / "karat.db")) as store:
        event.listen(store._engine, "checkout", lambda raw, *_: raw.execute(f"PRAGMA max_page_count={pages}"))
        store.patience.seconds = 30
        run = store.create_run(a_run())

        def make_room() -> None:
            nonlocal pages
            pages = 10_000

        freeing = threading.Timer(0.7, make_room)
        freeing.start()
        answers = [Prediction(f"case-{n}", response=os.urandom(20_000)) for n in range(40)]
        for one in answers:
            store.add_predictions(run, [one])
        freeing.join()
        assert store.predictions(run) == answers


def test_patience_has_an_end_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sqlite_connections, "BUSY_SECONDS", 0.01)
    path = tmp_path / "karat.db"
    with open_store(str(path)) as store:
        run = store.create_run(a_run())
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(UserError, match="stayed locked for too long") as caught:
            store.add_predictions(run, [answer()])
        assert "tried again" not in caught.value.hint and not caplog.messages, "without patience it is said at once"
        store.patience.seconds = 0.4
        with pytest.raises(UserError, match="stayed locked for too long") as caught:
            store.add_predictions(run, [answer()])
        assert caught.value.hint.endswith("Karat tried again for 0.4 s.")
        assert caplog.messages == [f"the store {path} stayed locked for too long; trying again for up to 0.4 s"]
        other.execute("ROLLBACK")
        other.close()
        assert store.predictions(run) == []


def test_a_server_that_stays_away_leaves_the_outcome_open_and_says_so(
    through: str, proxy: CuttingProxy, postgres: PostgresServer
) -> None:
    with open_store(through) as store:
        run = store.create_run(a_run())
        proxy.cuts = ["after"]
        proxy.refusing = True
        with pytest.raises(UserError, match="nobody knows whether it was") as caught:
            store.add_predictions(run, [answer()])
        assert "--resume" in caught.value.hint
    database = through.rpartition("/")[2]
    with open_store(postgres.url(database)) as store:
        assert store.attempts(run, "a") == [answer()]


def test_a_number_that_a_crashed_server_gave_away_again_proves_nothing(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that crashes forgets the numbers of transactions that it had not written out. When it is back, others
    get them, and commit."""
    url = postgres.new_database()
    with open_store(url) as store, open_store(url) as other:
        run = store.create_run(a_run())
        marked = commits._marked
        lost: list[int] = []

        def reused(connection: Connection) -> commits.Mark:
            own = marked(connection)
            monkeypatch.setattr(commits, "_marked", marked)
            with other._writing() as second:
                number = second.exec_driver_sql("SELECT txid_current()").scalar_one()
            return own._replace(number=number)

        def crash(connection: Connection) -> None:
            lost.append(run)
            process = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
            postgres.sql(f"SELECT pg_terminate_backend({process}, 10000)")

        monkeypatch.setattr(commits, "_marked", reused)
        event.listen(store._engine, "commit", crash, once=True)
        store.patience.seconds = 30
        store.add_predictions(run, [answer("a")])
        assert lost == [run], "the connection was lost while it committed"
        assert store.attempts(run, "a") == [answer("a")], "it was not there, so it was stored again"


def test_rows_of_writers_are_forgotten_when_nobody_can_ask_for_them(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.new_database()

    def writers(store: Store) -> int:
        with store._reading() as connection:
            return int(connection.execute(select(func.count()).select_from(schema.writers)).scalar_one())

    with open_store(url) as store:
        run = store.create_run(a_run())
        store.add_predictions(run, [answer("a")])
        assert writers(store) == 1, "one row for all transactions of a connection"
    monkeypatch.setattr(commits, "FORGET_SECONDS", -1)
    with open_store(url) as store:
        store.add_predictions(run, [answer("b")])
        assert writers(store) == 1


def test_a_commit_that_fails_leaves_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_connections, "BUSY_SECONDS", 0.1)
    with open_store(str(tmp_path / "karat.db")) as one, open_store(str(tmp_path / "karat.db")) as two:
        run = one.create_run(a_run())

        def fail(_: object) -> None:
            raise KeyboardInterrupt

        event.listen(one._engine, "commit", fail)
        with pytest.raises(KeyboardInterrupt):
            one.add_predictions(run, [answer()])
        two.add_predictions(run, [answer()])
        assert two.attempts(run, "a") == [answer()]


def test_a_process_that_stops_in_a_transaction_does_not_keep_the_others_waiting(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commits, "IDLE_SECONDS", 1)
    url = postgres.new_database()
    with open_store(url) as store, open_store(url) as other:
        run = store.create_run(a_run(), this_process())
        with pytest.raises(UserError), store._writing() as connection:  # what happens between two statements
            run_rows.lock_run(connection, run)
            other.add_predictions(run, [answer("a")])  # waits for the lock until the server takes it away
            connection.exec_driver_sql("SELECT 1")  # the stopped process wakes up
        store.add_predictions(run, [answer("b")])
        assert [one.case_id for one in store.predictions(run)] == ["a", "b"]


def test_a_large_answer_on_a_busy_machine_is_no_stop(postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of a 30 MB answer took 20 seconds beside other work, and the server ended the transaction."""
    monkeypatch.setattr(commits, "IDLE_SECONDS", 1)
    large = Prediction("a", response=b"x" * 9_000_000)

    def slowly(texts: Sequence[str]) -> bytes | None:
        time.sleep(1.5)
        return pack_word_index(texts)

    monkeypatch.setattr(answer_blocks, "pack_word_index", slowly)
    with open_store(postgres.new_database()) as store:
        run = store.create_run(a_run())
        store.add_predictions(run, [large])
        assert store.predictions(run) == [large]
