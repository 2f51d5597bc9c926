"""``karat check`` and ``karat.check``: every mistake of every file at once, before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core import plugins
from karat.core.case_files.case_checks import Fix
from karat.core.case_files.drafts import is_draft
from karat.core.case_files.loaded import LoadedCases
from karat.core.files.reading import is_empty
from karat.core.json_types import JsonMapping
from karat.core.problems import Problem, UserError
from karat.core.remote.paths import local_input, local_path, local_tables
from karat.core.suite import Suite, SuiteOptions
from karat.verbs.inputs.loading import VALUES, Cases, options_for, read_cases

if TYPE_CHECKING:
    from karat.verbs.inputs.work import Work


def check(
    suite: str,
    cases: Cases,
    *,
    structures: Sequence[str | Path] = (),
    options: JsonMapping | None = None,
    folder: str | Path = "",
) -> tuple[Problem, ...]:
    """Every mistake in the cases, and with structures every unknown code and drifted name.

    >>> import karat
    >>> for problem in karat.check(suite="retrieval", cases=[{"id": "q1", "relevent": ["lemon"]}]):
    ...     print(problem.message, "|", problem.hint)
    case 1: unknown key "relevent" in a case | Did you mean "relevant"?
    """
    chosen = plugins.load_suite(suite)
    settings = options_for(chosen, options)
    return check_cases(chosen, cases, settings, structures=structures, folder=folder).problems


class Checked(msgspec.Struct, frozen=True):
    """What is in the files of one suite, and what is wrong with it. Drafts are checked, and counted apart."""

    suite: str
    loaded: LoadedCases
    problems: tuple[Problem, ...]
    drafts: int = 0
    fixed: dict[str, int] = {}
    """File → names that were rewritten in it."""


def check_cases(
    suite: Suite,
    cases: Cases,
    options: SuiteOptions,
    *,
    structures: Sequence[str | Path] = (),
    tables: Mapping[str, Path] | None = None,
    fix_names: bool = False,
    folder: str | Path = "",
) -> Checked:
    """Check cases of one suite. ``tables`` are those of a sheet; ``fix_names`` rewrites drifted names in the files."""
    files = [local_path(file) for file in structures]
    cases = local_input(cases)
    if fix_names and not files:
        raise UserError("--fix-names needs --structure FILE", hint="The correct names are read from the structures.")
    loaded = _sheet_with(Path(str(cases)), local_tables(tables)) if tables else read_cases(suite, cases, folder)
    if not loaded.cases and not loaded.problems:
        if not isinstance(cases, str | Path):
            raise UserError("no cases were given", hint=VALUES)
        if is_empty(cases):
            raise UserError(f"{cases} is empty", hint="Give a case file, or a folder of them.")
        if Path(str(cases)).suffix != ".sheet":  # a sheet need not have questions
            raise UserError(f"there are no cases in {cases}", hint="Give a case file, or a folder of them.")
    found = suite.check_cases((*loaded.cases, *loaded.flawed), files, options)
    fixes = _fixes_of_sound(found.fixes, loaded) if fix_names else []
    if fixes:
        from karat.core.yaml.edit import apply_fixes

        fixed = apply_fixes(fixes)
        again = read_cases(suite, cases, folder)
        left = suite.check_cases((*again.cases, *again.flawed), files, options).problems
        return _checked(suite, again, (*again.problems, *left), fixed)
    return _checked(suite, loaded, (*loaded.problems, *found.problems))


def _checked(
    suite: Suite, loaded: LoadedCases, problems: tuple[Problem, ...], fixed: dict[str, int] | None = None
) -> Checked:
    kept = tuple(case for case in loaded.cases if not is_draft(case))
    drafts = len(loaded.cases) - len(kept)
    return Checked(suite.name, msgspec.structs.replace(loaded, cases=kept), problems, drafts, fixed or {})


def _fixes_of_sound(fixes: Sequence[Fix], loaded: LoadedCases) -> list[Fix]:
    """Nothing is written into a case that has other mistakes."""
    flawed = {(case.source.file, case.source.document, case.source.item) for case in loaded.flawed}

    def place(fix: Fix) -> tuple[str, int, int | None]:
        first = fix.path[0]
        return fix.file, fix.document, first if isinstance(first, int) else None

    return [fix for fix in fixes if place(fix) not in flawed]


def check_work(
    work: Work,
    *,
    structures: Sequence[str | Path] = (),
    tables: Mapping[str, Path] | None = None,
    fix_names: bool = False,
) -> Checked:
    """Check one suite of a project: its cases, and whether its system can be asked them."""
    from karat.verbs.inputs.work import unasked

    found = check_cases(work.suite, work.cases, work.options, structures=structures, tables=tables, fix_names=fix_names)
    asked = (*unasked(work, found.loaded.cases), *_prompt_problems(work, found.loaded))
    return msgspec.structs.replace(found, problems=(*found.problems, *asked))


def _prompt_problems(work: Work, loaded: LoadedCases) -> Sequence[Problem]:
    """What is wrong with the prompt of the system that is asked, seen by rendering it for the first cases."""
    from karat.runs.calls.prompts import ready

    if work.config is None:
        return ()
    try:
        ready(work.config, work.suite, loaded.cases, work.options)
    except UserError as error:
        return error.problems or (Problem(error.message, hint=error.hint),)
    return ()


def _sheet_with(file: Path, tables: Mapping[str, Path]) -> LoadedCases:
    """The questions of a sheet that is given tables, and every mistake in it. A sheet need not have questions."""
    from karat.suites.retrieval.sheets.cases import load_sheet

    if file.suffix != ".sheet":
        raise UserError(
            "--table can be used only with a sheet",
            hint="For example: karat check kitchen.sheet --table Goods=goods.csv",
        )
    return load_sheet(file, tables)


def suite_of(path: Path) -> str:
    """The suite whose cases these look like."""
    from karat.core.files.kinds import LOOKED_AT
    from karat.core.files.near_paths import near_path
    from karat.core.files.reading import GZIP, open_bytes, refuse_foreign

    if not path.exists():
        raise UserError(
            f"there are no cases at {path}: no such file or folder",
            hint=near_path(path, "Give a case file, a folder of them, or a .sheet file."),
        )
    if path.is_file():
        with open_bytes(path) as file:
            start = file.read(LOOKED_AT)
        if is_empty(path):
            raise UserError(f"{path} is empty", hint="Give a case file, or a folder of them.")
        if not start.startswith(GZIP):
            refuse_foreign(path, start, utf_16=True)
    found = [suite.name for suite in plugins.suites() if suite.recognises(path)]
    if not found:
        raise UserError(
            f"cannot tell which suite the cases in {path} are for",
            hint=f"Choose one: --suite {' | '.join(plugins.names(plugins.SUITES))}",
        )
    return min(found, key=lambda name: plugins.is_own(plugins.SUITES, name))  # Karat's own take any YAML file
