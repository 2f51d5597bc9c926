"""Every command of ``karat``: its name, where its code is, and its line in the help.

A command is loaded when it is used. ``karat --help`` needs only this table, so it loads none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple  # Any: commands and contexts are classes of Click or of Typer, by its version

import typer
from typer.core import TyperGroup

from karat.cli.options.bare_options import accept_bare_options


class Listed(NamedTuple):
    """One command in the table."""

    name: str
    place: str
    """Module below ``karat.cli`` and the name in it: a function, or the app of a group of commands."""
    short_help: str


SECTIONS = {
    "Start": (
        Listed("demo", "setup.demo:demo", "Run the example projects."),
        Listed("init", "setup.init:init", "Start a new project."),
        Listed("doctor", "setup.doctor:doctor", "Show what works on this machine and what to install."),
    ),
    "Cases": (
        Listed("check", "setup.check:check", "Find all mistakes in the case files."),
        Listed("cases", "cases.app:app", "List, edit, add and propose cases."),
        Listed("import", "setup.imports:import_", "Turn a spreadsheet or another tool's file into cases."),
        Listed("structures", "setup.structures:structures", "List what SDMX structure files contain."),
        Listed("schema", "setup.schema:schema", "Print or write the JSON Schemas of Karat's files."),
    ),
    "Measure": (
        Listed("run", "measure.run:run", "Run the cases against a system and score its answers."),
        Listed("score", "measure.score:score", "Score recorded or stored answers without calling a system."),
        Listed("watch", "setup.watch:watch", "Score again whenever a file changes."),
        Listed("answers", "measure.answers:answers", "Score a submission folder against gold answers."),
        Listed("fill", "measure.fill:fill", "Make a test suite for a database from its gold SQL."),
        Listed("tune", "measure.tune:tune", "Choose the best n and model for each field of a sheet."),
        Listed("sheet", "measure.sheet:app", "Evaluate a sheet and print its tables."),
        Listed("models", "measure.models:models", "List the embedding models and what to install."),
        Listed("env", "setup.env:app", "Build, list and remove the Python environments of a project."),
    ),
    "Results": (
        Listed("runs", "stored_runs.runs:app", "List, show, tag and delete stored runs."),
        Listed("show", "stored_runs.show:show", "Show one case: expected, given, and how they differ."),
        Listed("compare", "stored_runs.compare:compare", "Compare stored runs case by case."),
        Listed("gate", "stored_runs.gate:gate", "Check a run against its gates; exit code 1 if one fails."),
        Listed("report", "stored_runs.report:report", "Write the report of a stored run: Excel, HTML, JSON."),
        Listed("serve", "stored_runs.serve:serve", "Browse, compare and review runs in a browser."),
        Listed("judge", "stored_runs.judge:app", "Ask a judge where no rule decides, and check it against people."),
        Listed("comment", "stored_runs.comment:comment", "Post the newest runs on a pull request."),
        Listed("export", "stored_runs.export:export", "Write answers, scores and reviews of a run to files."),
        Listed("explain", "setup.explain:explain", "Explain a metric or a failure reason."),
        Listed("store", "stored_runs.store:app", "Check, repair and move a store."),
    ),
}


class Commands(Mapping[str, Any]):
    """The commands by their names, each loaded when it is looked up."""

    def __init__(self) -> None:
        self._listed = {one.name: one for section in SECTIONS.values() for one in section}
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded[name] = _load(self._listed[name])
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._listed

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)


def _load(listed: Listed) -> Any:
    module, _, name = listed.place.partition(":")
    found = getattr(import_module(f"karat.cli.{module}"), name)
    holder = typer.Typer(rich_markup_mode=None)
    if isinstance(found, typer.Typer):
        holder.add_typer(found, name=listed.name, short_help=listed.short_help)
    else:
        holder.command(listed.name, short_help=listed.short_help)(found)
    accept_bare_options(holder)
    holder.callback()(lambda: None)  # with a callback it is a group, also of one command
    return typer.main.get_group(holder).commands[listed.name]


class Karat(TyperGroup):
    """``karat`` itself: its commands come from the table, and so does their list in the help."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = Commands()

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 (Click's signature)
        width = max(map(len, self.commands))
        for title, section in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(one.name.ljust(width), one.short_help) for one in section])
