"""``karat import``: the questions and answers that somebody has, as cases and predictions of a suite."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NoReturn

import msgspec

from karat.core import plugins
from karat.core.case_files.import_rows import Imported, ImportRow
from karat.core.files.atomic import write_atomically, write_bytes
from karat.core.problems import Problem, UserError
from karat.core.remote.display_names import is_copy
from karat.core.remote.paths import local_path, local_tables
from karat.core.suite import Suite
from karat.imports.ambiguity import Unclear
from karat.imports.fields import fields_of
from karat.imports.reading import read_source
from karat.imports.rows import rows_for, unused
from karat.imports.source import Source

TABLES = "tables"
"""The field of a suite whose cases work on tables."""
Ask = Callable[[Unclear], str]
"""Chooses among the candidates for something that the file leaves open; empty: none of them. Raises what it is given
where nobody can choose."""


@dataclass(frozen=True)
class ImportedFile:
    """What became of a file."""

    source: Source
    fields: Mapping[str, Sequence[str]]
    """What each column was taken for: field → columns."""
    unused: Sequence[str]
    """Columns that were taken for nothing."""
    made: Imported
    skipped: Sequence[Problem]
    """The rows that no case could be made of, and why."""
    folder: Path
    suite: str


def no_choice(unclear: Unclear) -> NoReturn:
    """Nobody is there to ask: the error lists the candidates."""
    raise unclear


def import_cases(
    file: Path,
    suite: str,
    *,
    maps: Mapping[str, Sequence[str]] | None = None,
    to: Path | None = None,
    sheet: str = "",
    tables: Mapping[str, Path] | None = None,
    force: bool = False,
    ask: Ask = no_choice,
) -> ImportedFile:
    """Convert a file to cases, and to predictions if it contains answers. ``maps``: field → the columns that hold
    it."""
    chosen = plugins.load_suite(suite)
    if chosen.import_rows is None:
        raise UserError(f"the suite {suite} does not support import")
    given = {field: list(columns) for field, columns in (maps or {}).items()}
    file = local_path(file)
    source, fields = _understood(file, chosen, given, sheet, ask)
    rows, empty = rows_for(source, fields)
    rows = _with_tables(rows, chosen, local_tables(tables or {}))
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
    return ImportedFile(source, fields, unused(source, fields), made, left, folder, chosen.name)


def _folder_for(file: Path) -> Path:
    """A folder beside the file, with its name; for a remote file in the working folder."""
    name = file.name.partition(".")[0] or "imported"
    folder = name if name != file.name else f"{name}-cases"
    return Path(folder) if is_copy(file) else file.with_name(folder)


def _understood(
    file: Path, suite: Suite, given: dict[str, list[str]], sheet: str, ask: Ask
) -> tuple[Source, dict[str, list[str]]]:
    """The file and the meaning of its columns; asked for where it is not clear."""
    while True:
        try:
            source = read_source(file, sheet)
            break
        except Unclear as unclear:
            sheet = ask(unclear)
    while True:
        try:
            return source, fields_of(source, suite, given)
        except Unclear as unclear:
            answer = ask(unclear)
            given.setdefault((answer and unclear.what) or "ignore", []).extend(
                [answer] if answer else unclear.candidates
            )


def _with_tables(rows: list[ImportRow], suite: Suite, tables: Mapping[str, Path]) -> list[ImportRow]:
    """The rows, those that name no tables with the ones of ``--table``."""
    if not tables:
        return rows
    if TABLES not in suite.import_columns.own:
        takes = ", ".join(sorted(one.name for one in plugins.suites() if TABLES in one.import_columns.own))
        raise UserError(f"--table is for the suite {takes}: the cases of {suite.name} have no tables")
    paths = {name: str(file.absolute()) for name, file in tables.items()}
    for name, path in paths.items():
        if not Path(path).is_file():
            raise UserError(f"--table {name}: there is no file {path}")
    return [row if row.columns.get(TABLES) else replace(row, columns={**row.columns, TABLES: paths}) for row in rows]


def _placed(problem: Problem, file: Path, noun: str) -> Problem:
    return msgspec.structs.replace(
        problem, message=f"{file}: {noun} {problem.line} is skipped: {problem.message}", line=0
    )


def _write(made: Imported, suite: Suite, folder: Path, force: bool) -> None:
    """All files or none: they are tried in a folder beside, which the suite must be able to read, and then put in
    place."""
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
        write_atomically(folder / name, partial(shutil.copyfile, origin))
