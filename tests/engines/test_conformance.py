"""What every engine must do, on the real databases: the same table, limits that hold, and nothing that writes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from karat.core.problems import UserError
from karat.engines.protocol import Engine, EngineError
from tests.engines.conftest import MariadbServer, PostgresServer, opened

ENDLESS = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
    "duckdb": "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range % 7 = b.range % 11",
    "postgresql": "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b WHERE a % 7 = b % "
    "11",
    "mysql": "SELECT benchmark(100000000000, md5('x'))",
}
MANY = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    "duckdb": "SELECT range + 1 AS i FROM range(10000000)",
    "postgresql": "SELECT i FROM generate_series(1, 10000000) i",
    "mysql": "SELECT seq FROM seq_1_to_10000000",
}
WRITES = [
    "INSERT INTO shop (id) VALUES (9)",
    "UPDATE shop SET id = 9",
    "DELETE FROM shop",
    "DROP TABLE shop",
    "CREATE TABLE other (id INTEGER)",
]
OWN_WRITES = {
    "sqlite": ["ATTACH '/tmp/karat-other.db' AS other", "PRAGMA user_version = 5", "SELECT load_extension('x')"],
    "duckdb": [
        "COPY shop TO '/tmp/karat-out.csv'",
        "ATTACH '/tmp/karat-other.db' AS other",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM '/etc/hosts.csv'",
        "FROM hosts.csv",
        "SET enable_external_access = true",
        "LOAD httpfs",
    ],
    "postgresql": [
        "WITH gone AS (DELETE FROM shop RETURNING id) SELECT * FROM gone",
        "SELECT * INTO other FROM shop",
        "SELECT * FROM shop FOR UPDATE",
        "SELECT lo_create(7)",
    ],
    "mysql": ["SELECT * FROM shop INTO OUTFILE '/no/such/folder/out'", "TRUNCATE TABLE shop"],
}


def run(engine: Engine, sql: str, *, timeout: float = 20.0, row_limit: int = 100) -> Any:
    return engine.run(sql, timeout=timeout, row_limit=row_limit)


def test_a_table_comes_back_as_text(engine: Engine) -> None:
    found = run(engine, "SELECT id, name, price, day FROM shop ORDER BY id -- all of it\n;")
    assert found.names == ("id", "name", "price", "day")
    assert list(found.rows()) == [
        ("1", "tea", "2.5", "2024-01-31"),
        ("2", "café", "0.1", None),
        ("3", None, "1e-05", "2024-02-29"),
    ]
    assert not found.truncated and found.seconds >= 0


def test_an_empty_result_keeps_its_columns(engine: Engine) -> None:
    found = run(engine, "SELECT id, name FROM shop WHERE id > 99")
    assert (found.names, found.columns, found.height) == (("id", "name"), ((), ()), 0)


def test_a_percent_sign_is_no_parameter(engine: Engine) -> None:
    assert run(engine, "SELECT name FROM shop WHERE name LIKE 't%' AND name <> '%s'").columns == (("tea",),)


def test_rows_beyond_the_limit_are_cut_and_said(engine: Engine, kind: str) -> None:
    found = run(engine, MANY[kind], row_limit=3)
    assert found.columns == (("1", "2", "3"),) and found.truncated
    exact = run(engine, "SELECT id FROM shop ORDER BY id", row_limit=3)
    assert exact.columns == (("1", "2", "3"),) and not exact.truncated


def test_a_query_that_takes_too_long_is_stopped(engine: Engine, kind: str, request: pytest.FixtureRequest) -> None:
    begun = time.monotonic()
    with pytest.raises(EngineError) as caught:
        run(engine, ENDLESS[kind], timeout=0.5)
    assert caught.value.kind == "timeout"
    assert time.monotonic() - begun < 60
    assert run(engine, "SELECT count(*) FROM shop").columns == (("3",),)
    if kind == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        _until_nothing(lambda: _running(server))
    if kind == "mysql":
        mariadb: MariadbServer = request.getfixturevalue("mariadb")
        _until_nothing(mariadb.running)


def _until_nothing(running: Callable[[], list[Any]]) -> None:
    """On the server the query is stopped too; a busy machine may take a moment for that."""
    for _ in range(300):
        if not running():
            return
        time.sleep(0.1)
    raise AssertionError(f"still running: {running()}")


@pytest.mark.parametrize("name", ["postgresql", "mysql"])
def test_a_result_that_is_given_up_leaves_nothing_open(
    name: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows that are not fetched any more must not be what the next query reads."""
    from tests.engines.conftest import settings_of

    engine = opened(settings_of(name, request, tmp_path), tmp_path)

    def broken(*_: Any) -> Any:
        raise OverflowError("a cell that Python cannot hold")

    for failure in ("karat.engines.query.fetching.MOST_CHARACTERS", f"karat.engines.{name}.as_table"):
        with monkeypatch.context() as patch:
            patch.setattr(failure, 1 if failure.endswith("CHARACTERS") else broken)
            with pytest.raises(EngineError) as caught:
                run(engine, "SELECT name FROM shop ORDER BY id")
            assert caught.value.kind in ("row_limit", "sql_error")
        assert run(engine, "SELECT count(*) FROM shop").columns == (("3",),)
    engine.close()


