"""What may be run and what may not, by dialect, before any engine sees it."""

from __future__ import annotations

import pytest

from karat.engines.protocol import EngineError
from karat.engines.query.guard import check, volatile

DIALECTS = ("sqlite", "duckdb", "postgres", "mysql", "bigquery", "snowflake")

ALLOWED = [
    "SELECT 1",
    "select a, b from t where a > 1 order by b limit 3;",
    "WITH x AS (SELECT 1 AS a) SELECT a FROM x UNION ALL SELECT 2",
    "(SELECT 1) UNION ALL (SELECT 2)",
    "SELECT 'DROP TABLE t; --' AS text",
    "SELECT REPLACE(a, 'x', 'y') FROM t WHERE EXISTS (SELECT 1 FROM u)",
    "SELECT a FROM t WHERE b = 'INTO'",
]
REFUSED = [
    "INSERT INTO t VALUES (1)",
    "UPDATE t SET a = 1",
    "DELETE FROM t",
    "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DELETE",
    "DROP TABLE t",
    "CREATE TABLE t AS SELECT 1",
    "ALTER TABLE t ADD COLUMN a INT",
    "TRUNCATE TABLE t",
    "GRANT SELECT ON t TO u",
    "SET x = 1",
    "BEGIN",
    "COMMIT",
    "CALL p()",
    "EXPLAIN SELECT 1",
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE t",
    "SELECT * INTO u FROM t",
    "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x",
    "SELECT load_extension('x')",
    "SELECT LOAD_FILE('/etc/passwd')",
    "SELECT readfile('/etc/passwd')",
]
REFUSED_BY_DIALECT = [
    ("duckdb", "COPY t TO 'out.csv'"),
    ("duckdb", "EXPORT DATABASE 'x'"),
    ("duckdb", "IMPORT DATABASE 'x'"),
    ("duckdb", "ATTACH 'x.db'"),
    ("duckdb", "DETACH x"),
    ("duckdb", "INSTALL httpfs"),
    ("duckdb", "LOAD httpfs"),
    ("duckdb", "PRAGMA memory_limit='1TB'"),
    ("duckdb", "CHECKPOINT"),
    ("duckdb", "SELECT * FROM 'x.csv'"),
    ("duckdb", "FROM 'x.parquet'"),
    ("duckdb", 'SELECT * FROM "data/x"'),
    ("duckdb", "SELECT * FROM 'https://example.org/x'"),
    ("duckdb", "SELECT * FROM read_csv('x')"),
    ("duckdb", "SELECT * FROM read_csv_auto('x')"),
    ("duckdb", "SELECT * FROM read_parquet(['x'])"),
    ("duckdb", "SELECT * FROM parquet_scan('x')"),
    ("duckdb", "SELECT * FROM read_json_auto('x')"),
    ("duckdb", "SELECT content FROM read_text('x')"),
    ("duckdb", "SELECT * FROM glob('*')"),
    ("duckdb", "SELECT * FROM sqlite_scan('x', 't')"),
    ("duckdb", "FROM query('SELECT 1')"),
    ("duckdb", "SELECT (SELECT max(content) FROM read_blob('x')) AS a"),
    ("sqlite", "ATTACH 'x' AS y"),
    ("sqlite", "DETACH y"),
    ("sqlite", "PRAGMA user_version = 3"),
    ("sqlite", "VACUUM INTO 'x'"),
    ("sqlite", "REPLACE INTO t VALUES (1)"),
    ("postgres", "COPY t TO PROGRAM 'sh'"),
    ("postgres", "COPY (SELECT 1) TO '/tmp/x'"),
    ("postgres", "SELECT pg_read_file('/etc/passwd')"),
    ("postgres", "SELECT pg_catalog.pg_read_file('/etc/passwd')"),
    ("postgres", "SELECT \"pg_read_binary_file\"('/etc/passwd')"),
    ("postgres", "SELECT * FROM pg_ls_dir('/')"),
    ("postgres", "SELECT lo_import('/etc/passwd')"),
    ("postgres", "SELECT lo_export(1, '/tmp/x')"),
    ("postgres", "SELECT * FROM dblink('host=x', 'SELECT 1') AS t(a int)"),
    ("postgres", "SELECT set_config('transaction_read_only', 'off', false)"),
    ("postgres", "SELECT query_to_xml('DELETE FROM t', true, true, '')"),
    ("postgres", "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x"),
    ("postgres", "WITH x AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM x"),
    ("postgres", "SELECT * FROM t FOR UPDATE"),
    ("postgres", "SELECT * FROM t FOR SHARE"),
    ("postgres", "DO $$ BEGIN END $$"),
    ("mysql", "SELECT * FROM t INTO OUTFILE '/tmp/x'"),
    ("mysql", "SELECT 1 INTO @x"),
    ("mysql", "LOAD DATA INFILE 'x' INTO TABLE t"),
    ("mysql", "SELECT 1 /*! INTO OUTFILE '/tmp/x' */"),
    ("mysql", "SELECT 1 /*M! , load_file('x') */"),
    ("mysql", "SELECT * FROM t LOCK IN SHARE MODE"),
    ("mysql", "SELECT sys_exec('x')"),
    ("bigquery", "EXPORT DATA OPTIONS(uri='gs://x') AS SELECT 1"),
    ("bigquery", "SELECT * FROM EXTERNAL_QUERY('c', 'SELECT 1')"),
    ("bigquery", "DECLARE x INT64 DEFAULT 1; SELECT x"),
    ("snowflake", "SELECT $1 FROM @stage/file.csv"),
    ("snowflake", "SELECT $1 FROM '@~/file.csv'"),
    ("snowflake", "PUT file:///etc/passwd @stage"),
    ("snowflake", "GET @stage file:///tmp"),
    ("snowflake", "COPY INTO @stage FROM t"),
    ("snowflake", "SELECT SYSTEM$CANCEL_QUERY('x')"),
]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_reading_is_allowed(dialect: str) -> None:
    for sql in ALLOWED:
        assert check(sql, dialect) == sql.rstrip(";")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_everything_else_is_refused(dialect: str) -> None:
    for sql in REFUSED:
        with pytest.raises(EngineError) as caught:
            check(sql, dialect)
        assert caught.value.kind == "refused", f"{dialect}: {sql}: {caught.value}"


