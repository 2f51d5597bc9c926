"""SQLite and DuckDB run in children: whatever a query does, it ends with its child at the latest, and the next query
works."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from karat.core.problems import UserError
from karat.engines.embedded.memory import size_of
from karat.engines.embedded.pool import POOL
from karat.engines.protocol import Engine, EngineError
from karat.engines.query.deadline import Abandoned
from tests.engines.conftest import opened, settings_of

EMBEDDED = ("sqlite", "duckdb")

Open = Callable[..., Engine]


@pytest.fixture
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    found: list[Engine] = []

    def made(kind: str, **settings: Any) -> Engine:
        found.append(opened(settings_of(kind, request, tmp_path) | settings, tmp_path))
        return found[-1]

    yield made
    for engine in found:
        engine.close()


def run(engine: Engine, sql: str, timeout: float = 60.0, row_limit: int = 100) -> Any:
    return engine.run(sql, timeout=timeout, row_limit=row_limit)


def works(engine: Engine) -> bool:
    return bool(run(engine, "SELECT count(*) FROM shop").columns == (("3",),))


TIMES = {
    "TIMESTAMPTZ 'infinity'": "infinity",
    "TIMESTAMP '-infinity'": "-infinity",
    "DATE 'infinity'": "infinity",
    "DATE '9999-12-31'": "9999-12-31",
    "TIMESTAMP '9999-12-31 23:59:59.999999'": "9999-12-31 23:59:59.999999",
    "TIMESTAMP '20000-01-01 01:02:03'": "20000-01-01 01:02:03",
    "TIMESTAMPTZ '20000-01-01 00:00:00+00'": "20000-01-01 00:00:00+00",
    "TIMESTAMPTZ '20000-12-31 23:59:59.125+00'": "20000-12-31 23:59:59.125+00",
    "TIMESTAMPTZ '2000-03-01 12:00:00+00' - INTERVAL 6000 YEAR": "4001-03-01 (BC) 12:00:00+00",
    "DATE '20000-02-29'": "20000-02-29",
    "TIMETZ '12:00:00+05'": "12:00:00+05:00",
}


def test_duckdb_times_that_python_cannot_hold_come_as_text(make: Open) -> None:
    engine = make("duckdb")
    for sql, text in TIMES.items():
        assert run(engine, f"SELECT {sql} AS t, 1 AS one").columns == ((text,), ("1",)), sql
    together = run(engine, "SELECT * FROM (VALUES (DATE '2024-01-31'), (DATE 'infinity'), (NULL)) v(d) ORDER BY d")
    assert together.columns == (("2024-01-31", "infinity", None),)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT [TIMESTAMPTZ 'infinity']",
        "SELECT {'d': DATE 'infinity'}",
        "SELECT INTERVAL 100000000 YEARS",
        "SELECT list(range) FROM range(9000000)",
        "SELECT error('mine')",
        "SELECT CAST(name AS INTEGER) FROM shop",
    ],
)
def test_a_duckdb_result_that_cannot_be_read_leaves_nothing_open(make: Open, sql: str) -> None:
    engine = make("duckdb", memory_limit="1GB")
    with pytest.raises(EngineError) as caught:
        run(engine, sql)
    assert caught.value.kind in ("sql_error", "row_limit"), caught.value
    assert works(engine)


DEAF = {
    "sqlite": "SELECT instr(hex(zeroblob(10000000)), hex(zeroblob(5000000)) || '1')",
    "duckdb": "SELECT levenshtein(repeat('a', 2000000), repeat('b', 2000000))",
}
"""One step that looks at no interrupt, takes little memory, and would go on for hours."""


@pytest.mark.parametrize("kind", EMBEDDED)
def test_a_query_that_hears_no_interrupt_ends_with_its_child(make: Open, kind: str) -> None:
    engine = make(kind, memory_limit="1GB")
    assert works(engine)
    with pytest.raises(Abandoned) as caught:
        run(engine, DEAF[kind], timeout=0.2)
    assert (caught.value.kind, caught.value.message) == ("timeout", "the query was stopped after 0.2 s")
    assert works(engine)


GREEDY = {
    "sqlite": (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200)"
        " SELECT length(group_concat(hex(zeroblob(1000000)))) FROM n"
    ),
    "duckdb": "SELECT unnest(range(1000000000))",
}


@pytest.mark.parametrize("kind", EMBEDDED)
def test_the_memory_limit_holds(make: Open, kind: str) -> None:
    engine = make(kind, memory_limit="100MB", **({"disk_limit": "1MB"} if kind == "duckdb" else {}))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    with pytest.raises(EngineError) as caught:
        run(engine, GREEDY[kind])
    assert caught.value.kind == "memory"
    POOL.end()
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert max(peak - before, 0) < 1_000_000  # KiB
    assert works(engine)


def test_rows_that_fill_the_memory_of_the_child_are_not_taken(make: Open) -> None:
    engine = make("sqlite", memory_limit="20MB")
    sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT printf('%.*c', 15000000, 'x') FROM n"
    with pytest.raises(EngineError) as caught:
        run(engine, sql, row_limit=1_000_000)
    assert caught.value.kind in ("memory", "row_limit")
    assert works(engine)


@pytest.mark.parametrize("kind", EMBEDDED)
def test_a_child_that_was_killed_is_replaced(make: Open, kind: str) -> None:
    engine = make(kind)
    POOL.end()
    assert works(engine)
    (child,) = [one for one in POOL._idle if one.open]
    os.kill(child._process.pid, signal.SIGKILL)
    with pytest.raises(EngineError, match="the system ended the query's process"):
        run(engine, "SELECT 1")
    assert works(engine)


def test_one_child_serves_many_databases(make: Open, tmp_path: Path) -> None:
    import sqlite3

    POOL.end()
    engines = []
    for number in range(20):
        with sqlite3.connect(tmp_path / f"{number}.sqlite") as connection:
            connection.execute(f"CREATE TABLE t AS SELECT {number} AS n")
        connection.close()
        engines.append(opened({"engine": "sqlite", "path": f"{number}.sqlite"}, tmp_path))
    for _ in range(2):
        for number, engine in enumerate(engines):
            assert run(engine, "SELECT n FROM t").columns == ((str(number),),)
    assert len(POOL._idle) == 1
    for engine in engines:
        engine.close()


def test_a_closed_duckdb_file_can_be_written(make: Open, tmp_path: Path) -> None:
    import duckdb

    engine = make("duckdb")
    assert works(engine)
    engine.close()
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as database:
        database.execute("DELETE FROM shop WHERE id = 3")
    assert run(engine, "SELECT count(*) FROM shop").columns == (("2",),)


def test_a_child_does_not_outlive_its_parent(make: Open, tmp_path: Path) -> None:
    """A parent that is killed in the midst of a query cannot stop it; the child sees that it is alone."""
    make("sqlite")
    code = (
        "import sys, threading, time; from pathlib import Path; from karat.engines import open_engine;"
        "from karat.engines.embedded.pool import POOL;"
        "engine = open_engine({'engine': 'sqlite', 'path': 'shop.sqlite'}, Path(sys.argv[1]));"
        "print(POOL._idle[0]._process.pid, flush=True);"
        "engine.run('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n',"
        " timeout=600, row_limit=1)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    for _ in range(600):
        if not Path(f"/proc/{child}/cmdline").exists() or not Path(f"/proc/{child}/cmdline").read_bytes():
            return
        time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    raise AssertionError("the child goes on")


def test_what_a_child_wrote_is_removed_with_it(make: Open) -> None:
    engine = make("duckdb")
    assert works(engine)
    folders = [child.folder for child in POOL._idle]
    POOL.end()
    assert folders and not any(Path(folder).exists() for folder in folders)


@pytest.mark.parametrize(
    ("text", "size"),
    [("500MB", 500_000_000), ("2 GiB", 2 * 1024**3), ("1.5g", 1_500_000_000), ("10", 10), ("3kb", 3000)],
)
def test_sizes(text: str, size: int) -> None:
    assert size_of(text, "here") == size


@pytest.mark.parametrize("text", ["", "much", "-1GB", "0", "5 XB"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(UserError, match="which is not a size"):
        size_of(text, "the memory_limit")
