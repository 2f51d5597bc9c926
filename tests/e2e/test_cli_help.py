"""The help of every verb names values in words: PATH, N, NAME; no Python type shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from karat.cli.main import app
from karat.cli.options.one_command import only_the_command


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


def names_in(one: typer.Typer) -> set[str | None]:
    return {own.name for own in one.registered_commands} | {own.name for own in one.registered_groups}


def test_only_the_command_that_is_asked_for_is_built() -> None:
    names = names_in(app)
    for words, left in ((("compare", "a"), {"compare"}), (("runs", "list"), {"runs"}), (("--version",), names)):
        assert names_in(only_the_command(app, words)) == left
    assert only_the_command(app, ()) is only_the_command(app, ("comparee",)) is app
    whole, narrow = (CliRunner().invoke(one, ["compare", "-h"]) for one in (app, only_the_command(app, ("compare",))))
    assert whole.output == narrow.output
