"""``karat sheet``: evaluate a sheet and print its tables; ``plan`` shows how it is computed, ``fmt`` lays it out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any  # Any: the context is a class of Click or of Typer, by its version

import typer
from typer.core import TyperGroup

from karat.cli import exit_codes
from karat.cli.options.shared import JsonOption, PassesOption, RequireOption, TableOption, XlsxOption
from karat.core.json_types import JsonObject

if TYPE_CHECKING:
    from karat.sheet import Workbook

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

FileArgument = Annotated[Path, typer.Argument(help="A .sheet file.")]


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
    passes: PassesOption = "all",
    require: RequireOption = None,
    models: Annotated[
        str, typer.Option("--models", metavar="A,B", help="The models to choose from; karat models lists them.")
    ] = "bm25,wordllama",
    json: JsonOption = None,
    csv: Annotated[
        str | None,
        typer.Option(
            "--csv",
            metavar="[OUT]",
            help="Write one table to this file, or several tables to this folder. Without a name, or with -, print one "
            "table.",
        ),
    ] = None,
    xlsx: XlsxOption = None,
) -> None:
    """Evaluate a sheet and print its tables.

    karat sheet kitchen.sheet --table Ingredients=ingredients.csv

    Exit code 1 if a cell could not be computed; the other cells are still shown.
    """
    from karat.cli.options.settings import bound_tables, named_models
    from karat.cli.printing.consoles import print_problems, stderr
    from karat.cli.printing.outputs import one_printed, write_json_value
    from karat.cli.printing.sheet_tables import print_workbook
    from karat.verbs.exports.sheet_files import write_workbook
    from karat.verbs.sheet import evaluate_sheet

    one_printed(json, csv)
    tables, names = bound_tables(table or ()), named_models(models)
    workbook, warnings = evaluate_sheet(
        file,
        tables=tables,
        only=only or (),
        budget_tokens=budget_tokens,
        max_n=max_n,
        passes=passes,
        require=require or (),
        models=names,
    )
    print_problems(warnings, stderr())
    written: list[str] = []
    if xlsx is not None:
        write_workbook(workbook, file.stem, xlsx)
        written.append(str(xlsx))
    if csv is not None:
        written += _write_csv(workbook, csv)
    if json is not None:
        write_json_value(workbook.plain() | {"choices": _choices(workbook)}, json)
        written += [json] if json != "-" else []
    if "-" not in (json, csv):
        print_workbook(workbook, written)
    print_problems(workbook.problems, stderr())
    if any(problem.severity == "error" for problem in workbook.problems):
        raise typer.Exit(exit_codes.BROKEN)


def _write_csv(workbook: Workbook, out: str) -> list[str]:
    from karat.cli.printing.outputs import PRINTED, write_data
    from karat.core.problems import UserError
    from karat.verbs.exports.sheet_files import table_csv, write_csv

    if out != PRINTED:
        return write_csv(workbook, out)
    if len(workbook.tables) != 1:
        raise UserError("--csv - can print only one table", hint="Choose one with --only TABLE.")
    write_data(table_csv(workbook.tables[0]), PRINTED)
    return []


@app.command("plan")
def plan(
    file: FileArgument,
    table: TableOption = None,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print a Mermaid flowchart.")] = False,
) -> None:
    """Show the computation graph of a sheet: every node once, with its inputs."""
    from karat.cli.options.settings import bound_tables
    from karat.cli.printing.consoles import print_problems, stderr
    from karat.cli.printing.outputs import PRINTED, write_text
    from karat.sheet.plan.render import plan_mermaid, plan_text
    from karat.verbs.sheet import plan_sheet

    made, warnings = plan_sheet(file, tables=bound_tables(table or ()))
    print_problems(warnings, stderr())
    write_text(plan_mermaid(made) if mermaid else plan_text(made), PRINTED)


@app.command("fmt")
def fmt(
    files: Annotated[list[Path], typer.Argument(help="Sheets to format, in place.")],
    check: Annotated[
        bool, typer.Option("--check", help="Do not change files; exit code 1 if a file would be changed.")
    ] = False,
) -> None:
    """Format sheets in a standard style. Comments and meaning do not change."""
    from karat.cli.printing.consoles import stdout
    from karat.core.problems import count_of
    from karat.verbs.sheet import format_sheets

    done = format_sheets(files, write=not check)
    for file in done.changed:
        stdout().print(f"{'would change' if check else 'changed'} {file}", markup=False, soft_wrap=True)
    if done.failed is not None:
        raise done.failed
    if not done.changed:
        stdout().print(f"{count_of(len(files), 'file')} already formatted", markup=False)
    if check and done.changed:
        raise typer.Exit(exit_codes.BROKEN)


def _choices(workbook: Workbook) -> JsonObject:
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