@pytest.mark.parametrize(("dialect", "sql"), REFUSED_BY_DIALECT)
def test_what_a_dialect_can_do_besides_is_refused(dialect: str, sql: str) -> None:
    with pytest.raises(EngineError) as caught:
        check(sql, dialect)
    assert caught.value.kind == "refused", str(caught.value)


@pytest.mark.parametrize(
    ("dialect", "sql", "words"),
    [
        ("sqlite", "SELEC 1", "line 1, column 7"),
        ("sqlite", "SELECT FROM WHERE", ""),
        ("sqlite", "SELECT 'open", "tokenizing"),
        ("sqlite", "", "no SQL"),
        ("sqlite", " -- nothing\n ;", "no SQL"),
        ("postgres", "SELECT * FROM U&\"pg\\005fread_file\"('x')", "line 1"),
        ("sqlite", "SELECT " + "(" * 5000 + "1" + ")" * 5000, "too deeply"),
    ],
)
def test_what_cannot_be_read_is_an_error_in_the_sql(dialect: str, sql: str, words: str) -> None:
    with pytest.raises(EngineError) as caught:
        check(sql, dialect)
    assert caught.value.kind == "sql_error"
    assert words in caught.value.message
    assert "\x1b" not in caught.value.message


def test_a_huge_text_is_refused() -> None:
    with pytest.raises(EngineError, match="1,000,011 characters"):
        check("SELECT 1 --" + "x" * 1_000_000, "sqlite")


def test_comments_and_hints_do_not_reach_the_engine() -> None:
    assert check("-- a\nSELECT 1 /* b */, 'é' -- c\n, 2 /* d */;", "postgres") == "SELECT 1\n, 'é'\n, 2"
    assert check("SELECT/*+ MAX_EXECUTION_TIME(0) */1", "mysql") == "SELECT\n1"
    assert check("SELECT 1--1", "mysql") == "SELECT 1--1"
    assert (
        check("SELECT '/* not one */', \"-- nor this\" FROM t", "sqlite")
        == "SELECT '/* not one */', \"-- nor this\" FROM t"
    )


def test_what_depends_on_the_clock_or_on_chance_is_told_apart() -> None:
    assert volatile("SELECT CURRENT_DATE", "postgres")
    assert volatile("SELECT date('now')", "sqlite")
    assert volatile("SELECT a FROM t ORDER BY RANDOM() LIMIT 1", "sqlite")
    assert volatile("SELECT now()", "duckdb")
    assert volatile("SELECT GENERATE_UUID()", "bigquery")
    assert not volatile("SELECT age, normal, uniform FROM t", "postgres")
    assert not volatile("SELECT date('2024-01-01'), count(*) FROM t", "sqlite")


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        (
            "bigquery",
            "SELECT h.page, COUNT(*) AS n FROM `p-q.ga.s_*` AS s, UNNEST(s.hits) AS h WHERE _TABLE_SUFFIX > '2017' "
            "GROUP BY 1",
        ),
        (
            "bigquery",
            "SELECT ARRAY_AGG(STRUCT(a, b) ORDER BY a LIMIT 1)[OFFSET(0)].b, SAFE_DIVIDE(1, 0), r'a\\d' FROM t",
        ),
        ("bigquery", "SELECT * EXCEPT (a) FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY b ORDER BY c) = 1"),
        ("snowflake", 'SELECT f.value:"k"::STRING AS k FROM "DB"."S"."T" t, LATERAL FLATTEN(INPUT => t."j") f'),
        ("snowflake", "SELECT DATE_TRUNC('month', TO_TIMESTAMP(d / 1000000)), $1 FROM VALUES (1), (2) GROUP BY ALL"),
        ("sqlite", "SELECT strftime('%Y', d), printf('%.2f', x), a GLOB 'x*' FROM [t] LEFT JOIN `u` USING (id)"),
        ("duckdb", "SELECT [x + 1 FOR x IN [1, 2]], {'a': 1}.a, * FROM range(3) t(i) ORDER BY ALL"),
        ("duckdb", "FROM shop SELECT name, count(*) FILTER (WHERE price > 1) GROUP BY ALL"),
        (
            "postgres",
            "SELECT DISTINCT ON (a) a, b::text, c->>'k' FROM t, generate_series(1, 3) i FETCH FIRST 2 ROWS ONLY",
        ),
        (
            "mysql",
            "SELECT `a`, GROUP_CONCAT(b SEPARATOR ';') FROM t WHERE a REGEXP '^x' GROUP BY 1 WITH ROLLUP LIMIT 1, 2",
        ),
    ],
)
def test_queries_as_people_write_them_pass(dialect: str, sql: str) -> None:
    assert check(sql, dialect) == sql
