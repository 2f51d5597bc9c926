"""Hostile SQL, as prediction and as gold: every figure is 0, and nothing changes. What every engine does with it is in
``tests/engines/test_hostile_sql.py``."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from karat.core.suite import NotApplicable
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


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


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
