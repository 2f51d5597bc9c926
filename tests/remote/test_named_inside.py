"""A URL that stands inside a file is an error that says so: only a person decides what this machine fetches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import karat
from karat.core.problems import UserError
from karat.core.remote.address import url_inside
from karat.engines.embedded_file import existing_file
from karat.sheet.compute.input_files import find_input
from karat.sheet.values import Wrong
from karat.suites.answers.submission.safe_paths import OutsideFolder, inside
from karat.suites.codegen.authoring.import_rows import _Files, _LeftOut

URLS = ("s3://bucket/sales.csv", "https://server/sales.csv", "ftp://server/sales.csv", "file:///etc/passwd.csv")
SECRET = "https://me:canary@server/sales.csv?sig=canary"


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("place", ["tables: {sales: URL}", "tables: {sales: {path: URL}}", "expected: {file: URL}"])
def test_a_task_that_names_a_file_by_url(tmp_path: Path, url: str, place: str) -> None:
    other = "expected: 1" if place.startswith("tables") else "tables: {sales: {a: [1]}}"
    file = tmp_path / "tasks.yaml"
    file.write_text(f"- id: a\n  question: How many?\n  {other}\n  {place.replace('URL', url)}\n")
    (found,) = karat.check("codegen", file)
    assert found.message == f'"{url}" is a URL; a task cannot name a file by a URL'
    assert found.line == 4 and "relative path" in found.hint


def test_a_benchmark_question_that_names_a_table_by_url(tmp_path: Path) -> None:
    row = {"id": 1, "question": "q", "concepts": [], "constraints": "", "format": "@a[b]", "level": "easy"}
    (tmp_path / "da-dev-questions.jsonl").write_text(json.dumps(row | {"file_name": URLS[0]}))
    (found,) = karat.check("codegen", tmp_path / "da-dev-questions.jsonl")
    assert f'"{URLS[0]}" is a URL' in found.message and found.line == 1


def test_no_reader_of_names_takes_a_url_or_shows_its_secret(tmp_path: Path) -> None:
    with pytest.raises(Wrong, match="is a URL") as sheet:
        find_input(tmp_path, SECRET)
    with pytest.raises(OutsideFolder, match="is a URL") as answers:
        inside(tmp_path, SECRET)
    with pytest.raises(UserError, match="is at a URL") as engine:
        existing_file(tmp_path, SECRET)
    with pytest.raises(_LeftOut, match="is a URL") as row:
        _Files(tmp_path).place(SECRET)
    for raised in (sheet, answers, engine, row):
        assert "canary" not in f"{raised.value} {getattr(raised.value, 'hint', '')}"
        assert "https://•••@server/sales.csv?•••" in str(raised.value)


@pytest.mark.parametrize("path", ["a/b.csv", "C:/b.csv", "c:\\b.csv", "a:b.csv", "/abs/b.csv", "odd: //b.csv", ""])
def test_a_path_is_no_url(path: str) -> None:
    assert url_inside(path) == ""
