"""``karat sheet``: evaluate a sheet and print its tables; ``plan`` shows how it is computed, ``fmt`` lays it out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from karat.cli import exits
from karat.cli.files import input_path
from karat.cli.options import JsonOption, TableOption, XlsxOption

if TYPE_CHECKING:
    from karat.sheet.tree import Sheet
    from karat.sheet.workbook import Workbook

SHOW = "show"


class SheetGroup(TyperGroup):
    """``karat sheet FILE`` is ``karat sheet show FILE``: what is no verb of its own is a file to show."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = (*self.commands, "-h", "--help")
        return super().parse_args(ctx, [SHOW, *args] if args and args[0] not in own else args)


app = typer.Typer(
    cls=SheetGroup,
    help="Evaluate a sheet and print its tables: karat sheet FILE. For the options, see karat sheet show --help.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

FileArgument = Annotated[Path, typer.Argument(help="A .sheet file.", callback=input_path)]


@app.command(SHOW)
def show(
    file: FileArgument,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="TABLE", help="Show only this table. Repeatable.")
    ] = None,
    table: TableOption = None,
    budget_tokens: Annotated[
        int,
        typer.Option("--budget-tokens", min=1, metavar="N", help="Token budget of EVALUATE_N for all fields together."),
    ] = 2000,
    max_n: Annotated[
        int | None, typer.Option("--max-n", min=1, metavar="N", help="The largest n that may be chosen.")
    ] = None,
    models: Annotated[
        str, typer.Option("--models", metavar="A,B", help="The models to choose from; karat models lists them.")
    ] = "bm25,wordllama",
    json: JsonOption = None,
    csv: Annotated[
        str | None,
        typer.Option(
            "--csv",
            metavar="[OUT]",
            help="Write one table to this file, or several tables to this folder. Without a name, or with -, print one table.",
        ),
    ] = None,
    xlsx: XlsxOption = None,
) -> None:
    """Evaluate a sheet and print its tables.

    karat sheet kitchen.sheet --table Ingredients=ingredients.csv

    Exit code 1 if a cell could not be computed; the other cells are still shown.
    """
    from karat.cli.compare import one_printed
    from karat.cli.printing import print_problems, stderr, write_json_value
    from karat.cli.sheet_output import print_workbook, write_csv, write_workbook
    from karat.cli.tune import bound_tables, named_models
    from karat.core.files.project_folder import vectors_folder
    from karat.sheet.evaluating import Settings, evaluate

    one_printed(json, csv)
    bound = bound_tables(table or ())
    sheet = read_sheet(file, bound)
    wanted = _known_tables(only or [], sheet, bound)
    settings = Settings(budget_tokens, max_n, tuple(named_models(models)), vectors=vectors_folder(file))
    workbook = evaluate(sheet, folder=file.parent, tables=bound, settings=settings, only=wanted, file=str(file))
    written: list[str] = []
    if xlsx is not None:
        write_workbook(workbook, file.stem, xlsx)
        written.append(str(xlsx))
    if csv is not None:
        written += write_csv(workbook, csv)
    if json is not None:
        write_json_value(workbook.plain() | {"choices": _choices(workbook)}, json)
        written += [json] if json != "-" else []
    if "-" not in (json, csv):
        print_workbook(workbook, written)
    print_problems(workbook.problems, stderr())
    if workbook.problems:
        raise typer.Exit(exits.BROKEN)


@app.command("plan")
def plan(
    file: FileArgument,
    table: TableOption = None,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print a Mermaid flowchart.")] = False,
) -> None:
    """Show the computation graph of a sheet: every node once, with its inputs."""
    from karat.cli.terminal import write_out
    from karat.cli.tune import bound_tables
    from karat.sheet.outside import read_bound
    from karat.sheet.plan import make_plan
    from karat.sheet.plan_text import plan_mermaid, plan_text

    bound = bound_tables(table or ())
    made = make_plan(read_sheet(file, bound), bound=read_bound(bound))
    write_out((plan_mermaid(made) if mermaid else plan_text(made)).encode("utf-8", "replace"))


@app.command("fmt")
def fmt(
    files: Annotated[list[Path], typer.Argument(help="Sheets to format, in place.", callback=input_path)],
    check: Annotated[
        bool, typer.Option("--check", help="Do not change files; exit code 1 if a file would be changed.")
    ] = False,
) -> None:
    """Format sheets in a standard style. Comments and meaning do not change."""
    from karat.cli.files import read_sheet_bytes
    from karat.cli.printing import stdout
    from karat.core.files.atomic import write_bytes
    from karat.core.problems import UserError, count_of
    from karat.sheet.formatting import format_sheet
    from karat.sheet.parsing import parse

    changed = 0
    failed: list[UserError] = []
    for file in files:
        before = read_sheet_bytes(file)
        try:
            after = format_sheet(parse(before, str(file))).encode()
        except UserError as error:  # the other files are still formatted
            failed.append(error)
            continue
        if after != before:
            changed += 1
            if not check:
                write_bytes(file, after)
            stdout().print(f"{'would change' if check else 'changed'} {file}", markup=False, soft_wrap=True)
    if failed:
        problems = [problem for error in failed for problem in error.problems]
        message = failed[0].message if len(failed) == 1 else f"{count_of(len(failed), 'file')} cannot be read as sheets"
        raise UserError(message, hint=failed[0].hint if len(failed) == 1 else "", problems=problems)
    if not changed:
        stdout().print(f"{count_of(len(files), 'file')} already formatted", markup=False)
    if check and changed:
        raise typer.Exit(exits.BROKEN)


def read_sheet(file: Path, bound: dict[str, Path]) -> Sheet:
    """A sheet without mistakes that can be seen before it is computed; all mistakes are reported at once."""
    from karat.cli.files import read_sheet_bytes
    from karat.cli.printing import print_problems, stderr
    from karat.core.problems import UserError, count_of
    from karat.sheet.checking import check
    from karat.sheet.functions import FUNCTIONS
    from karat.sheet.outside import read_bound
    from karat.sheet.parsing import parse

    sheet = parse(read_sheet_bytes(file), str(file))
    known = {name: table.names for name, table in read_bound(bound).items()}
    problems = check(sheet, str(file), FUNCTIONS, known)
    mistakes = [problem for problem in problems if problem.severity == "error"]
    if mistakes:
        raise UserError(f"{count_of(len(mistakes), 'mistake')} in {file}", problems=problems)
    print_problems(problems, stderr())
    return sheet


def _known_tables(only: list[str], sheet: Sheet, bound: dict[str, Path]) -> list[str]:
    from karat.core.problems import UserError, did_you_mean

    known = [*(table.name for table in sheet.tables), *bound]
    for name in only:
        if name not in known:
            raise UserError(f"--only {name}: there is no such table", hint=did_you_mean(name, known))
    return only


def _choices(workbook: Workbook) -> dict[str, Any]:
    """What was chosen for each evaluation table."""
    import msgspec

    return {
        name: {
            "fields": [msgspec.to_builtins(pick) for pick in choice.picks],
            "passed": choice.passed,
            "questions": choice.questions,
            "mean_recall": choice.mean_recall,
            "optimal": choice.optimal,
        }
        for name, choice in workbook.choices.items()
    }
