"""``karat sheet``: evaluate a sheet, show how it is computed, lay it out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core.problems import Problem, UserError, count_of, did_you_mean
from karat.core.remote.paths import local_path, local_tables

if TYPE_CHECKING:
    from karat.sheet import Sheet, Workbook
    from karat.sheet.plan.nodes import Plan

Tables = Mapping[str, Path]
"""The name of a table → the file it comes from."""
MODELS = ("bm25", "wordllama")
"""The models that are chosen from unless others are named."""


def evaluate_sheet(
    file: Path,
    *,
    tables: Tables | None = None,
    only: Sequence[str] = (),
    budget_tokens: int = 2000,
    max_n: int | None = None,
    passes: str = "all",
    require: Sequence[str] = (),
    models: Sequence[str] = MODELS,
) -> tuple[Workbook, tuple[Problem, ...]]:
    """The tables of a sheet, and the warnings about it. A cell that could not be computed is among the workbook's
    problems."""
    from karat.core.files.project_folder import vectors_folder
    from karat.sheet import Settings, evaluate

    file, bound = local_path(file), local_tables(tables or {})
    sheet, warnings = read_sheet(file, bound)
    known = [*(table.name for table in sheet.tables), *bound]
    for name in only:
        if name not in known:
            raise UserError(f"--only {name}: there is no such table", hint=did_you_mean(name, known))
    settings = Settings(
        budget_tokens,
        max_n,
        tuple(models),
        vectors=vectors_folder(file),
        passes=passes,
        required=tuple(require),
    )
    workbook = evaluate(sheet, folder=file.parent, tables=bound, settings=settings, only=only, file=str(file))
    return workbook, warnings


def plan_sheet(file: Path, *, tables: Tables | None = None) -> tuple[Plan, tuple[Problem, ...]]:
    """How a sheet is computed, and the warnings about it."""
    from karat.sheet import make_plan
    from karat.sheet.compute.resources import read_bound

    file, bound = local_path(file), local_tables(tables or {})
    sheet, warnings = read_sheet(file, bound)
    return make_plan(sheet, bound=read_bound(bound)), warnings


class Formatted(msgspec.Struct, frozen=True):
    """The files whose layout was not the standard one."""

    changed: tuple[Path, ...]
    failed: UserError | None = None
    """What could not be read; the other files are still formatted."""


def format_sheets(files: Sequence[Path], *, write: bool = True) -> Formatted:
    """Lay out sheets in the standard style, in place; without ``write`` only find those that would change."""
    from karat.core.files.atomic import write_bytes
    from karat.sheet import format_sheet, parse

    changed: list[Path] = []
    failed: list[UserError] = []
    for file in [local_path(file) for file in files]:
        before = read_sheet_bytes(file)
        try:
            after = format_sheet(parse(before, str(file))).encode()
        except UserError as error:
            failed.append(error)
            continue
        if after != before:
            changed.append(file)
            if write:
                write_bytes(file, after)
    if len(failed) < 2:
        return Formatted(tuple(changed), failed[0] if failed else None)
    problems = [problem for error in failed for problem in error.problems]
    return Formatted(
        tuple(changed), UserError(f"{count_of(len(failed), 'file')} cannot be read as sheets", problems=problems)
    )


def read_sheet(file: Path, tables: Tables) -> tuple[Sheet, tuple[Problem, ...]]:
    """A sheet without mistakes that can be seen before it is computed, and its warnings. All mistakes are reported at
    once."""
    sheet, problems = checked_sheet(file, columns_of(tables))
    mistakes = [problem for problem in problems if problem.severity == "error"]
    if mistakes:
        raise UserError(f"{count_of(len(mistakes), 'mistake')} in {file}", problems=problems)
    return sheet, problems


def columns_of(tables: Tables) -> dict[str, Collection[str]]:
    """The columns of each table that comes from a file."""
    from karat.sheet.compute.resources import read_bound

    return {name: tuple(table.columns) for name, table in read_bound(tables).items()}


def checked_sheet(file: Path, known: Mapping[str, Collection[str]]) -> tuple[Sheet, tuple[Problem, ...]]:
    """A sheet and everything that is wrong with it. ``known``: the columns of tables that come from files."""
    from karat.sheet import FUNCTIONS, check_sheet, parse

    sheet = parse(read_sheet_bytes(file), str(file))
    return sheet, check_sheet(sheet, str(file), FUNCTIONS, known)


def read_sheet_bytes(file: Path) -> bytes:
    """The contents of a .sheet file."""
    from karat.core.files.near_paths import near_path
    from karat.core.files.reading import read_bytes

    try:
        return read_bytes(file)
    except OSError as error:
        hint = "Give a .sheet file."
        raise UserError(
            f"{file} cannot be read: {error.strerror}", hint=hint if file.exists() else near_path(file, hint)
        ) from None
