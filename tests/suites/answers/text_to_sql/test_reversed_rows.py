"""Gold that depends on the order of unordered rows is found by a second run, on DuckDB and PostgreSQL too."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest

from karat.suites.answers.text_to_sql.strict.reversed_rows import reversed_rows
from karat.verbs.answers.questions import score_queries
from tests.store.conftest import PostgresServer, postgres

__all__ = ["postgres"]

ROWS = "INSERT INTO item SELECT n, 'item ' || n, 0.1 * n FROM generate_series(1, 30) AS r(n)"
STABLE = (
    "SELECT count(*) FROM item",
    "SELECT name FROM item",
    "SELECT sum(price), avg(price) FROM item",
    "SELECT i.name FROM item AS i JOIN item AS j ON i.id = j.id + 1",
    "WITH item AS (SELECT 1 AS id) SELECT id FROM item",
    "SELECT name FROM item ORDER BY price DESC LIMIT 1",
    "SELECT item.name FROM item WHERE EXISTS (SELECT 1 FROM item x WHERE x.id = item.id)",
    "SELECT * FROM item UNION SELECT * FROM item",
    "SELECT name FROM cheap",
    "SELECT n FROM generate_series(1, 3) AS g(n)",
)
UNSTABLE = (
    "SELECT name FROM item LIMIT 1",
    "SELECT string_agg(name, ',') FROM item",
    "WITH t AS (SELECT * FROM item) SELECT name FROM t LIMIT 2",
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def unstable(golds: Sequence[str], databases: str) -> list[bool]:
    """Which golds are found to be unstable, each given as its own answer."""
    rows = [{"db": "shop", "question": "What?", "sql": sql, "prediction": sql} for sql in golds]
    Path("team.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = score_queries(Path("team.jsonl"), None, databases, workers=1)
    assert [case.error for case in result.cases] == [""] * len(golds)
    return [case.details["sql"].get("gold_status") == "unstable" for case in result.cases]


def test_duckdb() -> None:
    file = str(Path("shop.duckdb").absolute())
    with duckdb.connect(file) as connection:
        connection.execute(f"CREATE TABLE item (id INTEGER, name TEXT, price DOUBLE PRECISION); {ROWS}")
        connection.execute("CREATE VIEW cheap AS SELECT name FROM item WHERE price < 1")
    golds = (*STABLE, "SELECT name FROM main.item WHERE id IN (SELECT max(id) FROM item)")
    assert unstable(golds, file) == [False] * len(golds)
    moving = (*UNSTABLE, "SELECT first(name) FROM item")
    assert unstable(moving, file) == [True] * len(moving)


def test_postgresql(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    view = "CREATE VIEW cheap AS SELECT name FROM item WHERE price < 1"
    table = "CREATE TABLE item (id INTEGER, name TEXT, price DOUBLE PRECISION)"
    postgres.sql(f"{table}; {ROWS}; {view}", url.partition("@/")[2].partition("?")[0])
    assert unstable(STABLE, url) == [False] * len(STABLE)
    assert unstable(UNSTABLE, url) == [True] * len(UNSTABLE)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a FROM t", "SELECT a FROM (SELECT * FROM t ORDER BY ctid DESC NULLS LAST) AS t"),
        ("SELECT x.a FROM s.t AS x", "SELECT x.a FROM (SELECT * FROM s.t ORDER BY ctid DESC NULLS LAST) AS x"),
        ("WITH t AS (SELECT 1 AS a) SELECT a FROM t", ""),
        ("SELECT 1", ""),
        ("SELECT a FROM t TABLESAMPLE SYSTEM (10)", ""),
        ("SELECT n FROM generate_series(1, 3) AS g(n)", ""),
        ("SELECT FROM WHERE", ""),
    ],
)
def test_the_query(sql: str, expected: str) -> None:
    assert reversed_rows(sql, "postgres") == expected
