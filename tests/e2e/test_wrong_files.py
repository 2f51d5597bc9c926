"""A file of another kind in the place of cases or predictions: said by its name, with what to do about it."""

from __future__ import annotations

import gzip
import io
import sqlite3
import sys
import zipfile
from pathlib import Path

import openpyxl
import pytest

from karat.cli import main
from karat.core import plugins
from karat.core.files.kinds import LOOKED_AT, foreign_kind
from karat.core.problems import UserError

SUITES = ("data_query", "answers", "retrieval", "codegen")
GOOD = {
    "data_query": "id: one\nconversation: [{role: user, content: x, target: {indicator_selection: [{dataset_id: A, "
    "dimensions: []}]}}]\n",
    "answers": '{"instance_id": "one", "evaluation": {"func": "number_match", "parameters": {"gold": 3}}}\n',
    "retrieval": "one 0 d1 1\n",
    "codegen": '{"id": "one", "question": "Three?", "expected": 3}\n',
}
LINE = b'{"id": "one", "instance_id": "one", "question": "How many?", "expected": 3}\n'


def excel() -> bytes:
    book = openpyxl.Workbook()
    book.active.append(["question", "expected"])  # type: ignore[union-attr]  # a new book has a sheet
    data = io.BytesIO()
    book.save(data)
    return data.getvalue()


def zipped() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("cases.yaml", "id: one")
    return data.getvalue()


def sqlite() -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t (a)")
    return connection.serialize()


KINDS = {
    "Git LFS": (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 2\n", "a Git LFS", "git lfs pull"),
    "Excel": (excel(), "an Excel file", "karat import"),
    "zip": (zipped(), "a zip archive", "Unpack it"),
    "gzip of Excel": (gzip.compress(excel()), "gzip|Excel", ""),
    "UTF-16": (LINE.decode().encode("utf-16"), "UTF-16", "UTF-8"),
    "UTF-16 without a mark": (LINE.decode().encode("utf-16-le"), "UTF-16", "UTF-8"),
    "UTF-32": (LINE.decode().encode("utf-32"), "UTF-32", "UTF-8"),
    "UTF-32 without a mark": (LINE.decode().encode("utf-32-le"), "UTF-32", "UTF-8"),
    "HTML": (b"\n<!DOCTYPE html><html><body>Please log in</body></html>", "an HTML page", "download"),
    "HTML with a comment": (b"<!-- saved --><html lang='en'><head></head></html>", "an HTML page", "download"),
    "PDF": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "a PDF", "CSV"),
    "SQLite": (sqlite(), "a SQLite database", "CSV or JSONL"),
    "old Excel": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "an old Excel", ".xlsx"),
    "Parquet": (b"PAR1\x15\x04\x15", "a Parquet file", "CSV"),
}


def said(read: object, path: Path) -> str:
    """All that is said of a file that cannot be taken."""
    try:
        loaded = read(path)  # type: ignore[operator]  # a parameter of the test
    except UserError as error:
        return str(error)
    assert not getattr(loaded, "cases", ()) and not getattr(loaded, "predictions", ())
    return "\n".join(f"{problem.message} {problem.hint}" for problem in loaded.problems)


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", ["cases", "predictions"])
def test_a_file_of_another_kind_is_named(suite: str, kind: str, part: str, tmp_path: Path) -> None:
    data, noun, hint = KINDS[kind]
    if suite == "answers" and kind == "UTF-16":
        pytest.skip("gold and submissions are read as UTF-16 too")
    loaded = plugins.load_suite(suite)
    names = {"cases": {"data_query": "c.yaml", "codegen": "c.yaml"}.get(suite, "c.jsonl"), "predictions": "p.jsonl"}
    file = tmp_path / names[part]
    file.write_bytes(data)
    text = said(loaded.load_cases if part == "cases" else loaded.read_predictions, file)
    assert any(word in text for word in noun.split("|")), text
    assert hint in text, text


