"""An accepted answer becomes a further gold: a file with the next letter, or an entry more; the old golds judge as
before."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest

from karat.core.problems import UserError
from karat.core.records import Prediction
from karat.suites.answers import suite
from karat.suites.answers.options import Options
from karat.suites.answers.records import Answer
from tests.reports.reviewed_runs import TOOLS, Project, fates
from tests.suites.answers.making import entry, gold_folder, lines, write

RIGHT, OTHER = "line,stops\nNorth,4\nNight,7\n", "name,line,n\nx,North,5\ny,Night,9\n"


def submitted(folder: Path, **answers: str) -> Path:
    """A submission: a CSV text becomes a file, anything else a text."""
    rows: list[dict[str, Any]] = []
    files: dict[str, str | bytes] = {}
    for name, text in answers.items():
        table = "\n" in text
        rows.append(
            {
                "instance_id": name,
                "answer_type": "file" if table else "answer",
                "answer_or_path": "r.csv" if table else text,
            }
        )
        if table:
            files[f"{name}/r.csv"] = text
    return write(folder, {"results_metadata.jsonl": lines(*rows), **files})


def row_of(file: Path, name: str) -> dict[str, Any]:
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    return next(row for row in rows if row["instance_id"] == name)


@pytest.mark.parametrize("tool", TOOLS)
def test_tables_texts_and_numbers_score_right_after_the_patch(tmp_path: Path, tool: str) -> None:
    rows: list[dict[str, Any]] = [
        {"instance_id": "one", "evaluation": entry("table_match", gold="result.csv", condition_cols=[1],
                ignore_order=True)},
        {"instance_id": "two", "evaluation": entry("table_match", gold=["a_a.csv", "a_b.csv"],
                condition_cols=[[0], [0, 1]])},
        {"instance_id": "text", "evaluation": [entry("string_match", gold=["Paris"], conj="and", exclude=["Lyon"])]},
        {"instance_id": "number", "evaluation": entry("number_match", gold=0.5, percentage=True)},
        {"instance_id": "right", "evaluation": entry("string_match", gold="yes")},
    ]  # fmt: skip
    folder = tmp_path / "project"
    gold_folder(
        folder / "gold", rows, {"one/result.csv": RIGHT, "two/a_a.csv": RIGHT, "two/a_b.csv": RIGHT + "Bay,1\n"}
    )
    given = {
        "one": OTHER,
        "two": OTHER.replace("North", "Isle").rstrip("\n"),
        "text": 'The  capital is "Lyon"',
        "number": "about 51 %",
        "right": "yes",
    }
    project = Project(folder, "answers", "gold")
    project.run(submitted(tmp_path / "submission", **given), dict.fromkeys(given, "accept"))
    assert [project.value(name, "strict") for name in given] == [0.0, 0.0, 0.0, 0.0, 1.0]
    patch = project.patch()
    assert {name for name, (fate, _) in fates(patch).items() if fate == "accepted"} == set(given) - {"right"}
    assert patch.files == ("gold/one/result_b.csv", "gold/spider2_eval.jsonl", "gold/two/a_c.csv")
    project.apply(patch, tool)
    for name in given:
        assert project.value(name, "strict") == project.value(name, "spider2") == 1.0
    gold = folder / "gold" / "spider2_eval.jsonl"
    assert row_of(gold, "one")["evaluation"] == entry(
        "table_match", gold=["result.csv", "result_b.csv"], condition_cols=[[1], []], ignore_order=True
    )
    assert row_of(gold, "two")["evaluation"]["parameters"]["condition_cols"] == [[0], [0, 1], []]
    assert row_of(gold, "text")["evaluation"] == [
        rows[2]["evaluation"][0],
        entry("string_match", gold=['The  capital is "Lyon"']),
    ]
    assert row_of(gold, "number")["evaluation"][1] == entry("number_match", gold=["51 %"], percentage=True)
    assert (folder / "gold" / "two" / "a_c.csv").read_text() == given["two"]  # and no newline at its end
    again = project.patch()
    assert set(fates(again).values()) == {("left_out", "the rule already counts the answer as right")}
    assert again.files == ()


@pytest.mark.parametrize("tool", TOOLS)
def test_flat_golds_get_the_next_letter(tmp_path: Path, tool: str) -> None:
    rows: list[dict[str, Any]] = [
        {"instance_id": "x", "condition_cols": [0], "ignore_order": True},
        {"instance_id": "x_b", "condition_cols": [], "ignore_order": False},
        {"instance_id": "y", "condition_cols": [[0], [1]], "ignore_order": [True, False]},
    ]
    tables = {"x.csv": RIGHT, "x_b.csv": RIGHT, "y_a.csv": RIGHT, "y_b.csv": RIGHT}
    folder = tmp_path / "project"
    write(folder, {"eval.jsonl": lines(*rows), **{f"exec_result/{name}": text for name, text in tables.items()}})
    submission = write(tmp_path / "sent", {f"{name}.csv": OTHER.replace("North", "Isle") for name in ("x", "x_b", "y")})
    project = Project(folder, "answers", "eval.jsonl")
    project.run(submission, dict.fromkeys(("x", "x_b", "y"), "accept"))
    assert project.value("y", "spider2") == 0.0
    patch = project.patch()
    made = ["exec_result/x_b_b.csv", "exec_result/x_c.csv", "exec_result/y_c.csv"]  # x_b.csv is another instance's
    assert list(patch.files) == ["eval.jsonl", *made]
    project.apply(patch, tool)
    for name in ("x", "x_b", "y"):
        assert project.value(name, "strict") == project.value(name, "spider2") == 1.0
    assert row_of(folder / "eval.jsonl", "x")["condition_cols"] == [[0], []]
    assert row_of(folder / "eval.jsonl", "x_b") == rows[1]
    assert row_of(folder / "eval.jsonl", "y") == {
        **rows[2],
        "condition_cols": [[0], [1], []],
        "ignore_order": [True, False, True],
    }


def test_a_gold_file_that_is_not_quite_jsonl_keeps_every_other_sign(tmp_path: Path) -> None:
    text = (
        '[\n  {"instance_id": "a",\n   "evaluation": {"func": "string_match",\n     "parameters": {"gold": "x"}}},\r\n'
        '  {"instance_id": "b", "evaluation": [{"func":"number_match","parameters":{"gold":17.50%}},]}\n, {}\n]'
    )
    folder = write(tmp_path, {"g.jsonl": "\ufeff" + text})
    assert suite.accept is not None
    for name, given in (("a", "why"), ("b", "3")):
        case = next(case for case in suite.load_cases(folder).cases if case.id == name)
        answer = Prediction(name, response=msgspec.json.encode(Answer(name, "answer", given)))
        (edit,) = suite.accept(case, answer, folder, Options())
        edit.file.write_bytes(edit.content)
    added = (
        '"evaluation": [{"func": "string_match",\n'
        '     "parameters": {"gold": "x"}}, {"func": "string_match", "parameters": {"gold": ["why"]}}]'
    )
    want = text.replace('"evaluation": {"func": "string_match",\n     "parameters": {"gold": "x"}}', added)
    want = want.replace("17.50%}},]", '17.50%}}, {"func": "number_match", "parameters": {"gold": ["3"]}}]')
    assert (folder / "g.jsonl").read_bytes().decode() == "\ufeff" + want


def test_what_cannot_be_said_is_refused_in_words(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"instance_id": "tables", "evaluation": entry("tables_match", gold=["a.csv"])},
        {"instance_id": "text", "evaluation": entry("string_match", gold="x")},
        {"instance_id": "table", "evaluation": entry("table_match", gold="a.csv")},
        {"instance_id": "flat", "condition_cols": []},
    ]
    files: dict[str, str | bytes] = {"tables/a.csv": RIGHT, "table/a.csv": RIGHT, "exec_result/flat.csv": RIGHT}
    folder = gold_folder(tmp_path / "gold", rows, files)
    sent = write(tmp_path / "sent", {"r.csv": OTHER, "latin.csv": "a\né\n".encode("latin-1"), "t.duckdb": b"x"})
    cases = {case.id: case for case in suite.load_cases(folder).cases}
    table, latin, duck = (str(sent / name) for name in ("r.csv", "latin.csv", "t.duckdb"))
    assert suite.accept is not None
    for name, answer, why in (
        ("tables", Answer("tables", "file", paths=(table,)), "tables_match has only one gold"),
        ("tables", Answer("tables", "files", paths=(table,)), "must all pass"),
        ("text", Answer("text", "file", paths=(table,)), "its gold is a text or a number"),
        ("table", Answer("table", "file", paths=(duck,)), "is not a CSV file"),
        ("table", Answer("table", "file", paths=(latin,)), "not UTF-8"),
        ("flat", Answer("flat", "answer", "5"), "a text cannot be added to it"),
        ("table", Answer("table", "sql", "select 1"), "no engine is configured"),
        ("table", Answer("table", "file", problem="there is no file table/x.csv"), "there is no file"),
    ):
        with pytest.raises(UserError, match=why):
            suite.accept(cases[name], Prediction(name, response=msgspec.json.encode(answer)), folder, Options())


def test_an_answer_in_sql_is_kept_as_its_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    gold_folder(
        tmp_path / "gold", [{"instance_id": "t", "evaluation": entry("table_match", gold="a.csv")}], {"t/a.csv": RIGHT}
    )
    (case,) = suite.load_cases(tmp_path / "gold").cases
    sqlite3.connect(tmp_path / "shop.sqlite").close()
    options = msgspec.convert({"engines": {"": {"engine": "sqlite", "database": "shop.sqlite"}}}, Options)
    answer = Prediction("t", response=b'{"sql": "select 5 as n"}', latency=0.5)
    assert suite.accept is not None
    edits = suite.accept(case, answer, tmp_path / "gold", options)
    assert [(edit.file.name, edit.content.split()) for edit in edits][1] == ("a_b.csv", [b"n", b"5"])


def test_an_answer_to_gold_in_sql_is_refused_with_what_to_write(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.sqlite") as connection:
        connection.execute("CREATE TABLE ship(name TEXT)")
    (tmp_path / "q.yaml").write_text("- {id: ships, question: How many?, sql: SELECT count(*) FROM ship}\n")
    (case,) = suite.load_cases(tmp_path / "q.yaml").cases
    assert suite.accept is not None
    said = Prediction("ships", response=b'{"sql": "SELECT 7"}')
    with pytest.raises(UserError, match="is SQL") as raised:
        suite.accept(case, said, tmp_path, Options(databases=str(tmp_path / "a.sqlite")))
    assert raised.value.hint.endswith("q.yaml:1: sql: [OLD, NEW]")
