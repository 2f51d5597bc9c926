"""``karat check``: every mistake of every file at once, before anything runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from karat.cli import exit_codes
from karat.cli.options.shared import ConfigOption, JsonOption, SettingsOption, SuiteOption, TableOption


def check(
    cases: Annotated[
        Path | None, typer.Argument(help="Case file or folder. [default: the cases in karat.yaml]")
    ] = None,
    suite: SuiteOption = None,
    structure: Annotated[
        list[Path] | None,
        typer.Option(
            "--structure",
            help="Check the codes against this file: SDMX-ML or SDMX-JSON structures, or a CSV with the columns "
            "codelist,id,name. Repeatable.",
        ),
    ] = None,
    fix_names: Annotated[
        bool, typer.Option("--fix-names", help="Rewrite drifted names in the case files, keeping comments and layout.")
    ] = False,
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            metavar="CODE",
            help="Language of the names that --fix-names writes, for example fr. [default: that of most names in the "
            "case]",
        ),
    ] = None,
    table: TableOption = None,
    questions: Annotated[
        Path | None,
        typer.Option("--questions", help="Questions with gold SQL; with --databases, the gold is executed."),
    ] = None,
    databases: Annotated[
        str,
        typer.Option("--databases", help="Where the databases are: a folder, a file, a URL, or a pattern with {db}."),
    ] = "",
    response: Annotated[
        str | None,
        typer.Option(
            "--response",
            help="Read one response (a file, or - for standard input) as the suite would, and print what Karat "
            "understands from it.",
        ),
    ] = None,
    settings: SettingsOption = None,
    json: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """Check case files for mistakes and duplicate ids, and the prompts in karat.yaml. With --structure, also check
    every code and name.

    karat check cases/ --structure codelists.xml

    To check a sheet together with its tables:  karat check kitchen.sheet --table Ingredients=ingredients.csv

    To check gold SQL by executing it:  karat check --questions team.yaml --databases warehouse.duckdb

    To check a single response of an assistant before a whole run:  karat check --response reply.json --suite data_query

    Exit code 1 if there are mistakes (label drift alone is only a warning), 2 if the response cannot be read, 3 if
    something could not be checked because an extra is not installed.
    """
    from json import dumps as json_text

    from karat.cli.options.settings import bound_tables
    from karat.cli.printing.consoles import print_problems, stdout
    from karat.cli.printing.outputs import write_json_value
    from karat.core.files.project_folder import FILE
    from karat.core.problems import count_of
    from karat.core.remote.paths import local_path
    from karat.verbs.check import check_work, suite_of
    from karat.verbs.inputs.work import work_to_do

    if response is not None:
        from karat.cli.setup.check_response import check_response

        check_response(response, suite, config, settings, json)
        return
    if questions is not None:
        cases, suite = questions, suite or "answers"
        settings = [*(settings or ()), *([f"databases={json_text(databases)}"] if databases else [])]
    if language is not None:
        settings = [*(settings or ()), f"language={language}"]
    tables = bound_tables(table or ())
    if cases is not None and config is None and (cases / FILE).is_file():
        config, cases = cases / FILE, None  # the folder of a project is the project
    if cases is not None and suite is None:
        cases = local_path(cases)
        suite = suite_of(cases)
    checked = [
        check_work(work, structures=structure or (), tables=tables, fix_names=fix_names)
        for work in work_to_do("check", config=config, suite=suite, cases=cases, settings=settings or ())
    ]
    problems = [problem for one in checked for problem in one.problems]
    fixed = {file: names for one in checked for file, names in one.fixed.items()}
    errors = [problem for problem in problems if problem.severity == "error"]
    unchecked = [problem for problem in problems if problem.missing_extra]
    warnings = len(problems) - len(errors) - len(unchecked)
    if json is not None:
        listed = [
            {"suite": one.suite, "id": case.id, "question": case.question}
            for one in checked
            for case in one.loaded.cases
        ]
        write_json_value({"problems": problems, "fixed": fixed, "cases": listed}, json)
    if json != "-":
        console = stdout()
        print_problems(problems, console, most=1_000)
        for file, names in sorted(fixed.items()):
            console.print(f"{file}: {count_of(names, 'name')} rewritten", style="green", markup=False)
        counts = [
            f"{one.suite}: {count_of(len(one.loaded.cases), 'case')} in {count_of(one.loaded.files, 'file')}"
            + (f" and {count_of(one.drafts, 'draft')}" if one.drafts else "")
            for one in checked
        ]
        said = [count_of(len(errors), "mistake") if errors or warnings else "no mistakes"]
        said += [count_of(warnings, "warning")] if warnings else []
        if unchecked:
            extras = ", ".join(sorted({problem.missing_extra for problem in unchecked}))
            said.append(f"{len(unchecked)} not checked (missing extra: {extras})")
        console.print(" · ".join([*counts, *said]), style="bold", markup=False)
    if errors:
        raise typer.Exit(exit_codes.BROKEN)
    if unchecked:
        raise typer.Exit(exit_codes.ERRORS)
