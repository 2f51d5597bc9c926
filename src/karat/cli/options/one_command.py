"""Only the command that was asked for is built. Typer would first read the annotations of every option of every
command, which takes as long as loading the store."""

from __future__ import annotations

import os
from collections.abc import Sequence
from copy import copy

import typer


def only_the_command(app: typer.Typer, words: Sequence[str]) -> typer.Typer:
    """The app with only the command, or the group of commands, that the first word names. It is the app itself where
    the first word is an option or no command, as Typer then lists all of them, and where a shell asks for
    completions."""
    if not words or any(name.endswith("_COMPLETE") for name in os.environ):
        return app
    found = copy(app)
    found.registered_commands = [one for one in app.registered_commands if one.name == words[0]]
    found.registered_groups = [one for one in app.registered_groups if one.name == words[0]]
    return found if found.registered_commands or found.registered_groups else app
