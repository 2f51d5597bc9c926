"""The help of every verb names values in words: PATH, N, NAME; no Python type shows."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from karat.cli.commands import SECTIONS
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


def modules_after(*words: str) -> set[str]:
    """The modules of commands that are loaded once the command line has run."""
    code = "import sys\nfrom karat.cli.main import app\ntry: app()\nexcept SystemExit: pass\nprint(*sys.modules)"
    command = [sys.executable, "-c", code, *words]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    places = {one.place.partition(":")[0] for section in SECTIONS.values() for one in section}
    return {place for place in places if f"karat.cli.{place}" in said.splitlines()[-1].split()}


def test_only_the_command_that_is_asked_for_is_loaded() -> None:
    assert modules_after("--help") == set()
    assert modules_after("compare", "--help") == {"stored_runs.compare"}
    assert modules_after("runs", "list", "--help") == {"stored_runs.runs"}


def test_every_command_has_its_line_in_the_help() -> None:
    said = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "120"}).output
    group: Any = typer.main.get_command(app)
    assert len(group.commands) == sum(map(len, SECTIONS.values()))
    for section in SECTIONS.values():
        for one in section:
            assert re.search(rf"^  {one.name} +{re.escape(one.short_help)}$", said, re.MULTILINE)
            assert group.commands[one.name].short_help == one.short_help


def test_a_misspelt_command_gets_the_nearest_one() -> None:
    assert "Did you mean 'compare'" in CliRunner().invoke(app, ["comparee"]).output
