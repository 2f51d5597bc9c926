"""``karat tune``: the best n and model for each field of a sheet's evaluation table, and how far to trust them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from karat.cli.options.shared import ExecutorOption, JsonOption, PassesOption, RequireOption, TableOption, XlsxOption

if TYPE_CHECKING:
    from karat.search.choose.result import Tuning


def tune(
    file: Annotated[Path, typer.Argument(help="A .sheet file with a table marked !evaluation().")],
    budget_tokens: Annotated[
        int,
        typer.Option("--budget-tokens", min=1, metavar="N", help="Token budget for all retrieved values together."),
    ] = 2000,
    max_n: Annotated[
        int | None,
        typer.Option("--max-n", min=1, metavar="N", help="The largest number of values to retrieve per field."),
    ] = None,
    passes: PassesOption = "all",
    require: RequireOption = None,
    models: Annotated[
        str, typer.Option("--models", metavar="A,B", help="The models to choose from; karat models lists them.")
    ] = "bm25,wordllama",
    table: TableOption = None,
    evaluation: Annotated[
        str, typer.Option("--evaluation", metavar="NAME", help="The evaluation table, if the sheet has several.")
    ] = "",
    encoding: Annotated[
        Literal["o200k_base", "cl100k_base"], typer.Option("--encoding", help="How tokens are counted.")
    ] = "o200k_base",
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds",
            min=0.1,
            help="Time limit for proving the optimum; after it, use the best choice so far and show its gap.",
        ),
    ] = 60.0,
    executor: ExecutorOption = None,
    json: JsonOption = None,
    xlsx: XlsxOption = None,
) -> None:
    """Choose n and model for each field within a token budget: most questions passed, then highest recall, then fewest
    tokens.

    karat tune kitchen.sheet --table Ingredients=ingredients.csv

    Vectors are cached in .karat/vectors of the sheet's project, or of this folder, so a second run embeds nothing.
    """
    from karat.cli.options.settings import bound_tables, named_models
    from karat.cli.printing.consoles import notes
    from karat.cli.printing.outputs import write_json_value
    from karat.cli.printing.progress import ranking_progress
    from karat.verbs import tune as verb

    names, tables = named_models(models), bound_tables(table or ())
    with ranking_progress() as watch:
        tuned = verb.tune(
            file,
            tables=tables,
            evaluation=evaluation,
            budget_tokens=budget_tokens,
            max_n=max_n,
            passes=passes,
            require=require or (),
            models=names,
            encoding=encoding,
            seconds=seconds,
            watch=watch,
            executor=executor,
        )
    written = []
    if xlsx is not None:
        from karat.reports.excel.workbook import write_xlsx
        from karat.search.choose.report import report_of

        write_xlsx(report_of(tuned.tuning, tuned.name), xlsx)
        written.append(str(xlsx))
    if json is not None:
        write_json_value(tuned.tuning, json)
        written += [json] if json != "-" else []
    for warning in tuned.tuning.warnings:
        notes().print(f"warning: {warning}", style="yellow", markup=False, soft_wrap=True)
    if json != "-":
        print_tuning(tuned.name, tuned.tuning, written)


def print_tuning(name: str, tuning: Tuning, written: list[str]) -> None:
    """What look.md's sketch shows: the answer, how good it is, what is missing, what more would cost."""
    from karat.cli.printing.consoles import stdout
    from karat.search.choose.text import heading_of, lines_of

    console = stdout()
    console.print(heading_of(name, tuning), style="bold", markup=False, highlight=False, soft_wrap=True)
    for line in lines_of(tuning):
        console.print(f"  {line}".rstrip(), markup=False, highlight=False, soft_wrap=True)
    for out in written:
        console.print(f"saved {out}", markup=False, highlight=False, soft_wrap=True)
