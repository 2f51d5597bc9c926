"""Text from files and systems cannot act on the terminal: it is shown, not obeyed."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

from karat.cli import main
from karat.cli.printing.terminal import Terminal

ATTACKS = {
    "colour": "\x1b[31mred",
    "title": "\x1b]0;owned\x07",
    "link": "\x1b]8;;http://evil\x1b\\x",
    "c1": "\x9b31mred",
    "cursor": "a\x08b\x1b[2J",
    "bidi": "a\u202eb\u2066c\u061c",
    "markup": "[red]x[/red] [link=http://evil]y[/link] :smile:",
    "tag": "a\U000e0041",
}


@pytest.mark.parametrize("text", ATTACKS.values(), ids=ATTACKS)
def test_no_text_acts(text: str) -> None:
    out = io.StringIO()
    console = Terminal(file=out)
    table = Table(box=None)
    table.add_column("name")
    table.add_row(text)
    for thing in (text, Text(text), table):
        console.print(thing)
    said = out.getvalue()
    assert not [sign for sign in said if not sign.isprintable() and sign != "\n"]
    if "[" in text and text.isprintable():
        assert said.count(text) == 3


CASE = """id: "one\\e[31m"
name: "[red]n"
tags: ["t\\e]0;owned\\a"]
conversation:
- role: user
  content: "How\\u202e many?"
  target: {indicator_selection: [{dataset_id: A:B, dimensions: [{dimension_name: C, values: [{id: D, name: E}]}]}]}
"""


def test_a_whole_run_with_hostile_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    Path("one.yaml").write_text(CASE)
    lines = [{"id": "one\x1b[31m", "error": "it\x1b[2J said [red]no"}, {"id": "\x1b[31mtwo", "x": 1}]
    Path("answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    name = "run\x1b]0;owned\x07 [red]x\u202e"
    run = ["run", "--suite", "data_query", "--cases", "one.yaml", "--predictions", "answers.jsonl", "--name", name]
    said = ""
    for words, code in (
        (run, 3),
        (["runs", "list"], 0),
        (["runs", "show"], 0),
        (["report", "--json"], 0),
        (["nothing\x1b[31m"], 2),
    ):
        monkeypatch.setattr(sys, "argv", ["karat", *words])
        with pytest.raises(SystemExit) as stopped:
            main.main()
        printed = capsys.readouterr()
        assert stopped.value.code == code, printed
        if "--json" not in words:
            said += printed.out + printed.err
    assert "\\x1b]0;owned" in said
    assert "[red]x\\u202e" in said
    if stray := sorted({sign for sign in said if not sign.isprintable() and sign != "\n"}):
        raise AssertionError([(sign, said[max(0, said.index(sign) - 60) : said.index(sign) + 20]) for sign in stray])
