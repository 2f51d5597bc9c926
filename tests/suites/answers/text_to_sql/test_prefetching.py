"""The queries of many cases run in a few messages, each once, whatever becomes of them."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Sequence
from pathlib import Path

import pytest

import karat
from karat.engines.embedded.messages import Query
from karat.engines.embedded.pool import POOL, Outcome
from karat.suites.answers.text_to_sql.running import execution
from karat.suites.answers.text_to_sql.running.execution import Databases, Place, Ran

COUNT = 40


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The texts of every message to the process that runs queries."""
    messages: list[list[str]] = []
    send = POOL.rows

    def counted(queries: list[Query], timeout: float, row_limit: int) -> list[Outcome]:
        messages.append([query.sql for query in queries])
        return send(queries, timeout, row_limit)

    monkeypatch.setattr(POOL, "rows", counted)
    return messages


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    connection = sqlite3.connect(tmp_path / "shop.sqlite")
    connection.execute("create table item (id integer primary key, price integer)")
    connection.executemany("insert into item values (?, ?)", [(n, n * n) for n in range(1, COUNT + 1)])
    # No file like it has been asked before: results are kept by content, in memory and beside the checkout.
    connection.execute("create table made (by text)")
    connection.execute("insert into made values (?)", (uuid.uuid4().hex,))
    connection.commit()
    connection.close()
    rows = [
        {"db_id": "shop", "question": f"What does {n} cost?", "query": f"SELECT price FROM item WHERE id = {n}"}
        for n in range(1, COUNT + 1)
    ]
    (tmp_path / "dev.json").write_text(json.dumps(rows))
    return tmp_path


def test_many_cases_need_few_messages_and_gold_runs_once(folder: Path, sent: list[list[str]]) -> None:
    answers = [f"SELECT max(price) FROM item WHERE id = {n if n % 2 else 1}" for n in range(1, COUNT + 1)]
    (folder / "predict.txt").write_text("\n".join(answers))
    result = karat.score("answers", folder / "dev.json", folder / "predict.txt", options={"databases": str(folder)})
    assert [case.scores["strict"].value for case in result.cases] == [float(n % 2) for n in range(1, COUNT + 1)]
    texts = [text for message in sent for text in message if text.startswith("SELECT")]
    assert len(sent) < COUNT / 2
    assert texts.count("SELECT price FROM item WHERE id = 7") == 2  # the second with its rows the other way round
    assert texts.count("SELECT max(price) FROM item WHERE id = 7") == 1


def test_what_is_not_kept_for_long_does_not_run_twice(folder: Path, sent: list[list[str]]) -> None:
    endless = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t"
    (folder / "predict.txt").write_text("\n".join([endless, *["SELECT 1"] * (COUNT - 1)]))
    options = {"databases": str(folder), "query_timeout": 0.3}
    result = karat.score("answers", folder / "dev.json", folder / "predict.txt", options=options)
    assert [text for message in sent for text in message].count(endless) == 1
    assert result.cases[0].scores["strict"].value == 0.0
    assert result.cases[0].scores["bird_ex"].value == 0.0


def test_it_ends_early_where_results_are_large(
    folder: Path, sent: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "MOST_CELLS", 100)
    databases = Databases(10.0, 1000, cache_file=None)
    place = databases.place({"engine": "sqlite", "path": str(folder / "shop.sqlite")})
    asked = [(place, f"SELECT id, price, {n} FROM item") for n in range(50)]
    databases.run_ahead(asked)
    assert [len(message) for message in sent] == [4]
    assert [len(ran.rows) for ran in databases.ran(asked[:6])] == [COUNT] * 6
    databases.close()


def test_results_in_memory_are_bounded_together(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "MOST_KEPT_CELLS", 5 * COUNT)
    databases = Databases(10.0, 1000, cache_file=None)
    place = databases.place({"engine": "sqlite", "path": str(folder / "shop.sqlite")})
    for n in range(20):
        databases.ran([(place, f"SELECT id + {n} FROM item")])
    assert len(databases._kept) == 5
    databases.close()


def test_a_test_suite_that_holds_the_database_itself_runs_nothing_there_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = folder / "suite" / "shop"
    suite.mkdir(parents=True)
    (suite / "shop.sqlite").write_bytes((folder / "shop.sqlite").read_bytes())
    (folder / "predict.txt").write_text("\n".join(["SELECT price FROM item WHERE id = 1"] * COUNT))
    asked: list[str] = []
    found = Databases._found

    def counted(self: Databases, missing: Sequence[tuple[Place, str]]) -> dict[tuple[Place, str], Ran]:
        asked.extend(sql for place, sql in missing if not place.backwards)
        return found(self, missing)

    monkeypatch.setattr(Databases, "_found", counted)
    options = {"databases": str(folder), "test_suite": str(folder / "suite")}
    result = karat.score("answers", folder / "dev.json", folder / "predict.txt", options=options)
    assert [case.scores["spider_suite"].value for case in result.cases] == [1.0, *[0.0] * (COUNT - 1)]
    assert len(asked) == len(set(asked)) == COUNT
