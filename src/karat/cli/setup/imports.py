"""``karat import``: the questions and answers that somebody has, as cases and predictions of a suite."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli import exit_codes
from karat.cli.options.shared import complete_suites

if TYPE_CHECKING:
    from karat.imports.ambiguity import Unclear
    from karat.verbs.imports.cases import ImportedFile


def import_(
    file: Annotated[
        Path, typer.Argument(help="CSV, Excel, JSON lines, promptfoo, inspect_ai, LangSmith, Langfuse or OTLP file.")
    ],
    suite: Annotated[
        str, typer.Option("--suite", "-s", help="The suite, for example data_query.", autocompletion=complete_suites)
    ],
    maps: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="FIELD=COLUMN",
            help="Say which column holds question, expected, id, answer or tags; for data_query also dataset and "
            "dimension, for codegen reference and tables. ignore skips a column. Repeatable.",
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FOLDER", help="The folder to write to. [default: a folder with the file's name]"),
    ] = None,
    sheet: Annotated[
        str, typer.Option("--sheet", help="The sheet of an Excel file. [default: the only one that has contents]")
    ] = "",
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table", metavar="NAME=FILE", help="codegen: a table for every task that names none. Repeatable."
        ),
    ] = None,
    cases: Annotated[
        Path | None,
        typer.Option(
            "--cases", "-c", help="Cases that exist: write only the answers of the file, as predictions for them."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
) -> None:
    """Convert a file to cases, and to predictions if it contains answers.

    karat import questions.xlsx --suite data_query

    karat import log.csv --suite answers --map question=Prompt --map expected=Gold --map answer=Reply

    If a column's role is unclear, it asks on a terminal; elsewhere it stops with an error that lists the candidates.
    """
    from karat.cli.options.settings import bound_tables, column_maps
    from karat.verbs.imports.cases import import_cases

    if cases is not None:
        _answers(file, suite, cases, to, force, given=bool(maps or sheet or table))
        return
    maps_given, tables = column_maps(maps or ()), bound_tables(table or ())
    done = import_cases(file, suite, maps=maps_given, to=to, sheet=sheet, tables=tables, force=force, ask=_asked)
    _say(file, done)
    if done.skipped:
        raise typer.Exit(exit_codes.ERRORS)


def _answers(file: Path, suite: str, cases: Path, to: Path | None, force: bool, given: bool) -> None:
    from karat.cli.printing.consoles import notes, print_problems, stderr
    from karat.core.problems import UserError, count_of
    from karat.verbs.imports.answers import import_answers

    if given:
        raise UserError("--cases cannot be combined with --map, --sheet and --table")
    done = import_answers(file, suite, cases, to=to, force=force)
    print_problems(done.skipped, stderr())
    answers = f"{count_of(done.count, 'answer')} to {count_of(done.cases, 'case')}"
    notes().print(f"{done.source.format}: {answers}", markup=False, soft_wrap=True)
    for note in done.notes:
        notes().print(note, markup=False, soft_wrap=True)
    notes().print(f"saved {done.predictions}\n→ {shlex.join(done.command)}", markup=False, soft_wrap=True)
    for name in done.to_fill_in:
        words = f"Put the {name} of these cases in place of PATH."
        notes().print(words, markup=False, soft_wrap=True)
    if done.skipped:
        raise typer.Exit(exit_codes.ERRORS)


def _asked(unclear: Unclear) -> str:
    """What the person chooses; the error itself where nobody can be asked."""
    if not sys.stdin.isatty() or not unclear.candidates:
        raise unclear
    from karat.cli.printing.consoles import stderr

    console = stderr()
    console.print(f"{unclear.message}. Which is the {unclear.what}?", soft_wrap=True)
    for number, name in enumerate(unclear.candidates, start=1):
        console.print(f"  {number}  {name}", soft_wrap=True)
    none = " (empty: none)" if unclear.optional else ""
    while True:
        word = typer.prompt(f"number{none}", default="" if unclear.optional else None, show_default=False, err=True)
        if str(word).isdigit() and 1 <= int(word) <= len(unclear.candidates):
            return unclear.candidates[int(word) - 1]
        if unclear.optional and not word:
            return ""


def _say(file: Path, done: ImportedFile) -> None:
    from karat.cli.options.verbosity import quiet
    from karat.cli.printing.consoles import print_problems, stderr, stdout
    from karat.core.problems import count_of

    print_problems(done.skipped, stderr())
    if quiet():
        return
    console = stdout()
    console.print(
        f"{file}: {done.source.format}, {count_of(len(done.source.rows), 'row')}", style="bold", soft_wrap=True
    )
    for field, columns in done.fields.items():
        if field != "ignore":
            console.print(f"  {', '.join(columns)} → {field}", soft_wrap=True)
    if "id" not in done.fields:
        console.print("  ids are generated from the questions")
    if done.unused:
        console.print(f"  not used: {', '.join(done.unused)}", soft_wrap=True)
    for note in (*done.source.notes, *done.made.notes):
        console.print(f"  note: {note}", soft_wrap=True)
    console.print(
        f"wrote {count_of(done.made.count, 'case')}"
        + (f" and {count_of(done.made.answers, 'answer')}" if done.made.predictions else "")
        + f" into {done.folder}"
        + (f"; {count_of(len(done.skipped), 'row')} skipped" if done.skipped else ""),
        style="bold",
        soft_wrap=True,
    )
    cases = shlex.quote(str(done.folder / done.made.cases))
    console.print(f"  karat check {cases} --suite {done.suite}", soft_wrap=True)
    if done.made.predictions:
        answers = shlex.quote(str(done.folder / done.made.predictions))
        console.print(f"  karat score --suite {done.suite} --cases {cases} --predictions {answers}", soft_wrap=True)
