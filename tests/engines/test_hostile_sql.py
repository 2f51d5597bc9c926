"""Hostile SQL on every engine that gold and predictions run on, as prediction and as gold: nothing changes, every query
ends, the next one runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from karat.core.suite import NotApplicable
from karat.suites.answers import suite
from karat.suites.answers.options import Options
from karat.suites.answers.text_to_sql.files.predictions import prediction_field
from karat.suites.answers.text_to_sql.running.execution import Databases
from tests.engines.attacks import ENDLESS, HUGE, READS, WRITES
from tests.engines.conftest import KINDS, MariadbServer, PostgresServer

CUSTOMERS = ("create table customer(id int, name varchar(20))", "insert into customer values (1, 'Ada')")
NAMES = "select name from customer"


@pytest.fixture(params=KINDS)
def settings(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A database with one customer, as the suite opens it."""
    monkeypatch.chdir(tmp_path)
    kind = str(request.param)
    if kind == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.new_database()
        for statement in CUSTOMERS:
            server.sql(statement, url.partition("@/")[2].partition("?")[0])
        return {"engine": kind, "url": url}
    if kind == "mysql":
        mariadb: MariadbServer = request.getfixturevalue("mariadb")
        mariadb.sql("create or replace database hostile", "use hostile", *CUSTOMERS)
        return {"engine": kind, "url": mariadb.url().replace("/shop", "/hostile")}
    file = tmp_path / f"shop.{kind}"
    if kind == "sqlite":
        import sqlite3

        connection: Any = sqlite3.connect(file)
    else:
        import duckdb

        connection = duckdb.connect(str(file))
    for statement in CUSTOMERS:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return {"engine": kind, "path": str(file), "memory_limit": "256MiB"}


@pytest.fixture
def databases() -> Iterator[Databases]:
    found = Databases(0.5, 1000, None)
    yield found
    found.close()


def test_nothing_is_written_and_no_file_is_read(settings: dict[str, Any], databases: Databases, tmp_path: Path) -> None:
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    for sql in [*WRITES, *READS[settings["engine"]]]:
        ran = databases.run(settings, sql)
        assert (ran.result, ran.kind) == (None, "sql_error"), (sql, ran)
    databases.close()
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    assert Databases(5.0, 1000, None).run(settings, NAMES).rows == (("Ada",),)
    assert not Path("/tmp/karat-out").exists()


def test_endless_and_huge_queries_end_and_the_next_one_runs(settings: dict[str, Any], databases: Databases) -> None:
    for sql in [*ENDLESS[settings["engine"]], *HUGE[settings["engine"]]]:
        ran = databases.run(settings, sql)
        stopped = ran.kind in ("timeout", "too_large") or "too big" in ran.message
        assert ran.result is None and stopped, (sql, ran.kind, ran.message)
        again = Databases(5.0, 1000, None)
        assert again.run(settings, NAMES).rows == (("Ada",),), sql
        again.close()


def test_a_hostile_answer_is_wrong_and_a_hostile_gold_leaves_the_denominator(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    options = Options(databases=settings.get("url") or settings["path"])
    for sql in (*WRITES[:8], *READS[settings["engine"]][:8]):
        for gold, given in ((NAMES, sql), (sql, NAMES)):
            row = {"id": "q", "db": "shop", "question": "Who?", "sql": gold, "prediction": given}
            (tmp_path / "q.jsonl").write_text(json.dumps(row))
            cases = suite.load_cases(tmp_path / "q.jsonl").cases
            (prediction,) = prediction_field(cases).predictions
            if gold == NAMES:
                found = suite.compare(cases[0], 0, prediction, options)
                assert (found.strict.state, found.strict.reason) == ("wrong", "sql_error"), sql
            else:
                with pytest.raises(NotApplicable, match="gold_error: sql_error"):
                    suite.compare(cases[0], 0, prediction, options)


def test_gold_and_answer_are_judged_on_every_engine(settings: dict[str, Any], tmp_path: Path) -> None:
    row = {"id": "q", "db": "shop", "question": "Who?", "sql": NAMES, "prediction": "select c.name from customer c"}
    (tmp_path / "q.jsonl").write_text(json.dumps(row))
    cases = suite.load_cases(tmp_path / "q.jsonl").cases
    (prediction,) = prediction_field(cases).predictions
    found = suite.compare(cases[0], 0, prediction, Options(databases=settings.get("url") or settings["path"]))
    assert found.strict.state == "right"
    assert found.queries is not None and found.queries.figures.bird_ex == 1.0


def test_a_variable_of_one_query_is_not_there_for_the_next(mariadb: MariadbServer) -> None:
    settings = {"engine": "mysql", "url": mariadb.url()}
    databases = Databases(5.0, 1000, None)
    assert databases.run(settings, "select @x := 7").rows == ((7,),)
    assert databases.run(settings, "select @x").rows == ((None,),)
    databases.close()