def test_postgresql_times_that_python_cannot_hold_come_as_text(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    from tests.engines.conftest import settings_of

    engine = opened(settings_of("postgresql", request, tmp_path), tmp_path)
    found = run(
        engine,
        "SELECT timestamptz 'infinity' AS a, timestamp '20000-01-01' AS b, date '-infinity' AS c, date '2024-01-31' AS "
        "d,"
        " time '24:00:00' AS e, interval '3000000 years' AS f",
    )
    assert [column[0] for column in found.columns] == [
        *("infinity", "20000-01-01 00:00:00", "-infinity", "2024-01-31", "24:00:00", "3000000 years"),
    ]
    assert run(engine, "SELECT count(*) FROM shop").columns == (("3",),)
    engine.close()


def _running(server: PostgresServer) -> list[Any]:
    import psycopg

    query = (
        b"SELECT query FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%generate_series%' "
        b"AND pid <> pg_backend_pid()"
    )
    with psycopg.connect(server.url("postgres")) as connection:
        return connection.execute(query).fetchall()


def test_wrong_sql_says_what_the_engine_says(engine: Engine) -> None:
    for sql, word in (("SELECT colour FROM shop", "colour"), ("SELECT * FROM nowhere", "nowhere")):
        with pytest.raises(EngineError, match=word) as caught:
            run(engine, sql)
        assert caught.value.kind == "sql_error"
    assert run(engine, "SELECT count(*) FROM shop").columns == (("3",),)


def test_what_writes_is_refused_before_it_runs(engine: Engine, kind: str) -> None:
    for sql in [*WRITES, *OWN_WRITES[kind]]:
        with pytest.raises(EngineError) as caught:
            run(engine, sql)
        assert caught.value.kind in ("refused", "sql_error"), sql
    assert run(engine, "SELECT count(*) FROM shop").columns == (("3",),)


def test_the_connection_refuses_what_writes_even_past_the_guard(engine: Engine, kind: str) -> None:
    unguarded: Any = engine
    for sql in [*WRITES, *OWN_WRITES[kind]]:
        with pytest.raises(EngineError) as caught:
            unguarded.unguarded(sql, timeout=20.0, row_limit=10)
        refused_by_mariadb = kind == "mysql" and "OUTFILE" in sql
        assert caught.value.kind == "refused" or refused_by_mariadb, f"{sql}: {caught.value}"
    assert run(engine, "SELECT count(*), min(id) FROM shop").columns == (("3",), ("1",))


def test_a_fingerprint_stays_while_nothing_changes(engine: Engine) -> None:
    first = engine.fingerprint()
    run(engine, "SELECT 1")
    assert engine.fingerprint() == first
    assert len(first) >= 64


@pytest.mark.parametrize("name", ["sqlite", "duckdb"])
def test_a_changed_file_has_another_fingerprint(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    from tests.engines.conftest import settings_of

    settings = settings_of(name, request, tmp_path)
    before = opened(settings, tmp_path)
    first = before.fingerprint()
    before.close()
    file = tmp_path / settings["path"]
    if name == "sqlite":
        import sqlite3

        with sqlite3.connect(file) as connection:
            connection.execute("DELETE FROM shop")
        connection.close()
    else:
        import duckdb

        with duckdb.connect(str(file)) as database:
            database.execute("DELETE FROM shop")
    after = opened(settings, tmp_path)
    assert after.fingerprint() != first
    after.close()


@pytest.mark.parametrize("name", ["sqlite", "duckdb"])
def test_a_missing_file_is_not_made(name: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"gone\.db does not exist"):
        opened({"engine": name, "path": "gone.db"}, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["sqlite", "duckdb"])
def test_a_file_of_another_kind_is_said_to_be_so(name: str, tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("not a database at all, but long enough to have a header of its own" * 200)
    with pytest.raises(UserError, match=r"text\.db cannot be opened"):
        opened({"engine": name, "path": "text.db"}, tmp_path)


def test_a_clean_wal_database_gets_no_files_beside_it(tmp_path: Path) -> None:
    import sqlite3

    connection = sqlite3.connect(tmp_path / "wal.db")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t AS SELECT 1 AS a")
    connection.commit()
    connection.close()
    engine = opened({"engine": "sqlite", "path": "wal.db"}, tmp_path)
    assert run(engine, "SELECT a FROM t").columns == (("1",),)
    assert [path.name for path in tmp_path.iterdir()] == ["wal.db"]
    engine.close()


def test_duckdb_stops_at_its_memory_limit(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    from tests.engines.conftest import settings_of

    settings = settings_of("duckdb", request, tmp_path) | {"memory_limit": "100MB", "disk_limit": "1MB"}
    engine = opened(settings, tmp_path)
    with pytest.raises(EngineError, match="Out of Memory"):
        run(engine, "SELECT list(range) FROM range(100000000)")
    engine.close()


def test_duckdb_types_that_need_care(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    from tests.engines.conftest import settings_of

    engine = opened(settings_of("duckdb", request, tmp_path), tmp_path)
    found = run(
        engine,
        "SELECT 0.1::FLOAT AS f, TIMESTAMPTZ '2024-01-02 03:04:05+00' AT TIME ZONE 'UTC' AS z, 1.50::DECIMAL(5,2) AS d",
    )
    assert [column[0] for column in found.columns] == ["0.1", "2024-01-02 03:04:05", "1.50"]
    zoned = run(engine, "SELECT to_timestamp(0) AS z, 7 AS n")
    assert zoned.columns[0][0].startswith("19") and zoned.columns[1] == ("7",)
    nested = run(engine, "SELECT [1, 2] AS l, {'a': 'x'} AS s")
    assert nested.columns == (("[1, 2]",), ("{'a': 'x'}",))
    with pytest.raises(EngineError, match="lists or structs of more than") as caught:
        run(engine, "SELECT list(range) FROM range(12000000)")
    assert caught.value.kind == "row_limit"
    engine.close()
