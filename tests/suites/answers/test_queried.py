"""Answers in SQL as a user meets them: several rows for one text, no value, an error of the database, engines of
karat.yaml."""

from __future__ import annotations

import io
import os
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from karat.core.results.result import CaseResult, RunResult
from karat.reports.cases.case_view import case_view
from karat.reports.console.case import print_case
from karat.runs.scores.run_scoring import score_recorded
from karat.suites.answers import suite
from karat.suites.answers.options import Engine, Options
from tests.suites.answers.making import entry, lines, write
from tests.warm import warm_karat

TEXT = entry("string_match", gold=["Quay"])


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with sqlite3.connect(tmp_path / "shop.sqlite") as database:
        database.execute("create table trips (station text, minutes integer)")
        database.executemany("insert into trips values (?, ?)", [("Campus", 3), ("Park", 5), ("Quay", 9), ("Quay", 9)])
    database.close()
    return tmp_path


def scored(
    folder: Path, gold: list[dict[str, Any]], sql: dict[str, str], files: dict[str, str] | None = None
) -> RunResult:
    golds = write(folder / "gold", {"karat_gold.jsonl": lines(*gold), **{f"{k}": v for k, v in (files or {}).items()}})
    submitted = write(folder / "submission", {f"{name}.sql": text for name, text in sql.items()})
    options = Options(engines={"": Engine(engine="sqlite", database=str(folder / "shop.sqlite"))})
    loaded, recorded = suite.load_cases(golds), suite.read_predictions(submitted)
    return score_recorded(suite, loaded.cases, recorded.predictions, options)


def one(folder: Path, evaluation: dict[str, Any], sql: str) -> CaseResult:
    (case,) = scored(folder, [{"instance_id": "q", "evaluation": evaluation}], {"q": sql}).cases
    return case


@pytest.mark.parametrize(
    ("sql", "state", "reason"),
    [
        ("select distinct station from trips", "wrong", "several_answers"),
        ("select station from trips where minutes > 3", "wrong", "several_answers"),
        ("select station from trips where minutes = 9", "right", ""),
        ("select station, count(*) from trips where minutes = 9 group by 1", "right", ""),
        ("select station from trips where minutes > 99", "wrong", "no_value"),
        ("select null", "wrong", "no_value"),
        ("select station from trips where minutes = 3", "wrong", "wrong_text"),
    ],
)
def test_rows_of_a_query_for_one_text(shop: Path, sql: str, state: str, reason: str) -> None:
    case = one(shop, TEXT, sql)
    assert (case.details["strict"]["state"], case.details["strict"]["reason"]) == (state, reason)


def test_rows_of_a_query_for_one_number_and_for_several_texts(shop: Path) -> None:
    several = one(shop, entry("number_match", gold=[9]), "select distinct minutes from trips")
    assert (several.details["strict"]["state"], several.details["reason"]) == ("wrong", "several_answers")
    both = entry("string_match", gold=["Quay", "Park"], conj="and")
    assert one(shop, both, "select distinct station from trips where minutes > 3").scores["strict"].value == 1
    more = one(shop, both, "select distinct station from trips")
    assert (more.details["strict"]["state"], more.details["reason"]) == ("needs_review", "several_answers")


def test_a_query_without_a_value_says_that_it_ran(shop: Path) -> None:
    case = one(shop, TEXT, "select max(station) from trips where minutes > 99")
    assert "the query ran, and returned no value" in case.details["evidence"]["problem"]


def test_the_message_of_the_database_is_shown(shop: Path) -> None:
    found = scored(shop, [{"instance_id": "q", "evaluation": TEXT}], {"q": "select minuts from trips"})
    (case,) = found.cases
    assert case.details["reason"] == "sql_error"
    out = io.StringIO()
    print_case(case_view(found.run, case, {}, [], suite.metrics_for(found.run.headline)), Console(file=out, width=120))
    assert "no such column: minuts" in out.getvalue()
    assert any("no such column: minuts" in line for line in suite.highlights(found))


def test_an_answer_that_should_have_been_a_table_and_is_none_has_no_cell_right(shop: Path) -> None:
    table = entry("table_match", gold="result.csv")
    gold = [{"instance_id": name, "evaluation": table} for name in ("a", "b")]
    gold.append({"instance_id": "c", "evaluation": TEXT})
    sql = {
        "a": "select station, minutes from trips",
        "b": "select minuts from trips",
        "c": "select minuts from trips",
    }
    rows = "station,minutes\nCampus,3\nPark,5\nQuay,9\nQuay,9\n"
    found = scored(shop, gold, sql, {"a/result.csv": rows, "b/result.csv": rows})
    assert [case.scores["cell_f1"].value for case in found.cases] == [1.0, 0.0, None]
    assert [case.scores["row_share"].value for case in found.cases] == [1.0, 0.0, None]
    assert (found.metric("cell_f1").mean, found.metric("cell_f1").n) == (0.5, 2)


def karat_answers(folder: Path) -> tuple[int, str]:
    words = ["answers", "--result_dir", "submission", "--gold_dir", "gold", "--mode", "sql"]
    done = subprocess.run(
        warm_karat(*words),
        cwd=folder,
        env={**os.environ, "COLUMNS": "150"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    return done.returncode, done.stdout + done.stderr


YAML = """
suites:
  - suite: answers
    cases: gold/
    predictions: submission/
    options:
      mode: sql
      engines:
        "": {engine: sqlite, database: shop.sqlite}
"""


def test_karat_answers_takes_the_engines_of_karat_yaml_and_says_once_when_there_are_none(shop: Path) -> None:
    gold = [{"instance_id": name, "evaluation": TEXT} for name in ("a", "b", "c")]
    write(shop / "gold", {"karat_gold.jsonl": lines(*gold)})
    write(shop / "submission", {f"{row['instance_id']}.sql": "select 'Quay'" for row in gold})
    code, output = karat_answers(shop)
    assert code == 3
    assert output.count("no engine is configured") == 1
    assert "database: shop.sqlite" in output
    assert "path:" not in output
    (shop / "karat.yaml").write_text(YAML)
    code, output = karat_answers(shop)
    assert code == 0, output
    assert "  strict                3" in output


def test_ids_without_an_engine_are_named_once(shop: Path) -> None:
    gold = [{"instance_id": name, "evaluation": TEXT} for name in ("a", "b")]
    golds = write(shop / "gold", {"karat_gold.jsonl": lines(*gold)})
    submitted = write(shop / "submission", {f"{row['instance_id']}.sql": "select 'Quay'" for row in gold})
    options = Options(engines={"bq": Engine(engine="sqlite", database="shop.sqlite")})
    recorded = suite.read_predictions(submitted).predictions
    found = score_recorded(suite, suite.load_cases(golds).cases, recorded, options)
    assert len({case.error for case in found.cases}) == 1
    assert "begin with bq" in found.cases[0].error
