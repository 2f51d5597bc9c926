"""A call that failed is no zero of a profile that does not judge gold SQL."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import karat
from karat.web.app import create_app
from tests.suites.answers.text_to_sql.making import database, question_file


@pytest.mark.parametrize("errors", ["leave_out", "zero"])
def test_a_failed_call_is_no_zero_of_spider2(tmp_path: Path, errors: str) -> None:
    database(tmp_path)
    rows = [
        {"id": name, "db": "shop", "question": f"How many? {name}", "sql": "SELECT count(*) FROM customer"}
        for name in ("answered", "down")
    ]

    def ask(question: object) -> str:
        if "down" in str(question):
            raise RuntimeError("the assistant is down")
        return "SELECT count(id) FROM customer"

    result = karat.run(
        "answers",
        question_file(tmp_path, rows),
        ask,
        options={"databases": str(tmp_path), "errors": errors},
        store=f"sqlite:///{tmp_path}/k.db",
    )
    failed = next(case for case in result.cases if case.id == "down")
    for name in ("spider2", "spider2_of_gold", "spider_suite", "bird_rves"):
        assert failed.scores[name].value is None, name
        assert failed.scores[name].state == "not_applicable", name
        assert result.metric(name).mean is None, name
    assert failed.scores["strict_of_gold"].value == 0
    assert failed.scores["strict"].value == (0 if errors == "zero" else None)
    assert failed.scores["bird_ex"].value == (0 if errors == "zero" else None)


def test_a_question_without_an_answer_is_no_zero_of_spider2(tmp_path: Path) -> None:
    database(tmp_path)
    rows = [{"id": name, "db": "shop", "question": "?", "sql": "SELECT 1"} for name in ("a", "b")]
    given = tmp_path / "given.jsonl"
    given.write_text('{"id": "a", "sql": "SELECT 1"}\n')
    result = karat.score("answers", question_file(tmp_path, rows), given, options={"databases": str(tmp_path)})
    assert result.metric("spider2_of_gold").mean is None
    assert result.metric("strict_of_gold").mean is not None


REPLIES = {
    "DROP TABLE customer": True,
    "```\nDELETE FROM customer WHERE id = 1;\n```": True,
    "-- all of them\nINSERT INTO customer VALUES (9, 'x', 'y', NULL)": True,
    'UPDATE customer SET "name" = 1': True,
    "create or replace temp view customer as select 1": True,
    "Update: there are three customers.": False,
    "Drop table customer is nothing that I may do.": False,
    "Create a table of customers first.": False,
}


def test_a_live_reply_that_would_change_data_is_wrong_and_prose_is_an_error(tmp_path: Path) -> None:
    database(tmp_path)
    rows = [
        {"id": f"{n}", "db": "shop", "question": f"Which? [{n}]", "sql": "SELECT name FROM customer"}
        for n in range(len(REPLIES))
    ]
    replies = list(REPLIES)
    result = karat.run(
        "answers",
        question_file(tmp_path, rows),
        lambda question: replies[int(str(question).partition("Which? [")[2][0])],
        options={"databases": str(tmp_path)},
        store=f"sqlite:///{tmp_path}/k.db",
    )
    for case, (reply, is_sql) in zip(result.cases, REPLIES.items(), strict=True):
        assert case.status == ("scored" if is_sql else "error"), reply
        assert case.scores["strict"].value == (0 if is_sql else None), reply


@pytest.mark.parametrize("errors", ["leave_out", "zero"])
def test_a_zero_of_a_failed_call_is_not_called_wrong(tmp_path: Path, errors: str) -> None:
    database(tmp_path)
    gold = "SELECT count(*) FROM customer"
    rows = [{"id": name, "db": "shop", "question": f"How many? {name}", "sql": gold} for name in ("no", "down")]

    def ask(question: object) -> str:
        if "down" in str(question):
            raise RuntimeError("the assistant is down")
        return "SELECT 1"

    store = f"sqlite:///{tmp_path}/k.db"
    options = {"databases": str(tmp_path), "errors": errors}
    karat.run("answers", question_file(tmp_path, rows), ask, options=options, store=store)
    with TestClient(create_app(store), base_url="http://127.0.0.1:8765") as client:
        wrong, failed = (client.get(f"/runs/r-0001/cases/{place}").text for place in (0, 1))
        listed = client.get("/runs/r-0001?col=strict&col=strict_of_gold").text.split("<tr data-row>")[1:]
    scores = [
        re.findall(r'<td class="num">(.*?)</td>', page.split('<h2 class="label">Scores')[1]) for page in (wrong, failed)
    ]
    assert any("wrong" in one for one in scores[0])
    assert not any("wrong" in one for one in scores[1])
    assert any("counts 0" in one for one in scores[1])
    assert "✗" in listed[0]
    line = listed[1].split("</tr>")[0]
    assert "wrong" not in line
    assert "counts 0" in line
