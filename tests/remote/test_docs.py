"""The commands of docs/config.md, "Files elsewhere", run as printed."""

from __future__ import annotations

import re

import pytest
from typer.testing import CliRunner

from karat.cli.main import app
from tests.conftest import ROOT
from tests.remote.conftest import Bucket


def test_the_commands_of_the_page_run(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "config.md").read_text(encoding="utf-8")
    section = page.partition("## Files elsewhere\n")[2].partition("\n## ")[0]
    (block,) = re.findall(r"^```text\n(.*?)^```$", section, re.M | re.S)
    examples = ROOT / "examples"
    bucket.put_folder(examples / "data_query" / "cases", "cases")
    for folder in ("gold", "submission"):
        bucket.put_folder(examples / "answers" / folder, folder)
    bucket.put_folder(examples / "retrieval", "shop")
    commands = block.replace("team-data", bucket.name).splitlines()
    assert len(commands) == 3
    for command in commands:
        words = command.split()
        done = CliRunner().invoke(app, words[1:])
        assert words[0] == "karat" and done.exit_code == 0, f"{command}\n{done.output}\n{done.exception!r}"
    assert bucket.get("reports/answers.xlsx").startswith(b"PK") and bucket.get("reports/tuning.json")