@pytest.mark.parametrize("suite", SUITES)
def test_an_empty_file_is_called_empty(
    suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.jsonl").write_text("\n")
    cases = tmp_path / ("one.yaml" if suite == "data_query" else "one.jsonl")
    cases.write_text(GOOD[suite])
    for words in (
        ("check", "empty.jsonl", "--suite", suite),
        ("check", "empty.jsonl"),
        ("score", "--suite", suite, "--cases", "empty.jsonl", "--predictions", "empty.jsonl"),
        ("score", "--suite", suite, "--cases", cases.name, "--predictions", "empty.jsonl"),
    ):
        monkeypatch.setattr(sys, "argv", ["karat", *words])
        with pytest.raises(SystemExit) as stopped:
            main.main()
        printed = capsys.readouterr()
        assert (stopped.value.code, "empty" in printed.err.replace("empty.jsonl", "")) == (2, True), (words, printed)


def test_check_names_an_excel_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my cases.xlsx").write_bytes(excel())
    monkeypatch.setattr(sys, "argv", ["karat", "check", "my cases.xlsx"])
    with pytest.raises(SystemExit) as stopped:
        main.main()
    said = capsys.readouterr().err
    assert stopped.value.code == 2
    assert "it is an Excel file" in said and "karat import 'my cases.xlsx' --suite" in said


def test_text_is_never_taken_for_another_kind() -> None:
    for text in (
        b"",
        b"\n",
        b"id: one\n",
        LINE,
        b"PAR is a word",
        b"q1 0 d1 1\n",
        b"<?xml version='1.0'?><Structure/>",
    ):
        assert foreign_kind(text) is None
    assert foreign_kind("é".encode() * LOOKED_AT) is None
    assert foreign_kind(b"\xef\xbb\xbfid: one") is None
    assert foreign_kind(LINE.decode().encode("utf-16"), utf_16=True) is None


def _said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[object, str]:
    monkeypatch.setattr(sys, "argv", ["karat", *words])
    with pytest.raises(SystemExit) as stopped:
        main.main()
    printed = capsys.readouterr()
    return stopped.value.code, printed.out + printed.err


NOISE = bytes(range(256)) * 20


@pytest.mark.parametrize("suite", SUITES)
def test_noise_is_one_line_in_every_suite(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, suite: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("noise.yaml", "noise.jsonl"):
        Path(name).write_bytes(NOISE)
        _, said = _said(capsys, monkeypatch, "check", name, "--suite", suite)
        assert "a binary file" in said and "\x01" not in said and "\\x01" not in said and len(said) < 400


def test_line_of_utf_16_or_gzip_is_shown_as_text(tmp_path: Path) -> None:
    from karat.core.problems import Problem, problem_text

    wide, packed, noise = tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz", tmp_path / "c.jsonl"
    wide.write_bytes("first\nsecond\n".encode("utf-16"))
    packed.write_bytes(gzip.compress(b"first\nsecond\n"))
    noise.write_bytes(NOISE)
    for file in (wide, packed):
        assert "2 | second" in problem_text(Problem("wrong", file=str(file), line=2, column=1))
    assert problem_text(Problem("wrong", file=str(noise), line=2, column=1)).count("\n") == 0


def test_codegen_reads_packed_tasks_and_answers(tmp_path: Path) -> None:
    suite = plugins.load_suite("codegen")
    tasks, answers = tmp_path / "tasks.yaml.gz", tmp_path / "answers.jsonl.gz"
    tasks.write_bytes(gzip.compress(b'- {id: a, question: q, reference: "1"}\n'))
    answers.write_bytes(gzip.compress(b'{"id": "a", "code": "1"}\n'))
    assert [case.id for case in suite.load_cases(tasks).cases] == ["a"]
    assert [one.case_id for one in suite.read_predictions(answers).predictions] == ["a"]


def test_import_says_what_it_was_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("head.csv").write_text("id,question,answer\n")
    assert _said(capsys, monkeypatch, "import", "folder", "--suite", "codegen")[1].startswith(
        "karat: folder is a folder"
    )
    code, said = _said(capsys, monkeypatch, "import", "head.csv", "--suite", "codegen")
    assert code == 2 and "head.csv has a heading, but no rows" in said
