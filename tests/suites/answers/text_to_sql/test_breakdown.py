"""Passes by difficulty, by database and by tag."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.core.results.result import RunResult
from karat.stats.intervals.estimates import estimate, wilson
from karat.suites.answers.report import report
from karat.suites.answers.text_to_sql.highlights import sql_lines
from karat.verbs.answers.questions import score_queries
from tests.suites.answers.text_to_sql.making import database, question_file

NAMES = "select name from customer"
OTHER = "select country from customer"
EMPTY = "select name from customer where id > 9"


@pytest.fixture
def result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunResult:
    monkeypatch.chdir(tmp_path)
    for name in ("shop", "store"):
        database(tmp_path / "databases", name)
    rows = [
        ("shop", "challenging", NAMES, OTHER, ["x"]),
        ("shop", "simple", NAMES, NAMES, ["x"]),
        ("store", "simple", NAMES, OTHER, []),
        ("store", "simple", EMPTY, "select 1 where 0", []),
    ]
    asked = [
        {"db": db, "difficulty": level, "question": "Who?", "sql": gold, "prediction": sql, "tags": tags}
        for db, level, gold, sql, tags in rows
    ]
    return score_queries(question_file(tmp_path, asked), None, "databases", workers=1)


def test_passes_and_denominators(result: RunResult) -> None:
    sheet = next(one for one in report(result, estimate).sheets if one.title == "Breakdown")
    tables = {table.title: {row[0]: row[1:] for row in table.rows} for table in sheet.tables}
    assert list(tables["By difficulty"]) == ["simple", "challenging"]  # the easiest first
    # Three simple questions; the one with empty gold has no strict verdict.
    assert tables["By difficulty"]["simple"][:4] == (3, 1, 2, 0.5)
    assert tables["By difficulty"]["challenging"][:4] == (1, 0, 1, 0.0)
    assert tables["By database"]["shop"][:4] == (2, 1, 2, 0.5)
    assert tables["By database"]["store"][:4] == (2, 0, 1, 0.0)
    assert tables["By tag"]["x"][:4] == (2, 1, 2, 0.5)


def test_an_interval_within_one_database_is_over_its_questions(result: RunResult) -> None:
    sheet = next(one for one in report(result, estimate).sheets if one.title == "Breakdown")
    shop = next(row for row in sheet.tables[1].rows if row[0] == "shop")
    assert shop[5:7] == wilson(0.5, 2)


def test_the_terminal_says_it_by_difficulty(result: RunResult) -> None:
    assert "strict by difficulty    simple 1 of 2 · challenging 0 of 1" in sql_lines(result)
