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
from karat.core.file_kinds import LOOKED_AT, foreign_kind
from karat.core.problems import UserError

SUITES = ("data_query", "answers", "retrieval", "codegen")
GOOD = {
    "data_query": "id: one\nconversation: [{role: user, content: x, target: {indicator_selection: [{dataset_id: A, dimensions: []}]}}]\n",
    "answers": '{"instance_id": "one", "evaluation": {"func": "number_match", "parameters": {"gold": 3}}}\n',
    "retrieval": "one 0 d1 1\n",
    "codegen": '{"id": "one", "question": "Three?", "expected": 3}\n',
}
LINE = b'{"id": "one", "instance_id": "one", "question": "How many?", "expected": 3}\n'


def excel() -> bytes:
    book = openpyxl.Workbook()
    book.active.append(["question", "expected"])  # type: ignore[union-attr]
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
    "Excel": (excel(), "an Excel file", "karat import"),
    "zip": (zipped(), "a zip archive", "Unpack it"),
    "gzip of Excel": (gzip.compress(excel()), "gzip|Excel", ""),
    "UTF-16": (LINE.decode().encode("utf-16"), "UTF-16", "UTF-8"),
    "UTF-16 without a mark": (LINE.decode().encode("utf-16-le"), "UTF-16", "UTF-8"),
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
        loaded = read(path)  # type: ignore[operator]
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
