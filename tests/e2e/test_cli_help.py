"""The help of every verb names values in words: PATH, N, NAME; no Python type shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from karat.cli.main import app


def verbs(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    inside = getattr(command, "commands", {})
    if not inside:
        yield path
    for name, one in inside.items():
        yield from verbs(one, (*path, name))


@pytest.mark.parametrize("verb", list(verbs(typer.main.get_command(app))), ids=" ".join)
def test_no_python_type_in_help(verb: tuple[str, ...]) -> None:
    said = CliRunner().invoke(app, [*verb, "--help"], env={"COLUMNS": "120"})
    assert said.exit_code == 0
    assert re.findall(r"<(?:[a-z]+(?: range)?|list\[\w+\])>", said.output) == []


def test_values_are_named() -> None:
    said = CliRunner().invoke(app, ["run", "--help"], env={"COLUMNS": "120"}).output
    for words in ("--cases PATH", "--suite NAME", "--workers N", "--tag NAME", "--store URL"):
        assert words in said
    assert "function, sheet." in " ".join(said.split())
