"""SQL as an answer and SQL as gold, on real databases, end as tables, texts or reasons."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from karat.core.problems import UserError
from karat.engines.protocol import EngineError
from karat.suites.answers.options import Options
from karat.suites.answers.records import Answer, Entry, Gold
from karat.suites.answers.sql.execution import SqlRunner, answer_from_sql, gold_from_sql, problem_of, reason_of, run_sql
from tests.engines.conftest import SHOP

TABLE = Gold("local001", (Entry("table_match", {"gold": "x.csv"}),))
NUMBER = Gold("local001", (Entry("number_match", {"gold": 3}),))
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[SqlRunner]:
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        connection.executescript(SHOP)
    connection.close()
    found = SqlRunner({"local": {"engine": "sqlite", "path": "shop.sqlite"}}, folder=tmp_path, timeout=5, row_limit=2)
    yield found
    found.close()


def asked(sql: str) -> Answer:
    return Answer("local001", "sql", sql)


def test_sql_becomes_a_csv_file(runner: SqlRunner) -> None:
    answer = answer_from_sql(asked("```sql\nSELECT id, name, price FROM shop ORDER BY id LIMIT 2\n```"), TABLE, runner)
    assert (answer.kind, answer.problem) == ("file", "")
    assert Path(answer.paths[0]).read_text(encoding="utf-8") == "id,name,price\n1,tea,2.5\n2,café,0.1\n"


def test_sql_becomes_a_text_where_gold_asks_for_one(runner: SqlRunner) -> None:
    assert answer_from_sql(asked("SELECT count(*) FROM shop"), NUMBER, runner).text == "3"
    several = answer_from_sql(asked("SELECT id, name FROM shop ORDER BY id LIMIT 2"), NUMBER, runner)
    assert (several.kind, several.text) == ("answer", "1, tea\n2, café")


@pytest.mark.parametrize(
    ("sql", "beginning", "reason"),
    [
        ("SELECT colour FROM shop", "sql_error: no such column", "sql_error"),
        ("DELETE FROM shop", "sql_error: refused: the query was not run", "sql_error"),
        ("SELECT * FROM shop", "sql_error: row_limit: the result has more than 2 rows", "sql_error"),
        ("", "sql_error: there is no SQL", "sql_error"),
    ],
)
def test_a_query_without_a_table_has_a_reason(runner: SqlRunner, sql: str, beginning: str, reason: str) -> None:
    answer = answer_from_sql(asked(sql), TABLE, runner)
    assert answer.kind == "sql" and not answer.paths
    assert answer.problem.startswith(beginning)
    assert reason_of(answer.problem) == reason


def test_a_query_that_is_too_slow_is_a_timeout(tmp_path: Path, runner: SqlRunner) -> None:
    slow = SqlRunner({"": {"engine": "sqlite", "path": "shop.sqlite", "timeout": "0.2"}}, folder=tmp_path)
    answer = answer_from_sql(asked(ENDLESS), TABLE, slow)
    assert answer.problem == "timeout: the query was stopped after 0.2 s"
    assert reason_of(answer.problem) == "timeout"
    slow.close()


def test_an_unreachable_server_is_no_wrong_answer() -> None:
    problem = problem_of(EngineError("connection", "no route"))
    assert (problem, reason_of(problem)) == ("connection: no route", "")


def test_other_answers_stay_as_they_are(runner: SqlRunner) -> None:
    for answer in (Answer("local001", "answer", "7"), Answer("local001", "sql", "SELECT 1", problem="outside")):
        assert answer_from_sql(answer, TABLE, runner) is answer


def test_an_instance_without_a_route_is_the_users_mistake(runner: SqlRunner) -> None:
    with pytest.raises(UserError, match="no engine is configured"):
        answer_from_sql(Answer("sf001", "sql", "SELECT 1"), TABLE, runner)


def test_results_are_kept_until_the_database_changes(tmp_path: Path, runner: SqlRunner) -> None:
    sql = "SELECT count(*) AS n FROM shop"
    first = runner.run("local001", sql)
    assert runner.run("local001", sql) == first  # its seconds too: it was not run again
    assert len(list((tmp_path / ".karat").rglob("*.z"))) == 1
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        connection.execute("DELETE FROM shop WHERE id = 1")
    connection.close()
    assert runner.run("local001", sql).columns == (("2",),)


def test_a_temporal_gold_is_computed_now(tmp_path: Path, runner: SqlRunner) -> None:
    (tmp_path / "gold.sql").write_text("SELECT id, name FROM shop WHERE id < 3 ORDER BY id;\n", encoding="utf-8")
    entry = Entry("table_match", {"gold": "old.csv", "condition_cols": [1], "ignore_order": True}, ("old.csv",))
    gold = Gold("local001", (entry,), temporal=True, sql=str(tmp_path / "gold.sql"))
    before = datetime.now(UTC).replace(microsecond=0)
    found = gold_from_sql(gold, runner)
    assert before <= datetime.fromisoformat(found.as_of) <= datetime.now(UTC)
    (file,) = found.entries[0].gold_files
    assert Path(file).read_text(encoding="utf-8") == "id,name\n1,tea\n2,café\n"
    assert found.entries[0].parameters == {"gold": Path(file).name, "condition_cols": [1], "ignore_order": True}
    assert not list((tmp_path / ".karat").rglob("*.z")), "what moves with the data is not kept"


def test_a_temporal_number_takes_its_value_from_the_cells(runner: SqlRunner) -> None:
    entry = Entry("number_match", {"sql": "SELECT count(*) FROM shop", "percentage": True})
    found = gold_from_sql(Gold("local001", (entry,), temporal=True), runner)
    assert found.entries[0].parameters | {"sql": ""} == {"sql": "", "gold": ["3"], "percentage": True}
    both = Entry("string_match", {"sql": "SELECT name FROM shop WHERE id < 3 ORDER BY id"})
    found = gold_from_sql(Gold("local001", (both,), temporal=True), runner)
    assert found.entries[0].parameters["gold"] == ["tea", "café"] and found.entries[0].parameters["conj"] == "and"


def test_a_temporal_gold_that_cannot_be_computed_is_unreadable(runner: SqlRunner) -> None:
    for entry, word in (
        (Entry("number_match", {"sql": "SELECT x FROM shop"}), "no such column"),
        (Entry("number_match"), "has no SQL"),
    ):
        found = gold_from_sql(Gold("local001", (entry,), temporal=True), runner)
        assert found.status == "unreadable" and word in found.problem


def test_a_gold_that_is_not_temporal_stays(runner: SqlRunner) -> None:
    assert gold_from_sql(TABLE, runner) is TABLE


def test_the_options_of_the_suite_name_the_engines(
    tmp_path: Path, runner: SqlRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    entry = Entry("number_match", {"sql": "SELECT count(*) FROM shop"})
    for engine in ({"engine": "sqlite", "database": "shop.sqlite"}, {"engine": "sqlite", "database": "{id}.sqlite"}):
        (tmp_path / "local001.sqlite").write_bytes((tmp_path / "shop.sqlite").read_bytes())
        options = msgspec.convert({"engines": {"local": engine}}, Options)
        gold, answer = run_sql(Gold("local001", (entry,), temporal=True), asked("SELECT 3"), options)
        assert (gold.entries[0].parameters["gold"], answer.text) == (["3"], "3")
    with pytest.raises(UserError, match="no engine is configured"):
        run_sql(TABLE, asked("SELECT 3"), Options())
