"""The tables of SQL: by scope, folded as the database does."""

from __future__ import annotations

import pytest

from karat.core.expect.sql_tables import NotSql, looks_like_sql, named_table, table_fit, tables_of

SQL = [
    ("SELECT * FROM a JOIN b.c ON true", {"a", "b.c"}),
    ("WITH a AS (SELECT * FROM b) SELECT * FROM a", {"b"}),
    ("WITH a AS (SELECT * FROM a) SELECT * FROM a", {"a"}),
    ("WITH RECURSIVE a AS (SELECT 1 UNION ALL SELECT * FROM a) SELECT * FROM a", set()),
    ("WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b, main.a", {"main.a"}),
    ("WITH b AS (SELECT * FROM a), a AS (SELECT 1) SELECT * FROM b", {"a"}),
    ("SELECT * FROM t WHERE x IN (WITH t AS (SELECT 1 AS x) SELECT x FROM t)", {"t"}),
    ("SELECT (SELECT max(x) FROM inner_t) FROM (SELECT * FROM deep) d", {"inner_t", "deep"}),
    ("SELECT 1 UNION SELECT x FROM u", {"u"}),
    ("DELETE FROM t WHERE id IN (SELECT id FROM old)", {"t", "old"}),
    ("INSERT INTO t SELECT * FROM s", {"t", "s"}),
    ("UPDATE t SET a = 1 FROM s", {"t", "s"}),
    ("DROP TABLE t", {"t"}),
    ("SELECT 1; SELECT * FROM t", {"t"}),
    ("SELECT * FROM generate_series(1, 3) g", set()),
]


@pytest.mark.parametrize(("sql", "tables"), SQL)
def test_tables(sql: str, tables: set[str]) -> None:
    assert {table.name for table in tables_of(sql)} == tables


def test_case_is_folded_as_the_database_does() -> None:
    def names(dialect: str) -> list[str]:
        return [table.name for table in tables_of('SELECT * FROM Sales, "Old"', dialect)]

    assert names("postgres") == ["Old", "sales"]
    assert names("snowflake") == ["Old", "SALES"]
    assert names("duckdb") == ["old", "sales"]
    assert [table.name for table in tables_of("SELECT * FROM `p.d.Events_*`, d.t AS x, x.items", "bigquery")] == [
        "d.t", "p.d.Events_*"
    ]  # fmt: skip


def test_names_are_compared_by_their_last_parts() -> None:
    (table,) = tables_of("SELECT * FROM a.b.c")
    assert [table_fit(name, table) for name in ("c", "b.c", "a.b.c", "B.C", "b.*", "x.c", "b")] == [
        "yes", "yes", "yes", "yes", "yes", "no", "no"
    ]  # fmt: skip
    assert table_fit("z.a.b.c", table) == "unclear"
    assert table_fit("z.*.*.*", table) == "no"
    assert table_fit('"Old"', tables_of('SELECT * FROM "Old"', "postgres")[0], "postgres") == "yes"
    assert table_fit("Old", tables_of('SELECT * FROM "Old"', "postgres")[0], "postgres") == "no"
    assert named_table('"a.b".c').parts == ("a.b", "c")


@pytest.mark.parametrize(
    "sql", ["SELECT FROM (((", "SELECT 'open", "selec * frm pay", "pay", "SELECT 1 FROM a; drop_it pay", "1 + 1"]
)
def test_what_does_not_parse(sql: str) -> None:
    with pytest.raises(NotSql):
        tables_of(sql)


def test_what_looks_like_sql() -> None:
    for text in ("select 1", "-- a\n/* b */ WITH x AS (SELECT 1) SELECT 1", "(SELECT 1)"):
        assert looks_like_sql(text)
    for text in ("population of Chile", "", "selected works", "{}"):
        assert not looks_like_sql(text)
