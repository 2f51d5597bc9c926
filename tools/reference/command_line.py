"""Every command with its arguments and options, as ``--help`` has them."""

from __future__ import annotations

from typing import Any  # Any: the classes of Click under Typer have no public types

import typer.main

from karat.cli.main import app
from tools.reference.schema_tables import cell


def command_line() -> list[str]:
    """One section per command; a group has one per subcommand."""
    lines = ["# Reference: command line", "", "Every command as `karat COMMAND --help` prints it."]
    lines += ["[Command line](../cli.md) explains options, exit codes and outputs.", ""]
    group: Any = typer.main.get_command(app)
    context = typer.Context(group, info_name="karat")
    for name, command in group.commands.items():
        for part, leaf in getattr(command, "commands", {"": command}).items():
            if not leaf.hidden:
                lines += section(f"karat {name} {part}".strip(), leaf, context)
    return lines


def section(verb: str, command: Any, context: typer.Context) -> list[str]:
    """One command."""
    own = type(context)(command, info_name=verb)
    usage = " ".join([verb, *command.collect_usage_pieces(own)])
    lines = [f"## {verb}", "", f"    {usage}", ""]
    for paragraph in (command.help or "").split("\n\n"):
        lines += [" ".join(paragraph.split()).replace("<", "&lt;"), ""]
    records = [found for parameter in command.params if (found := parameter.get_help_record(own)) is not None]
    if records:
        lines += ["| argument or option | meaning |", "|---|---|"]
        lines += [f"| `{cell(name)}` | {cell(text)} |" for name, text in records] + [""]
    return lines
