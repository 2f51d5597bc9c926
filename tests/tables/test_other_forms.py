"""A file that should be CSV and is something else is named as what it is, not judged as a table of one column."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.suites.answers.strict import table_match
from karat.tables.files.other_forms import other_form

GOLD = "a,b\n1,x\n2,y\n3,z\n"
FORMS: list[tuple[bytes, str, str]] = [
    (b'[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]', "form", "is JSON;"),
    (b'[\n {"a": 1, "b": "x"},\n {"a": 2, "b": "y"}\n]\n', "form", "is JSON;"),
    (b'\xef\xbb\xbf{"a": [1, 2, 3]}\n', "form", "is JSON;"),
    (b'{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n{"a": 3, "b": "z"}\n', "form", "is JSON lines;"),
    (b"| a | b |\n|---|:-:|\n| 1 | x |\n| 2 | y |\n| 3 | z |\n", "form", "is a Markdown table;"),
    (b" a | b\n---+---\n 1 | x\n 2 | y\n 3 | z\n(3 rows)\n", "form", "is a table as a terminal shows it;"),
    (b"```csv\na,b\n1,x\n2,y\n3,z\n```\n", "form", "is a fenced block of Markdown;"),
    (b"<table><tr><td>1</td></tr></table>", "form", "is an HTML table;"),
    (b"<!doctype html><html><body>Log in</body></html>", "form", "is an HTML page"),
    (b"a;b\n1;x\n2;y\n3;z\n", "separator", "is separated by semicolons"),
    (b"PK\x03\x04" + b"\0" * 30 + b"xl/workbook.xml", "binary", "is an Excel file;"),
    (b"PAR1" + b"\0" * 30, "binary", "is a Parquet file;"),
    (b"\x1f\x8b" + b"\0" * 30, "binary", "is a gzip file;"),
    (GOLD.encode("utf-16"), "encoding", "is UTF-16"),
    (GOLD.encode("utf-16-le"), "encoding", "is UTF-16"),
    (GOLD.encode("utf-32"), "encoding", "is UTF-32"),
    (GOLD.encode("utf-32-be"), "encoding", "is UTF-32"),
]


@pytest.mark.parametrize(("content", "kind", "said"), FORMS)
def test_what_the_file_is(tmp_path: Path, content: bytes, kind: str, said: str) -> None:
    (tmp_path / "gold.csv").write_text(GOLD)
    (tmp_path / "given.csv").write_bytes(content)
    verdict = table_match(str(tmp_path / "given.csv"), str(tmp_path / "gold.csv"), None, True)
    assert (verdict.state, verdict.reason, verdict.evidence["kind"]) == ("wrong", "unreadable_prediction", kind)
    assert f"given.csv {said}" in verdict.evidence["problem"]


@pytest.mark.parametrize("text", ["doc\n{}\n", "[a,b]\n1,2\n", "a|b\n1\n", "x\n-\n", "note\n<table>\n", ""])
def test_what_may_well_be_csv(tmp_path: Path, text: str) -> None:
    (tmp_path / "given.csv").write_text(text)
    assert other_form(tmp_path / "given.csv") == ("", "")


def test_a_right_table_of_json_stays_right(tmp_path: Path) -> None:
    """A file is only looked at again where it is not right as it stands."""
    for name in ("gold.csv", "given.csv"):
        (tmp_path / name).write_text('{}\n{"a": 1}\n')
    assert table_match(str(tmp_path / "given.csv"), str(tmp_path / "gold.csv"))
