"""Strategies in a run: a function that answers, a run that is stopped and resumed, the recording, the reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import karat
from karat.core.records import branches_of
from karat.store import open_store

TASKS = """
tables: {sales: {city: [Rome, Oslo, Bonn], price: [1.5, 2.5, 3.0]}}
tasks:
  - {id: total, question: What is the total price?, expected: 7.0, tests: [{assert: result > 5, public: true}]}
  - {id: count, question: How many rows are there?, expected: 3}
"""
OPTIONS = {"strategies": ["repair", "fresh", "repair_tests", "restart"], "perturb": "no", "performance": False}


class Assistant:
    """Its first answer to ``total`` has a wrong name; told the error it is right, asked once more it is wrong."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []

    def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        self.heard.append(request)
        if request["id"] == "count":
            code = "result = len(df)"
        elif len(request["messages"]) > 2:
            code = "result = df.price.sum()"
        else:
            code = "result = df.price.max()" if request.get("again") else "result = df.cost.sum()"
        return {"code": code}


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    file = tmp_path / "tasks.yaml"
    file.write_text(TASKS)
    return file


def right(result: karat.RunResult) -> dict[str, tuple[bool, int, str]]:
    (details,) = (case.details["strategies"] for case in result.cases if case.id == "total")
    return {one["strategy"]: (one["right"], one["times_asked"], one["ended"]) for one in details}


EXPECTED = {
    "repair": (True, 1, "ran"),
    "fresh": (False, 1, "ran"),
    "repair_tests": (True, 1, "ran"),
    "restart": (True, 1, "ran"),
}


def test_all_start_from_the_same_first_answer(tasks: Path, tmp_path: Path) -> None:
    assistant, store = Assistant(), f"sqlite:///{tmp_path}/karat.db"
    result = karat.run("codegen", tasks, assistant, options=OPTIONS, store=store, workers=1)
    assert right(result) == EXPECTED
    about_total = [request for request in assistant.heard if request["id"] == "total"]
    assert len(about_total) == 5 and len(assistant.heard) == 6  # the right first answer is not asked again
    assert [request.get("again", 0) for request in about_total] == [0, 0, 2, 0, 0]
    assert [len(request["messages"]) for request in about_total] == [2, 4, 2, 4, 4]
    assert "strategies" not in next(case.details for case in result.cases if case.id == "count")
    with open_store(store) as opened:
        stored = {one.case_id: one for one in opened.predictions(1)}
    assert [one.name for one in branches_of(stored["total"].response)] == OPTIONS["strategies"]


def test_a_recording_gives_the_same(tasks: Path, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/karat.db"
    live = karat.run("codegen", tasks, Assistant(), options=OPTIONS, store=store, workers=1)
    recording = tmp_path / "recorded.jsonl"
    karat.export(live.run.id, predictions=recording, store=store)
    lines = [json.loads(line) for line in recording.read_text().splitlines()]
    assert {"total"} == {line["id"] for line in lines if "branches" in line}
    again = karat.score("codegen", tasks, recording, options={"perturb": "no", "performance": False})
    assert right(again) == EXPECTED
    bad = tmp_path / "bad.jsonl"
    line = '{"id": "total", "code": "1", "branches": [{"name": "repare", "responses": ["1"]}]}\n'
    bad.write_text('{"id": "count", "code": "1"}\n' + line)
    found = karat.score("codegen", tasks, bad, options={"performance": False})
    assert any('no repair strategy "repare"' in problem.message for problem in found.problems)


def test_the_reports_show_them(tasks: Path, tmp_path: Path) -> None:
    recording, excel = tmp_path / "recorded.jsonl", tmp_path / "report.xlsx"
    branches = [
        {"name": "repair", "responses": ["result = df.price.sum()"], "cost": 0.01, "tokens": 10, "latency": 1.0},
        {"name": "fresh", "responses": ["result = df.x", "result = df.price.max()"], "cost": 0.02},
    ]
    recording.write_text(json.dumps({"id": "total", "code": "result = df.cost.sum()", "branches": branches}) + "\n")
    result = karat.score("codegen", tasks, recording, options={"perturb": "no", "performance": False})
    karat.report(result, xlsx=excel, html=tmp_path / "report.html", json=tmp_path / "report.json")
    rows = list(openpyxl.load_workbook(excel)["Strategies"].iter_rows(values_only=True))
    found = {row[0]: row for row in rows if row[0] in ("repair", "fresh")}
    assert "repair" in found and any(row[:2] == ("repair", "fresh") for row in rows)
    assert "Strategies" in (tmp_path / "report.html").read_text()
    figures = json.loads((tmp_path / "report.json").read_text())["figures"]["strategies"]
    assert [(one["strategy"], one["right"], one["calls"], one["cost_each"]) for one in figures] == [
        ("repair", 1, 1, 0.01),
        ("fresh", 0, 2, None),
    ]


def test_a_strategy_whose_call_failed_is_left_out(tasks: Path, tmp_path: Path) -> None:
    assistant = Assistant()

    def unsteady(request: dict[str, Any]) -> dict[str, Any]:
        if len(assistant.heard) == 3:
            raise ConnectionError("gone")
        return assistant(request)

    store = f"sqlite:///{tmp_path}/karat.db"
    run = karat.run("codegen", tasks, unsteady, options=OPTIONS, store=store, workers=1, case_ids=["total"])
    assert right(run) == {name: EXPECTED[name] for name in ("repair", "fresh")}
