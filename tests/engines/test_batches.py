"""Several queries in one message: each has its own outcome, whatever the others do."""

from __future__ import annotations

import os
import signal
import sqlite3
from pathlib import Path

import pytest

from karat.core.problems import UserError
from karat.engines.embedded.pool import POOL, Outcome
from karat.engines.embedded.values import unpack
from karat.engines.embedded_file import EmbeddedEngine, packed_rows
from karat.engines.opening import open_engine
from karat.engines.protocol import EngineError

DEAF = "SELECT instr(hex(zeroblob(10000000)), hex(zeroblob(5000000)) || '1')"
"""One step that looks at no interrupt, takes little memory, and would go on for hours."""
ENDLESS = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t"
GREEDY = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200)"
    " SELECT length(group_concat(hex(zeroblob(1000000)))) FROM n"
)


def opened(folder: Path, memory: str) -> list[EmbeddedEngine]:
    found = []
    for number in range(3):
        with sqlite3.connect(folder / f"{number}.sqlite") as connection:
            connection.execute(f"CREATE TABLE t AS SELECT {number} AS n")
        connection.close()
        engine = open_engine({"engine": "sqlite", "path": f"{number}.sqlite", "memory_limit": memory}, folder)
        assert isinstance(engine, EmbeddedEngine)
        found.append(engine)
    return found


@pytest.fixture
def files(tmp_path: Path) -> list[EmbeddedEngine]:
    """Three databases that know their number."""
    return opened(tmp_path, "1GB")


def said(outcome: Outcome) -> object:
    """The rows, or the kind of failure."""
    assert not isinstance(outcome, UserError)
    return outcome.kind if isinstance(outcome, EngineError) else unpack(outcome).rows


def asked(files: list[EmbeddedEngine], *texts: str, timeout: float = 30.0) -> list[object]:
    """Each text on the next of the files."""
    pairs = [(files[place % len(files)], sql) for place, sql in enumerate(texts)]
    return [said(one) for one in packed_rows(pairs, timeout=timeout, row_limit=1000)]


def test_each_query_runs_on_its_own_file(files: list[EmbeddedEngine]) -> None:
    assert asked(files, *["SELECT n FROM t"] * 5) == [((number % 3,),) for number in range(5)]


def test_a_failure_is_that_of_its_query(files: list[EmbeddedEngine]) -> None:
    texts = ("SELECT n FROM t", "SELECT missing FROM t", "DROP TABLE t", "SELECT n + 1 FROM t", "SELECT n FROM t")
    assert asked(files, *texts) == [((0,),), "sql_error", "refused", ((1,),), ((1,),)]


def test_a_query_without_end_costs_its_own_time_only(files: list[EmbeddedEngine]) -> None:
    assert asked(files, "SELECT n FROM t", ENDLESS, "SELECT n FROM t", timeout=0.3) == [((0,),), "timeout", ((2,),)]


def test_a_query_that_ends_the_process_is_blamed_alone(files: list[EmbeddedEngine]) -> None:
    texts = ("SELECT n FROM t", DEAF, "SELECT n FROM t", "SELECT n FROM t")
    found = asked(files, *texts, timeout=0.3)
    assert found == [((0,),), "timeout", ((2,),), ((0,),)]


def test_a_query_that_takes_all_memory_is_blamed_alone(tmp_path: Path) -> None:
    files = opened(tmp_path, "100MB")
    assert asked(files, "SELECT n FROM t", GREEDY, "SELECT n FROM t") == [((0,),), "memory", ((2,),)]
    assert asked(files, GREEDY) == ["memory"]


def test_queries_of_a_killed_process_are_asked_again(files: list[EmbeddedEngine]) -> None:
    assert asked(files, "SELECT n FROM t") == [((0,),)]
    for child in POOL._idle:
        os.kill(child._process.pid, signal.SIGKILL)
    assert asked(files, *["SELECT n FROM t"] * 3) == [((0,),), ((1,),), ((2,),)]


def test_large_results_come_whole(files: list[EmbeddedEngine]) -> None:
    sql = (
        "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s LIMIT 900) SELECT i, printf('%900d', i) FROM s"
    )
    found = asked(files, sql, "SELECT n FROM t", sql)
    assert isinstance(found[0], tuple) and isinstance(found[2], tuple)
    assert (len(found[0]), found[1], len(found[2])) == (900, ((1,),), 900)
