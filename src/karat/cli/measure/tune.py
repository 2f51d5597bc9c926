"""``karat tune``: the best n and model for each field of a sheet's evaluation table, for a BEIR folder or for recorded
runs, and how far to trust them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from karat.cli.options.shared import ExecutorOption, JsonOption, RequireOption, TableOption, XlsxOption

if TYPE_CHECKING:
    from karat.search.choose.reporting.result import Tuning


def tune(
    file: Annotated[
        Path | None, typer.Argument(help="A .sheet file with a table marked !evaluation(), or a BEIR folder.")
    ] = None,
    budget_tokens: Annotated[
        int | None,
        typer.Option(
            "--budget-tokens",
            min=1,
            metavar="N",
            help="Token budget for all retrieved values together.",
            show_default="2000",
        ),
    ] = None,
    budget_docs: Annotated[
        int | None,
        typer.Option(
            "--budget-docs", min=1, metavar="N", help="For judged documents: a budget of N documents instead."
        ),
    ] = None,
    max_n: Annotated[
        int | None,
        typer.Option("--max-n", min=1, metavar="N", help="The largest number of values to retrieve per field."),
    ] = None,
    require: RequireOption = None,
    models: Annotated[
        str | None,
        typer.Option(
            "--models",
            metavar="A,B",
            help="The models and rankers to choose from, such as 'bm25,rrf(bm25, wordllama; k=10|60)'; karat models "
            "lists the models. With --run: names of runs, and rankers of them.",
            show_default="bm25,wordllama; with --run every run",
        ),
    ] = None,
    qrels: Annotated[
        Path | None, typer.Option("--qrels", metavar="FILE", help="Relevance judgements for --run.")
    ] = None,
    run: Annotated[
        list[str] | None,
        typer.Option("--run", metavar="[NAME=]FILE", help="A recorded run to choose from. Repeat it for several."),
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option("--corpus", metavar="FILE", help="corpus.jsonl with the documents of the runs, to count tokens."),
    ] = None,
    relevance_level: Annotated[
        int,
        typer.Option("--relevance-level", min=1, metavar="N", help="Documents judged N or higher are relevant."),
    ] = 1,
    passes: Annotated[
        str | None,
        typer.Option(
            "--passes",
            metavar="all|any|SHARE",
            help="Which share of a question's truths must be found for it to pass.",
            show_default="all; any for judged documents",
        ),
    ] = None,
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

    karat tune my-beir-folder --models 'bm25,rrf(bm25, wordllama; k=10|60)'

    karat tune --qrels qrels.txt --run a.run --run b.run --models 'a,b,rrf(a, b)'

    Vectors are cached in .karat/vectors of the sheet's project, or of this folder, so a second run embeds nothing.
    """
    from karat.cli.options.settings import bound_tables, named_models
    from karat.cli.printing.consoles import notes
    from karat.cli.printing.outputs import write_json_value
    from karat.cli.printing.progress import ranking_progress
    from karat.core.problems import UserError
    from karat.verbs import tune as verb

    if file is None and qrels is None and json not in (None, "-"):
        hint = f'"{json}" was used as the file name of --json. To print instead, write --json - or put --json last.'
        raise UserError("nothing to tune", hint=hint)
    names = named_models(models) if models is not None else None
    tables = bound_tables(table or ())
    with ranking_progress() as watch:
        tuned = verb.tune(
            file,
            tables=tables,
            evaluation=evaluation,
            qrels=qrels,
            runs=run or (),
            corpus=corpus,
            relevance_level=relevance_level,
            budget_tokens=budget_tokens,
            budget_docs=budget_docs,
            max_n=max_n,
            require=require or (),
            models=names,
            passes=passes,
            encoding=encoding,
            seconds=seconds,
            watch=watch,
            executor=executor,
        )
    written = []
    if xlsx is not None:
        from karat.reports.excel.workbook import write_xlsx
        from karat.search.choose.reporting.report import report_of

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
    from karat.search.choose.reporting.text import heading_of, lines_of

    console = stdout()
    console.print(heading_of(name, tuning), style="bold", markup=False, highlight=False, soft_wrap=True)
    for line in lines_of(tuning):
        console.print(f"  {line}".rstrip(), markup=False, highlight=False, soft_wrap=True)
    for out in written:
        console.print(f"saved {out}", markup=False, highlight=False, soft_wrap=True)
