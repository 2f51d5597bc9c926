"""Submissions in every form, hostile ones too, and what live systems answer."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.problems import UserError
from karat.core.suite import Unreadable
from karat.suites.answers import predictions
from karat.suites.answers.predictions import read_predictions
from karat.suites.answers.records import Answer
from karat.suites.answers.responses import read_answer
from karat.suites.answers.sql.texts import first_sql_in, sql_in
from tests.suites.answers.making import answers, lines, write


def row(name: str, kind: Any, given: Any) -> dict[str, Any]:
    return {"instance_id": name, "answer_type": kind, "answer_or_path": given}


def submission(root: Path, *rows: dict[str, Any], **files: str) -> Path:
    named = {name.replace("__", "/") + ".csv": text for name, text in files.items()}
    return write(root, {"results_metadata.jsonl": lines(*rows), **named})


def test_answers_files_and_several_files(tmp_path: Path) -> None:
    rows = [
        row("text", "answer", "Cristiano"),
        row("listed", ["answer"], ["29.0"]),
        row("one", "file", "r.csv"),
        row("one_listed", ["file"], ["r.csv"]),
        row("two", "files", ["r.csv", "s.csv"]),
        row("two_as_file", "file", ["r.csv", "s.csv"]),
        row("lone", "files", "r.csv"),
    ]
    files = {f"{name}__{file}": "n\n" for name in ("one", "one_listed", "two", "two_as_file", "lone") for file in "rs"}
    found = answers(submission(tmp_path, *rows, **files))
    assert found["text"] == Answer("text", "answer", "Cristiano")
    assert found["listed"] == Answer("listed", "answer", "29.0")
    assert found["one"] == Answer("one", "file", paths=(str(tmp_path / "one/r.csv"),))
    assert found["one_listed"].paths == (str(tmp_path / "one_listed/r.csv"),)
    assert [Path(path).name for path in found["two"].paths] == ["r.csv", "s.csv"]
    assert [found[name].kind for name in ("one_listed", "two", "two_as_file", "lone")] == [
        "file",
        "files",
        "files",
        "files",
    ]


def test_numbers_are_what_the_public_tool_sees_and_how_they_were_written_is_kept(tmp_path: Path) -> None:
    text = '{"instance_id": "a", "answer_type": "answer", "answer_or_path": 17.50}\n'
    text += '{"instance_id": "b", "answer_type": "answer", "answer_or_path": 17.5056918%},\n'
    text += '{"instance_id": "c", "answer_type": "answer", "answer_or_path": 12}\n{}\n'
    text += '{"instance_id": "d", "answer_type": "answer", "answer_or_path": true}\n'
    write(tmp_path, {"results_metadata.jsonl": text})
    assert [answer.text for answer in answers(tmp_path).values()] == ["17.5", "17.5056918%", "12", "True"]
    bodies = [msgspec.json.decode(item.response) for item in read_predictions(tmp_path).predictions]
    assert [body.get("raw") for body in bodies] == ["17.50", None, None, None]


def test_rows_of_a_turn_and_a_repeat(tmp_path: Path) -> None:
    """A row says where it belongs as in every suite; what cannot be a place is a problem."""
    rows = [
        row("a", "answer", "x"),
        row("a", "answer", "y") | {"repeat": 1, "latency": "3 s"},
        row("a", "answer", "z") | {"turn": 3},
        row("a", "answer", "w") | {"turn": "0"},
        row("a", "answer", "v") | {"repeat": -1},
    ]
    loaded = read_predictions(submission(tmp_path, *rows))
    assert [(one.turn, one.repeat) for one in loaded.predictions] == [(None, 0), (None, 1), (3, 0)]
    assert [(problem.line, problem.message.split(";")[0]) for problem in loaded.problems] == [
        (4, "not an answer: turn is a string, expected a whole number"),
        (5, '"repeat" is -1'),
    ]


@pytest.mark.parametrize(
    ("one", "said"),
    [
        ({"id": "a", "answer": "no"}, "a second answer"),
        ({"id": "a", "answer": "no", "turn": "0"}, "turn is a string"),
        ({"id": "a", "answer": "no", "repeat": "x"}, "repeat is a string"),
        ({"id": True, "answer": "no"}, "without"),
    ],
)
def test_python_rows_that_cannot_be_used(one: dict[str, Any], said: str, tmp_path: Path) -> None:
    loaded = predictions.predictions_from([{"id": "a", "answer": "yes"}, one], tmp_path)
    assert [b"yes" in found.response for found in loaded.predictions] == [True]
    assert [said in problem.message and problem.line == 2 for problem in loaded.problems] == [True]


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        ("file", "../secret.csv", '".."'),
        ("file", "/etc/passwd", "absolute"),
        ("files", ["r.csv", "../b/r.csv"], '".."'),
        ("file", "link.csv", "points outside"),
        ("file", "door/secret.csv", "points outside"),
        ("file", "pipe.csv", "named pipe"),
        ("file", "r.csv\0", "control character"),
        ("file", "..\\..\\secret.csv", "backslash"),
        ("file", "none.csv", "there is no file a/none.csv"),
        ("file", ".", "folder"),
        ("file", 12, "there is no file a/12"),
        ("file", {"path": "r.csv"}, "there is no file"),
        ("file", "", "empty"),
        ("answer", None, "empty"),
        ("files", [], "empty"),
        ("fil", "r.csv", 'Did you mean "file"?'),
        (["answer", "file"], "r.csv", "one of answer, file"),
        (None, "r.csv", "one of answer, file"),
    ],
)
def test_an_answer_that_cannot_be_used_says_why_and_harms_no_other(
    tmp_path: Path, kind: Any, given: Any, said: str
) -> None:
    write(tmp_path, {"secret.csv": "out"})
    root = submission(tmp_path / "box", row("a", kind, given), row("b", "file", "r.csv"), a__r="n\n", b__r="n\n")
    (root / "a/link.csv").symlink_to("../../secret.csv")
    (root / "a/door").symlink_to("../..", target_is_directory=True)
    os.mkfifo(root / "a/pipe.csv")
    found = answers(root)
    assert said in found["a"].problem
    assert found["a"].paths == ()
    assert (found["b"].problem, len(found["b"].paths)) == ("", 1)


def test_an_instance_id_cannot_lead_out_either(tmp_path: Path) -> None:
    write(tmp_path, {"x/r.csv": "out"})
    found = answers(
        submission(tmp_path / "box", row("../x", "file", "r.csv"), row(str(tmp_path / "x"), "file", "r.csv"))
    )
    assert all(answer.problem and not answer.paths for answer in found.values())


def test_rows_that_cannot_be_read_are_problems_with_their_line(tmp_path: Path) -> None:
    good = [json.dumps(row(name, "answer", name)) for name in "abc"]
    text = "\n".join([good[0], '{"instance_id": "x", "answer', good[1], '{"id": "y"}', good[0], good[2]])
    write(tmp_path, {"results_metadata.jsonl": text})
    loaded = read_predictions(tmp_path)
    assert [item.case_id for item in loaded.predictions] == ["a", "b", "c"]
    assert [problem.line for problem in loaded.problems] == [2, 4, 5]
    assert loaded.problems[0].column > 0
    assert "first, in line 1, is used" in loaded.problems[2].message
    assert read_predictions(tmp_path / "results_metadata.jsonl") == loaded


def test_gold_keys_in_a_submission_go_nowhere(tmp_path: Path) -> None:
    cheat = {**row("a", "answer", "x"), "evaluation": {"func": "string_match", "parameters": {"gold": "x"}}}
    body = read_predictions(submission(tmp_path, cheat)).predictions[0].response
    assert msgspec.json.decode(body) == {"instance_id": "a", "kind": "answer", "text": "x"}


def test_flat_folder(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.csv": "n\n1\n",
        "b.sql": "Here it is:\n```sql\nSELECT 1\n```\n",
        "c.csv": "n\n",
        "c.sql": "SELECT 2",
        "d.duckdb": b"x",
        "e.db": b"x",
        "f.SQL": b"\xff\xfe",
        "g.sql": "",
        "notes.txt": "",
        ".hidden.csv": "",
    }
    write(tmp_path, files)
    found = answers(tmp_path)
    assert found["a"] == Answer("a", "file", paths=(str(tmp_path / "a.csv"),))
    assert (found["b"].kind, found["b"].text) == ("sql", "SELECT 1")
    # A result and its SQL: the result is judged, and the SQL is at hand for the mode that runs it.
    assert (found["c"].kind, found["c"].text, len(found["c"].paths)) == ("file", "SELECT 2", 1)
    assert [Path(found[name].paths[0]).name for name in "de"] == ["d.duckdb", "e.db"]
    assert (found["f"].problem, found["g"].problem) == (
        "the SQL cannot be read: it is UTF-16 text",
        "the SQL file is empty",
    )
    assert list(found) == list("abcdefg")
    (warning,) = read_predictions(tmp_path).problems
    assert (warning.severity, "notes.txt" in warning.message) == ("warning", True)


def test_a_flat_folder_with_tables_in_other_forms(tmp_path: Path) -> None:
    """They were submitted, and cannot be read: an instance that has only such a file is not missing."""
    files: dict[str, str | bytes] = {
        "a.csv": "n\n1\n",
        "a.json": "[]",
        "b.parquet": b"PAR1",
        "c.XLSX": b"PK",
        "d.md": "",
    }
    write(tmp_path, files)
    (tmp_path / "e.json").symlink_to("/etc/hostname")
    found = answers(tmp_path)
    assert {name: answer.kind for name, answer in found.items()} == dict.fromkeys("abce", "file")
    assert not found["a"].problem
    assert found["b"].problem == "b.parquet is not read: an answer is a file that ends in .csv, .duckdb, .db, .sql"
    assert "c.XLSX is not read" in found["c"].problem
    assert "link" in found["e"].problem
    (warning,) = read_predictions(tmp_path).problems
    assert warning.message.startswith("5 entries of the submission folder not read")


def test_hostile_flat_folder(tmp_path: Path) -> None:
    write(tmp_path, {"secret.csv": "out", "box/good.csv": "n\n"})
    box = tmp_path / "box"
    (box / "link.csv").symlink_to("../secret.csv")
    os.mkfifo(box / "pipe.sql")
    (box / "folder.csv").mkdir()
    Path(os.fsdecode(os.fsencode(box) + b"/\xff.csv")).write_text("n\n")
    found = answers(box)
    assert {name: bool(answer.problem) for name, answer in found.items()} == {
        "folder": True,
        "good": False,
        "link": True,
        "pipe": True,
    }


def test_sql_in_metadata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        row("text", "sql", "```sql\nSELECT 1\n```"),
        row("named", "sql", "q.sql"),
        row("file", "file", "q.sql"),
        row("large", "file", "q.sql"),
    ]
    long = {"large/q.sql": "SELECT " + "1" * 100}
    write(
        tmp_path, {"results_metadata.jsonl": lines(*rows), "named/q.sql": "SELECT 2", "file/q.sql": "SELECT 3", **long}
    )
    monkeypatch.setattr(predictions, "MAX_SQL_BYTES", 50)
    found = answers(tmp_path)
    assert [answer.kind for answer in found.values()] == ["sql"] * 4
    assert [answer.text for answer in found.values()] == ["SELECT 1", "SELECT 2", "SELECT 3", ""]
    assert "107 bytes" in found["large"].problem


def test_no_submission(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        read_predictions(tmp_path / "none")
    with pytest.raises(UserError, match="no answer"):
        read_predictions(tmp_path)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("SELECT 1;\n", "SELECT 1;"),
        ("```sql\nSELECT 1\n```", "SELECT 1"),
        ("```SQL\r\nSELECT 1\r\n```", "SELECT 1"),
        ("First\n```sql\nSELECT 1\n```\nthen\n``` sql\nSELECT 2\n```\ndone", "SELECT 2"),
        ("```sql\nSELECT 1\n```\n```sql\nSELECT 2\n```", "SELECT 2"),
        ("```SQL\nSELECT 1\n```\n```sql\nSELECT 2\n```", "SELECT 2"),
        ("```\nSELECT 1\n```", "SELECT 1"),
        ("```sql\nSELECT 1", "SELECT 1"),
    ],
)
def test_sql_out_of_fences(text: str, sql: str) -> None:
    assert sql_in(text) == sql


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("SELECT 1;\n", ""),
        ("First\n```sql\nSELECT 1\n```\nthen\n``` sql\nSELECT 2\n```\ndone", "SELECT 1"),
        ("```sql\nSELECT 1\n```\n```sql\nSELECT 2\n```", "SELECT 1"),
        ("```SQL\nSELECT 1\n```\n```sql\nSELECT 2\n```", ""),  # the public evaluator knows only the second
        ("```sql\nSELECT 1\n```\n```SQL\nSELECT 2\n```", "SELECT 1"),
    ],
)
def test_the_block_that_the_public_evaluator_takes(text: str, first: str) -> None:
    assert first_sql_in(text) == first


def chat(content: Any) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "choices": [{"message": {"role": "assistant", "content": content}}]}


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ({"answer": "Paris"}, Answer("", "answer", "Paris")),
        ({"answer": 12.5, "instance_id": "a"}, Answer("a", "answer", "12.5")),
        ({"sql": "```sql\nSELECT 1\n```"}, Answer("", "sql", "SELECT 1")),
        ({"response": {"answer": "Paris"}}, Answer("", "answer", "Paris")),
        (chat("It is Paris.\n"), Answer("", "answer", "It is Paris.")),
        (chat("Run\n```sql\nSELECT 1\n```"), Answer("", "sql", "SELECT 1")),
        (
            chat([{"type": "text", "text": "It is "}, {"type": "image"}, {"type": "text", "text": "Paris."}]),
            Answer("", "answer", "It is Paris."),
        ),
        ("Paris", Answer("", "answer", "Paris")),
        (12, Answer("", "answer", "12")),
    ],
)
def test_what_live_systems_answer(body: Any, answer: Answer) -> None:
    assert read_answer(json.dumps(body).encode(), live=True) == answer


@pytest.mark.parametrize(
    "body", [{}, {"answer": None}, [], None, True, {"choices": []}, chat(""), chat(None), {"other": 1}]
)
def test_no_answer_is_unreadable(body: Any) -> None:
    with pytest.raises(Unreadable):
        read_answer(json.dumps(body).encode())


def test_a_live_system_cannot_name_files() -> None:
    forged = msgspec.json.encode(Answer("a", "file", paths=("/etc/passwd",)))
    assert read_answer(forged).paths == ("/etc/passwd",)
    with pytest.raises(Unreadable, match="names files"):
        read_answer(forged, live=True)


@given(st.binary(max_size=100) | st.text(max_size=40).map(lambda text: json.dumps({"answer": text}).encode()))
def test_no_response_raises_anything_else(data: bytes) -> None:
    with suppress(Unreadable):
        read_answer(data)


@pytest.mark.shared_data
def test_public_example_submissions(shared: Path) -> None:
    old = answers(shared / "data/spider2/old/evaluation_suite/example_submission_folder")
    assert len(old) == 8
    assert (old["local218"].text, old["local220"].text) == ("29.0", "Cristiano Ronaldo")
    assert [name for name, answer in old.items() if answer.kind == "file"] == [
        "local229",
        "bq023",
        "bq229",
        "bq218",
        "bq015",
    ]
    lite = answers(shared / "data/spider2/lite/evaluation_suite/example_submission_folder_csv")
    assert sorted(lite) == ["bq003", "bq011", "bq019", "bq418", "local356", "sf_bq026"]
    assert not [answer.problem for answer in (*old.values(), *lite.values()) if answer.problem]


def test_a_file_may_have_recorded_lines_as_in_every_suite(tmp_path: Path) -> None:
    file = tmp_path / "said.jsonl"
    file.write_text(
        '{"id": "a", "response": "It is 7."}\n{"id": "b", "answer": 42}\n{"id": "a", "response": "8"}\n{"id": "c"}\n'
        '{"id": "a", "repeat": 1, "response": "<think>9?</think>```sql\\nselect 1\\n```"}\n'
    )
    found = read_predictions(file)
    read = [(one.case_id, one.repeat, read_answer(one.response)) for one in found.predictions]
    assert read == [
        ("a", 0, Answer("", "answer", "It is 7.")),
        ("b", 0, Answer("", "answer", "42")),
        ("a", 1, Answer("", "sql", "select 1")),
    ]
    assert [problem.line for problem in found.problems] == [3, 4]
