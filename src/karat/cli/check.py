"""``karat check``: every mistake of every file at once, before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli import exits
from karat.cli.files import input_path
from karat.cli.options import ConfigOption, JsonOption, SettingsOption, SuiteOption, TableOption

if TYPE_CHECKING:
    from karat.cli.project import Work
    from karat.core.problems import Problem
    from karat.core.suite import LoadedCases


def check(
    cases: Annotated[
        Path | None, typer.Argument(help="Case file or folder. [default: the cases in karat.yaml]", callback=input_path)
    ] = None,
    suite: SuiteOption = None,
    structure: Annotated[
        list[Path] | None,
        typer.Option(
            "--structure",
            help="Check the codes against this file: SDMX-ML or SDMX-JSON structures, or a CSV with the columns codelist,id,name. Repeatable.",
            callback=input_path,
        ),
    ] = None,
    fix_names: Annotated[
        bool, typer.Option("--fix-names", help="Rewrite drifted names in the case files, keeping comments and layout.")
    ] = False,
    table: TableOption = None,
    response: Annotated[
        str | None,
        typer.Option(
            "--response",
            help="Read one response (a file, or - for standard input) as the suite would, and print what Karat understands from it.",
        ),
    ] = None,
    settings: SettingsOption = None,
    json: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """Check case files for mistakes and duplicate ids, and the prompts in karat.yaml. With --structure, also check every code and name.

    karat check cases/ --structure codelists.xml

    To check a sheet together with its tables:  karat check kitchen.sheet --table Ingredients=ingredients.csv

    To check a single response of an assistant before a whole run:  karat check --response reply.json --suite data_query

    Exit code 1 if there are mistakes (label drift alone is only a warning), 2 if the response cannot be read.
    """
    from karat.cli.printing import print_problems, stdout, write_json_value
    from karat.cli.project import unasked, work_to_do
    from karat.core.files.reading import is_empty
    from karat.core.problems import UserError, count_of

    if response is not None:
        from karat.cli.check_response import check_response

        check_response(response, suite, config, settings, json)
        return
    if fix_names and not structure:
        raise UserError("--fix-names needs --structure FILE", hint="The correct names are read from the structures.")
    if table and (cases is None or cases.suffix != ".sheet"):
        raise UserError(
            "--table can be used only with a sheet",
            hint="For example: karat check kitchen.sheet --table Goods=goods.csv",
        )
    if cases is not None and suite is None:
        suite = _suite_of(cases)
    problems: list[Problem] = []
    counts: list[str] = []
    fixed: dict[str, int] = {}
    listed: list[dict[str, str]] = []
    for work in work_to_do("check", config=config, suite=suite, cases=cases, settings=settings):
        loaded = _sheet_with(work.cases, table) if table else work.suite.load_cases(work.cases)
        if not loaded.cases and not loaded.problems and is_empty(work.cases):
            raise UserError(f"{work.cases} is empty", hint="Give a case file, or a folder of them.")
        found = work.suite.check_cases(loaded.cases, structure or [], work.options)
        asked = (*unasked(work, loaded.cases), *_prompt_problems(work, loaded))
        problems += [*loaded.problems, *found.problems, *asked]
        if fix_names and found.fixes:
            from karat.core.yaml.edit import apply_fixes

            fixed = apply_fixes(found.fixes)
            again = work.suite.load_cases(work.cases)
            problems = [*again.problems, *work.suite.check_cases(again.cases, structure or [], work.options).problems]
        name = work.suite.name
        listed += [{"suite": name, "id": case.id, "question": case.question} for case in loaded.cases]
        counts.append(f"{name}: {count_of(len(loaded.cases), 'case')} in {count_of(loaded.files, 'file')}")
    errors = [problem for problem in problems if problem.severity == "error"]
    warnings = len(problems) - len(errors)
    if json is not None:
        write_json_value({"problems": problems, "fixed": fixed, "cases": listed}, json)
    if json != "-":
        console = stdout()
        print_problems(problems, console, most=1_000)
        for file, names in sorted(fixed.items()):
            console.print(f"{file}: {count_of(names, 'name')} rewritten", style="green", markup=False)
        verdict = " · ".join(
            [*counts, count_of(len(errors), "mistake"), *([count_of(warnings, "warning")] if warnings else [])]
        )
        console.print(
            verdict if errors or warnings else f"{' · '.join(counts)} · no mistakes", style="bold", markup=False
        )
    if errors:
        raise typer.Exit(exits.BROKEN)


def _prompt_problems(work: Work, loaded: LoadedCases) -> Sequence[Problem]:
    """What is wrong with the prompt of the system that is asked, seen by rendering it for the first cases."""
    from karat.core.problems import Problem, UserError
    from karat.runs.prompting import ready

    if work.config is None:
        return ()
    try:
        ready(work.config, work.suite, loaded.cases, work.options)
    except UserError as error:
        return error.problems or (Problem(error.message, hint=error.hint),)
    return ()


def _sheet_with(file: Path, tables: Sequence[str]) -> LoadedCases:
    """The questions of a sheet that is given tables, and every mistake in it. A sheet need not have questions."""
    from karat.cli.files import read_sheet_bytes
    from karat.cli.tune import bound_tables
    from karat.core.problems import Problem, UserError
    from karat.core.suite import LoadedCases
    from karat.sheet.checking import check
    from karat.sheet.evaluating import evaluation_of
    from karat.sheet.evaluation_table import evaluation_tables
    from karat.sheet.functions import FUNCTIONS
    from karat.sheet.outside import read_bound
    from karat.sheet.parsing import parse
    from karat.suites.retrieval.sheets import cases_of

    bound = bound_tables(tables)
    known = {name: tuple(found.columns) for name, found in read_bound(bound).items()}
    try:
        sheet = parse(read_sheet_bytes(file), str(file))
        problems = check(sheet, str(file), FUNCTIONS, known)
        if any(problem.severity == "error" for problem in problems) or not evaluation_tables(sheet):
            return LoadedCases((), problems, 1)
        questions = evaluation_of(sheet, folder=file.parent, tables=bound)
    except UserError as error:
        return LoadedCases((), error.problems or (Problem(error.message, file=str(file), hint=error.hint),), 1)
    return LoadedCases(cases_of(questions, str(file)), problems, 1)


def _suite_of(path: Path) -> str:
    """The suite whose cases these look like."""
    from karat.cli.files import near_path
    from karat.core import plugins
    from karat.core.files.kinds import LOOKED_AT
    from karat.core.files.reading import GZIP, is_empty, open_bytes, refuse_foreign
    from karat.core.problems import UserError

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
    names = plugins.names("karat.suites")
    found = [name for name in names if plugins.load_suite(name).recognises(path)]
    if not found:
        raise UserError(
            f"cannot tell which suite the cases in {path} are for", hint=f"Choose one: --suite {' | '.join(names)}"
        )
    return found[0]
