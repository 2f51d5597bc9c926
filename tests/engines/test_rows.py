"""Rows as Python values, on every engine that gives them: what they hold, and that nothing is written for them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from karat.engines.embedded.values import pack, unpack
from karat.engines.opening import open_engine
from karat.engines.protocol import EngineError, ResultRows, RowsEngine
from tests.engines.conftest import settings_of

ENGINES = ("sqlite", "duckdb", "postgresql", "mysql")


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> RowsEngine:
    opened = open_engine(settings_of(request.param, request, tmp_path), tmp_path)
    assert isinstance(opened, RowsEngine)
    return opened


def test_numbers_texts_and_nulls_stay_what_they_are(engine: RowsEngine) -> None:
    found = engine.rows("SELECT 1, '1', NULL, 2.5e0", timeout=10, row_limit=10)
    assert found.rows == ((1, "1", None, 2.5),)
    assert [type(cell) for cell in found.rows[0][:3]] == [int, str, type(None)]


def test_more_rows_than_the_limit_are_said(engine: RowsEngine) -> None:
    found = engine.rows("SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3", timeout=10, row_limit=2)
    assert (len(found.rows), found.truncated) == (2, True)


def test_lists_and_documents_can_be_counted(engine: RowsEngine) -> None:
    asked = {
        "postgres": "SELECT ARRAY[1, 2], '{\"a\": 1}'::jsonb",
        "duckdb": "SELECT [1, 2], {'a': 1}",
    }
    if engine.dialect in asked:
        found = engine.rows(asked[engine.dialect], timeout=10, row_limit=10)
        assert set(found.rows) == {("[1, 2]", "{'a': 1}")}


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE shop",
        "DELETE FROM shop",
        "CREATE TEMP VIEW shop AS SELECT 1",
        "SELECT 1; DROP TABLE shop",
        "WITH t AS (SELECT 1) DELETE FROM shop",
        "EXPLAIN SELECT 1",
    ],
)
def test_what_is_not_a_query_is_refused_and_the_next_runs(engine: RowsEngine, sql: str) -> None:
    before = engine.rows("SELECT count(*) FROM shop", timeout=10, row_limit=10).rows
    with pytest.raises(EngineError) as caught:
        engine.rows(sql, timeout=10, row_limit=10)
    assert caught.value.kind in ("refused", "sql_error")
    assert engine.rows("SELECT count(*) FROM shop", timeout=10, row_limit=10).rows == before


def test_an_endless_query_ends(engine: RowsEngine) -> None:
    endless = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t"
    if engine.name == "mysql":  # MariaDB itself ends that recursion after 1,000 steps
        endless = "SELECT count(*) FROM seq_1_to_10000000 a, seq_1_to_10000000 b WHERE a.seq % 7 = b.seq % 11"
    with pytest.raises(EngineError) as caught:
        engine.rows(endless, timeout=1, row_limit=10)
    assert caught.value.kind in ("timeout", "memory")


def test_values_that_msgpack_does_not_know_come_back() -> None:
    rows = ((Decimal("0.10"), 2**70, "a\udcff", b"\x00", -(2**63), float("inf")),)
    assert unpack(pack(ResultRows(("a", "b", "c", "d", "e", "f"), rows))).rows == rows


def test_one_file_with_two_settings(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """DuckDB refuses a second opening with other settings in one process, and gold SQL needs both."""
    settings = settings_of("duckdb", request, tmp_path)
    found = []
    for more in ({}, {"reverse_unordered": True}, {"memory_limit": "200MB"}, {}):
        opened = open_engine({**settings, **more}, tmp_path)
        assert isinstance(opened, RowsEngine)
        found.append(opened.rows("SELECT count(*) FROM shop", timeout=10, row_limit=10).rows)
    assert found == [((3,),)] * 4


@pytest.mark.parametrize("kind", ["duckdb", "postgresql"])
def test_the_engine_tells_how_many_rows_a_query_reads(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from karat.suites.answers.text_to_sql.running.cost import cost_of
    from karat.suites.answers.text_to_sql.running.execution import Databases

    monkeypatch.chdir(tmp_path)
    databases, settings = Databases(10.0, 100, None), settings_of(kind, request, tmp_path)
    texts = ("SELECT id FROM shop WHERE id = 1", "SELECT a.id FROM shop a WHERE a.id = 1")
    gold, given = ((sql, databases.run(settings, sql)) for sql in texts)
    dialect = databases.place(settings).engine.dialect
    found = cost_of(databases, settings, dialect, gold, given, runs=3, matches=True)
    databases.close()
    assert (found.gold_rows_read, found.rows_read) == (3, 3)
    assert found.speed is not None
    assert found.speed.runs == 3
