"""Hostile SQL, as prediction and as gold, on every embedded engine: nothing changes, every query ends, the next one
runs."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pytest

from karat.core.suite import NotApplicable
from karat.suites.answers.text_to_sql.execution import Databases
from tests.suites.answers.text_to_sql.making import compared, database

WRITES = [
    "drop table customer",
    "delete from customer",
    "update customer set name = 'x'",
    "insert into customer values (9, 'x', 'x', 'x')",
    "with t as (select 1) delete from customer where id in t",
    "create temp view customer as select 1 as name where 0",
    "create temp table customer as select 1 as name",
    "attach 'other.sqlite' as other",
    "pragma writable_schema = on",
    "vacuum into 'copy.sqlite'",
    "select 1; drop table customer",
    "explain select 1",
    "begin; delete from customer; commit",
    "/* */ -- x\n drop table customer",
    "(((drop table customer)))",
]
READS = {
    "sqlite": ["select readfile('/etc/passwd')", "select load_extension('x')", "select * from pragma_database_list"],
    "duckdb": ["select * from read_csv('/etc/passwd')", "select * from '/etc/passwd'", "copy customer to 'out.csv'",
               "select getenv('HOME')", "install httpfs", "set memory_limit = '100GB'"],
}  # fmt: skip
ENDLESS = "with recursive t(n) as (select 1 union all select n + 1 from t) select count(*) from t"
HUGE = {
    "sqlite": "with recursive t(n) as (select 1 union all select n + 1 from t) select n, hex(zeroblob(4000)) from t",
    "duckdb": "select range, repeat('x', 4000) from range(10000000)",
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(params=["sqlite", "duckdb"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    file = tmp_path / f"shop.{request.param}"
    if request.param == "sqlite":
        connection: Any = sqlite3.connect(file)
    else:
        connection = duckdb.connect(str(file))
    connection.execute("create table customer(id int, name text, country text, born text)")
    connection.execute("insert into customer values (1, 'Ada', 'FR', null)")
    connection.commit()
    connection.close()
    databases = Databases(1.0, 1000, None)
    yield request.param, databases, {"engine": request.param, "path": str(file), "memory_limit": "256MiB"}, file
    databases.close()


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def test_nothing_is_written_and_no_file_is_read(opened: Any, tmp_path: Path) -> None:
    kind, databases, settings, file = opened
    before, there = _digest(file), {one.name for one in tmp_path.iterdir()}
    for sql in [*WRITES, *READS[kind]]:
        ran = databases.run(settings, sql)
        assert ran.result is None, sql
        assert ran.kind == "sql_error", (sql, ran)
        assert databases.run(settings, "select name from customer").rows == (("Ada",),), sql
    assert _digest(file) == before
    assert {one.name for one in tmp_path.iterdir()} <= {*there, "shop.sqlite", "shop.duckdb"}


def test_endless_and_huge_queries_end_and_leave_the_next_alone(opened: Any) -> None:
    kind, databases, settings, _ = opened
    assert databases.run(settings, ENDLESS).kind in ("timeout", "too_large")
    assert databases.run(settings, HUGE[kind]).kind in ("timeout", "too_large")
    assert databases.run(settings, "select count(*) from customer").rows == ((1,),)


def test_a_hostile_prediction_scores_0_everywhere_and_a_hostile_gold_leaves_the_denominator(tmp_path: Path) -> None:
    file = database(tmp_path)
    before = _digest(file)
    for sql in WRITES:
        found = compared(tmp_path, "select name from customer", sql)
        assert found.strict.reason == "sql_error", sql
        assert found.queries is not None
        figures = found.queries.figures
        # Spider reads the first statement only, which is a query here.
        first_reads = sql.startswith("select 1;")
        assert {figures.bird_ex, figures.bird_f1, figures.defog_exact, figures.defog_correct} == {0.0}, sql
        assert figures.spider_exec == 0.0 or first_reads, sql
        with pytest.raises(NotApplicable, match="gold_error: sql_error"):
            compared(tmp_path, sql, "select name from customer")
    assert _digest(file) == before
