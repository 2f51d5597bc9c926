"""``karat import``: the questions and answers that somebody has, as cases and predictions of a suite."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli import exits
from karat.cli.files import input_path
from karat.cli.options import complete_suites
from karat.core.remote.shown import is_copy

if TYPE_CHECKING:
    from karat.core.import_rows import Imported, ImportRow
    from karat.core.problems import Problem
    from karat.core.suite import Suite
    from karat.imports.source import Source
    from karat.imports.unclear import Unclear


def import_(
    file: Annotated[
        Path,
        typer.Argument(
            help="CSV, Excel, JSON lines, promptfoo, inspect_ai, LangSmith or Langfuse file.", callback=input_path
        ),
    ],
    suite: Annotated[
        str, typer.Option("--suite", "-s", help="The suite, for example data_query.", autocompletion=complete_suites)
    ],
    maps: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="FIELD=COLUMN",
            help="Say which column holds question, expected, id, answer or tags; for data_query also dataset and dimension, for codegen reference and tables. ignore skips a column. Repeatable.",
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
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
) -> None:
    """Convert a file to cases, and to predictions if it contains answers.

    karat import questions.xlsx --suite data_query

    karat import log.csv --suite answers --map question=Prompt --map expected=Gold --map answer=Reply

    If a column's role is unclear, it asks on a terminal; elsewhere it stops with an error that lists the candidates.
    """
    from karat.core import plugins
    from karat.core.problems import UserError
    from karat.imports.rows import rows_for, unused

    chosen = plugins.load_suite(suite)
    if chosen.import_rows is None:
        raise UserError(f"the suite {suite} does not support import")
    given = _given(maps or ())
    source, fields = _understood(file, suite, given, sheet)
    rows, empty = rows_for(source, fields)
    rows = _with_tables(rows, suite, table or ())
    made = chosen.import_rows(rows, file.resolve().parent)
    noun = "row" if source.format.startswith(("CSV", "Excel")) or "(CSV" in source.format else "line or item"
    left = [
        *source.problems,
        *(_placed(one, file, noun) for one in sorted([*empty, *made.left_out], key=lambda one: one.line)),
    ]
    if not made.count:
        raise UserError(
            f"no row of {file} can be turned into a case", hint="The reasons are listed above.", problems=left[:20]
        )
    folder = to or _folder_for(file)
    _write(made, chosen, folder, force)
    _say(file, source, fields, unused(source, fields), made, left, folder, chosen.name)
    if left:
        raise typer.Exit(exits.ERRORS)


def _folder_for(file: Path) -> Path:
    """A folder beside the file, with its name; for a remote file in the working folder."""
    name = file.name.partition(".")[0] or "imported"
    folder = name if name != file.name else f"{name}-cases"
    return Path(folder) if is_copy(file) else file.with_name(folder)


def _given(maps: Sequence[str]) -> dict[str, list[str]]:
    from karat.core.problems import UserError

    found: dict[str, list[str]] = {}
    for pair in maps:
        field, equals, column = pair.partition("=")
        if not equals or not field.strip() or not column.strip():
            raise UserError(f'--map "{pair}" is not FIELD=COLUMN', hint="For example --map question=Prompt")
        found.setdefault(field.strip(), []).append(column.strip())
    return found


def _understood(file: Path, suite: str, given: dict[str, list[str]], sheet: str) -> tuple[Source, dict[str, list[str]]]:
    """The file and the meaning of its columns; asked for on a terminal where it is not clear."""
    from karat.imports.fields import fields_of
    from karat.imports.reading import read_source
    from karat.imports.unclear import Unclear

    while True:
        try:
            source = read_source(file, sheet)
            break
        except Unclear as unclear:
            sheet = _asked(unclear)
    while True:
        try:
            return source, fields_of(source, suite, given)
        except Unclear as unclear:
            answer = _asked(unclear)
            given.setdefault((answer and unclear.what) or "ignore", []).extend(
                [answer] if answer else unclear.candidates
            )


def _with_tables(rows: list[ImportRow], suite: str, written: Sequence[str]) -> list[ImportRow]:
    """The rows, those that name no tables with the ones of ``--table``."""
    from dataclasses import replace

    from karat.cli.tune import bound_tables
    from karat.core.problems import UserError
    from karat.imports.fields import OWN

    if not written:
        return rows
    if "tables" not in OWN.get(suite, ()):
        takes = ", ".join(name for name, fields in OWN.items() if "tables" in fields)
        raise UserError(f"--table is for the suite {takes}: the cases of {suite} have no tables")
    tables = {name: str(file.absolute()) for name, file in bound_tables(written).items()}
    for name, path in tables.items():
        if not Path(path).is_file():
            raise UserError(f"--table {name}: there is no file {path}")
    return [
        row if row.columns.get("tables") else replace(row, columns={**row.columns, "tables": tables}) for row in rows
    ]


def _asked(unclear: Unclear) -> str:
    """What the person chooses; the error itself where nobody can be asked."""
    if not sys.stdin.isatty() or not unclear.candidates:
        raise unclear
    from karat.cli.printing import stderr

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


def _placed(problem: Problem, file: Path, noun: str) -> Problem:
    import msgspec

    return msgspec.structs.replace(
        problem, message=f"{file}: {noun} {problem.line} is skipped: {problem.message}", line=0
    )


def _write(made: Imported, suite: Suite, folder: Path, force: bool) -> None:
    """All files or none: they are tried in a folder beside, which the suite must be able to read, and then put in place."""
    from karat.core.files.atomic import write_atomically, write_bytes
    from karat.core.problems import UserError

    names = [*made.files, *made.copies]
    there = [folder / name for name in names if (folder / name).exists()]
    if there and not force:
        more = f" and {len(there) - 1} more" if len(there) > 1 else ""
        raise UserError(
            f"{there[0]}{more} would be overwritten", hint="Choose another folder with --to, or use --force."
        )
    with tempfile.TemporaryDirectory(prefix="karat-import-") as trial:
        place = Path(trial)
        for name, data in made.files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(data)
        for name, origin in made.copies.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).symlink_to(origin)
        loaded = suite.load_cases(place / made.cases)
        problems = list(loaded.problems)
        if made.predictions:
            problems += suite.read_predictions(place / made.predictions).problems
        if problems or len(loaded.cases) != made.count:
            raise UserError("the converted cases cannot be read back, so nothing was written", problems=problems[:20])
    for name, data in made.files.items():
        write_bytes(folder / name, data)
    for name, origin in made.copies.items():
        write_atomically(folder / name, lambda part, origin=origin: shutil.copyfile(origin, part))  # type: ignore[misc]


def _say(
    file: Path,
    source: Source,
    fields: Mapping[str, Sequence[str]],
    not_used: Sequence[str],
    made: Imported,
    left: Sequence[Problem],
    folder: Path,
    suite: str,
) -> None:
    from karat.cli.printing import print_problems, stderr, stdout
    from karat.cli.verbosity import quiet
    from karat.core.problems import count_of

    print_problems(left, stderr())
    if quiet():
        return
    console = stdout()
    console.print(f"{file}: {source.format}, {count_of(len(source.rows), 'row')}", style="bold", soft_wrap=True)
    for field, columns in fields.items():
        if field != "ignore":
            console.print(f"  {', '.join(columns)} → {field}", soft_wrap=True)
    if "id" not in fields:
        console.print("  ids are generated from the questions")
    if not_used:
        console.print(f"  not used: {', '.join(not_used)}", soft_wrap=True)
    for note in (*source.notes, *made.notes):
        console.print(f"  note: {note}", soft_wrap=True)
    console.print(
        f"wrote {count_of(made.count, 'case')}"
        + (f" and {count_of(made.answers, 'answer')}" if made.predictions else "")
        + f" into {folder}"
        + (f"; {count_of(len(left), 'row')} skipped" if left else ""),
        style="bold",
        soft_wrap=True,
    )
    cases = shlex.quote(str(folder / made.cases))
    console.print(f"  karat check {cases} --suite {suite}", soft_wrap=True)
    if made.predictions:
        answers = shlex.quote(str(folder / made.predictions))
        console.print(f"  karat score --suite {suite} --cases {cases} --predictions {answers}", soft_wrap=True)
