"""Spider2's question files in SQL mode: the database by the name in the row, the engine by the id."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from karat.core.problems import UserError
from karat.engines.routing import route
from karat.suites.answers import suite
from karat.suites.answers.options import Options
from karat.suites.answers.prompts import dialect, schema
from karat.suites.answers.sql.by_prefix import settings_by_prefix
from tests.e2e.test_answers import run

QUESTIONS = [
    {"instance_id": "local001", "db": "Shop", "question": "Who is there?", "external_knowledge": None},
    {"instance_id": "local002", "db": "stock", "question": "How many items?"},
    {"instance_id": "local003", "db": "shoop", "question": "Who?"},
    {"instance_id": "sf_bq004", "db_id": "CENSUS", "instruction": "How many?"},
]
GOLD = {"local001": "name\nAda\nBen\n", "local002": "n\n3\n", "local003": "name\nAda\n", "sf_bq004": "n\n1\n"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The files as they are published, and two databases."""
    gold = tmp_path / "evaluation_suite" / "gold"
    (gold / "exec_result").mkdir(parents=True)
    rows = [{"instance_id": name, "condition_cols": [], "ignore_order": True} for name in GOLD]
    (gold / "spider2lite_eval.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, text in GOLD.items():
        (gold / "exec_result" / f"{name}.csv").write_text(text)
    (tmp_path / "spider2-lite.jsonl").write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS))
    databases = tmp_path / "databases"
    databases.mkdir()
    for file, script in (
        ("shop.sqlite", "create table person(name text); insert into person values ('Ada'), ('Ben')"),
        ("stock.sqlite", "create table item(id int); insert into item values (1), (2), (3)"),
    ):
        connection = sqlite3.connect(databases / file)
        connection.executescript(script)
        connection.close()
    given = tmp_path / "given"
    given.mkdir()
    for name, sql in (("local001", "select name from person"), ("local002", "select count(*) - 1 as n from item"),
                      ("local003", "select name from person"), ("sf_bq004", "select 1 as n")):  # fmt: skip
        (given / f"{name}.sql").write_text(sql)
    return tmp_path


def test_each_instance_runs_on_the_database_of_its_row(project: Path) -> None:
    words = ("--questions", "spider2-lite.jsonl", "--predictions", "given", "--databases", "databases")
    run(project, "karat", "answers", *words, "--json", "out.json", code=3)
    cases = {case["id"]: case for case in json.loads((project / "out.json").read_text())["cases"]}
    assert [cases[name]["scores"]["spider2"] for name in ("local001", "local002")] == [1.0, 0.0]
    assert cases["local001"]["question"] == "Who is there?"
    assert cases["local003"]["status"] == "error"
    assert 'Did you mean "shop"?' in cases["local003"]["error"]
    assert cases["sf_bq004"]["status"] == "error"  # there is no Snowflake here


def test_the_question_file_is_a_set_of_cases_and_gives_the_assistant_the_tables(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    loaded = suite.load_cases(project / "spider2-lite.jsonl")
    first = loaded.cases[0]
    options = Options(databases="databases")
    assert (first.id, first.question, dialect(first, options)) == ("local001", "Who is there?", "sqlite")
    assert [table["name"] for table in schema(first, options)] == ["person"]


def test_the_engine_of_an_id(tmp_path: Path) -> None:
    assert settings_by_prefix("bq011", "x", "ga4") == {"engine": "bigquery"}
    assert settings_by_prefix("ga010", "x", "ga4") == {"engine": "bigquery"}
    assert settings_by_prefix("sf_local003", "x", "SHOP") == {"engine": "snowflake", "database": "SHOP"}
    assert settings_by_prefix("garden", "postgresql://h/{db}", "shop") == {
        "engine": "postgresql",
        "url": "postgresql://h/shop",
    }
    with pytest.raises(UserError, match="does not say which database"):
        settings_by_prefix("sf001", "x", "")


def test_db_in_a_rule_is_the_name_in_the_row() -> None:
    rules = {
        "local": {"engine": "duckdb", "path": "warehouse/{db}.duckdb"},
        "": {"engine": "mysql", "url": "mysql://h/{database}"},
    }
    assert route("local7", rules, "shop")["path"] == "warehouse/shop.duckdb"
    assert route("x", rules, "shop")["url"] == "mysql://h/shop"
    with pytest.raises(UserError, match="does not say which database"):
        route("local7", rules)
    with pytest.raises(UserError, match="cannot be used in a path"):
        route("local7", rules, "../shop")
