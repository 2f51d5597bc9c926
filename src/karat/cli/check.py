"""``karat check``: every mistake of every file at once, before anything runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from karat.cli.options import ConfigOption, ExitOne, JsonOption, SettingsOption, SuiteOption


def check(
    cases: Annotated[Path | None, typer.Argument(help="Case file or folder. [default: those of karat.yaml]")] = None,
    suite: SuiteOption = None,
    structure: Annotated[
        list[Path] | None,
        typer.Option(
            "--structure",
            help="SDMX-ML or SDMX-JSON structures, or CSV codelist,id,name, to check the codes against; repeatable.",
        ),
    ] = None,
    fix_names: Annotated[
        bool, typer.Option("--fix-names", help="Rewrite drifted names in the case files, keeping comments and layout.")
    ] = False,
    settings: SettingsOption = None,
    json: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """Check case files: their form, duplicate ids, and with --structure every code and name.

    karat check cases/ --structure codelists.xml

    Exit code 1 when there are mistakes; label drift alone is a warning.
    """
    from karat.cli.printing import print_problems, stdout, write_json_value
    from karat.cli.project import work_to_do
    from karat.core.problems import Problem, UserError, count_of

    if fix_names and not structure:
        raise UserError("--fix-names needs --structure FILE", hint="The right names come from the structures.")
    if cases is not None and suite is None:
        suite = _suite_of(cases)
    problems: list[Problem] = []
    counts: list[str] = []
    fixed: dict[str, int] = {}
    for work in work_to_do(config=config, suite=suite, cases=cases, settings=settings):
        loaded = work.suite.load_cases(work.cases)
        found = work.suite.check_cases(loaded.cases, structure or [], work.options)
        problems += [*loaded.problems, *found.problems]
        if fix_names and found.fixes:
            from karat.core.yaml_edit import apply_fixes

            fixed = apply_fixes(found.fixes)
            again = work.suite.load_cases(work.cases)
            problems = [*again.problems, *work.suite.check_cases(again.cases, structure or [], work.options).problems]
        counts.append(f"{work.suite.name}: {count_of(len(loaded.cases), 'case')} in {count_of(loaded.files, 'file')}")
    errors = [problem for problem in problems if problem.severity == "error"]
    warnings = len(problems) - len(errors)
    if json is not None:
        write_json_value({"problems": problems, "fixed": fixed}, json)
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
        raise typer.Exit(ExitOne)


def _suite_of(path: Path) -> str:
    """The suite whose cases these look like."""
    from karat.core import plugins
    from karat.core.problems import UserError

    if not path.exists():
        raise UserError(f"there are no cases at {path}: no such file or folder")
    names = plugins.names("karat.suites")
    found = [name for name in names if plugins.load_suite(name).recognises(path)]
    if not found:
        raise UserError(f"{path} looks like the cases of no suite", hint=f"Say which: --suite {' | '.join(names)}")
    return found[0]
