"""Stores of each earlier version are read the same after they were brought into blocks."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from karat.core.records import CallError, Prediction
from karat.core.results.result import CaseResult, MetricSummary, RunInfo, RunResult
from karat.core.scores import Score
from karat.store import Store, open_store
from karat.store.blocks.block import ROWS
from karat.store.cases.case_pages import CaseQuery
from karat.store.database import revision
from karat.store.viewer_queries import Viewing
from tests.store.samples import a_run

COUNT = ROWS + 50
SUMMARY = (MetricSummary("recall", 0.5, COUNT, 0.4, 0.6), MetricSummary("nothing", None, 0, None, None))


def _result(shift: int) -> RunResult:
    cases = []
    for number in range(COUNT):
        value = (number + shift) % 5 / 4
        scores = {"recall": Score(value, reason="x" if value < 1 else "")}
        details = {"cluster": f"k{number // 2}", "long": "y" * (3000 if number == 7 else 1)}
        cases.append(CaseResult(f"c{number} ␀", "scored", scores, details, "n\x00", ("a b", "c"), f"Größe {number}?"))
    cases[3] = CaseResult("c3 ␀", "error", {}, error="too late")
    return RunResult(RunInfo("data_query", id="r-0001", cases=COUNT), SUMMARY, tuple(cases))


def _filled(url: str) -> None:
    with open_store(url) as store:
        run = store.create_run(a_run())
        store.add_cases(run, [(f"c{number} ␀", b"{%d}" % number + b" " * (number % 3000)) for number in range(COUNT)])
        given = [Prediction(f"c{number}", response=b"%d" % number, latency=0.25) for number in range(COUNT)]
        given[5] = Prediction("c5", turn=None, error=CallError("timeout", "␀\x00", 4))
        store.add_predictions(run, given)
        store.add_predictions(run, [Prediction("c9", response=b"again " * 1000, tokens=7, cost=0.5)])
        for shift in range(2):
            store.add_scoring(run, _result(shift))
        store.create_run(a_run(name="empty"))
        store.add_predictions(2, [Prediction("a", response=b"\xff\x00")])


def _read(store: Store) -> list[Any]:
    pages = [Viewing(store).case_page(1, number, CaseQuery(search="größe", sort=0), 0, 2000) for number in (1, 2)]
    columns = [store.columns(number) for number in (1, 2)]
    return [
        store.cases(1),
        store.case_ids(1),
        [store.predictions(run) for run in (1, 2)],
        [store.attempts(1, case) for case in ("c9", "c5", "c1")],
        store.progress(1),
        [list(store.result(1, number).cases) for number in (1, 2)],
        store.result(1).summary,
        pages,
        [(one.case_ids, one.clusters, one.figures.matrix().tobytes(), one.failed.tobytes()) for one in columns],
        Viewing(store).reasons(1),
    ]


def _downgrade(url: str, version: str) -> None:
    from alembic import command

    with open_store(url) as store, store._writer.begin() as connection:
        command.downgrade(revision.alembic_config(connection), version)


def test_each_earlier_version(url: str) -> None:
    _filled(url)
    with open_store(url) as store:
        expected = _read(store)
    for version in ("0008", "0007", "0006", "0005", "0004", "0003", "0002", "0001"):
        _downgrade(url, version)
        with open_store(url) as store:
            found = _read(store)
            assert found == expected, version
            if version < "0006":  # answers go into blocks
                with store._engine.connect() as connection:
                    assert connection.exec_driver_sql("SELECT count(*) FROM predictions").scalar() == 0


def test_what_cannot_be_read_is_said_and_does_not_stop_the_upgrade(url: str) -> None:
    _filled(url)
    _downgrade(url, "0005")
    engine = revision_engine(url)
    with engine.execution_options(writes=True).begin() as connection:
        for statement in (
            "UPDATE predictions SET codec = 'zlib' WHERE case_id = 'c4'",
            "UPDATE cases SET codec = 'zlib' WHERE position = 2",
            "UPDATE scores SET codec = 'zlib' WHERE scoring_id = 1 AND position = 6",
        ):
            assert connection.exec_driver_sql(statement).rowcount == 1
    engine.dispose()
    with open_store(url) as store:
        (lost,) = store.attempts(1, "c4")
        assert lost.error == CallError("damaged", "the stored answer could not be read when the store was upgraded")
        assert len(store.cases(1)) == COUNT
        case = store.result(1, 1).cases[6]
        assert (case.status, case.error) == ("error", "the stored result could not be read when the store was upgraded")
        assert store.result(1, 1).cases[5] == _result(0).cases[5] and store.result(1, 2).cases == _result(1).cases


def revision_engine(url: str) -> Any:
    from karat.store.database.address import SqliteAddress, parse_address
    from karat.store.database.postgres import postgres_engine
    from karat.store.database.sqlite import sqlite_engine

    address = parse_address(url)
    if isinstance(address, SqliteAddress):
        return sqlite_engine(address.path, read_only=False)
    return postgres_engine(address, read_only=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "k.db"


def _pages(file: Path) -> tuple[int, int, int]:
    with closing(sqlite3.connect(file)) as connection:
        names = ("auto_vacuum", "freelist_count", "page_count")
        vacuum, free, pages = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
    return vacuum, free, pages


def test_an_upgraded_file_has_no_free_pages(file: Path) -> None:
    _filled(str(file))
    _downgrade(str(file), "0005")
    with closing(sqlite3.connect(file)) as connection:  # as a file of an earlier karat is
        connection.execute("PRAGMA auto_vacuum = NONE")
        connection.execute("VACUUM")
    assert _pages(file)[0] == 0
    before = file.stat().st_size
    open_store(str(file)).close()
    vacuum, free, _ = _pages(file)
    assert (vacuum, free) == (2, 0) and file.stat().st_size < before / 2


def test_deleting_a_run_and_ending_one_make_the_file_smaller(file: Path) -> None:
    import random

    with open_store(str(file)) as store:
        empty = _pages(file)[2]
        run = store.create_run(a_run())
        numbers = random.Random(1)
        for begin in range(0, 3000, 500):
            answers = [Prediction(f"c{begin + n}", response=numbers.randbytes(300)) for n in range(500)]
            store.add_predictions(run, answers)
        store.set_status(run, "finished")
        vacuum, free, pages = _pages(file)
        assert vacuum == 2 and free <= 16 and pages > empty + 100
        store.delete_run(run)
        assert _pages(file)[1] <= 16 and _pages(file)[2] < empty + 40
