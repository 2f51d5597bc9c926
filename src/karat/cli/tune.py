"""``karat tune``: the best n and model for each field of a sheet's evaluation table, and how far to trust them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from karat.cli.files import input_path
from karat.cli.options import JsonOption, TableOption, XlsxOption

if TYPE_CHECKING:
    from karat.search.choose.result import Tuning
    from karat.search.choose.tune import Watch
    from karat.sheet.evaluation_table import EvaluationTable


def tune(
    file: Annotated[Path, typer.Argument(help="A .sheet file with a table marked !evaluation().", callback=input_path)],
    budget_tokens: Annotated[
        int,
        typer.Option("--budget-tokens", min=1, metavar="N", help="Token budget for all retrieved values together."),
    ] = 2000,
    max_n: Annotated[
        int | None,
        typer.Option("--max-n", min=1, metavar="N", help="The largest number of values to retrieve per field."),
    ] = None,
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
    json: JsonOption = None,
    xlsx: XlsxOption = None,
) -> None:
    """Choose n and model for each field within a token budget: most questions passed, then highest recall, then fewest tokens.

    karat tune kitchen.sheet --table Ingredients=ingredients.csv

    Vectors are cached in .karat/vectors of the sheet's project, or of this folder, so a second run embeds nothing.
    """
    from karat.cli.printing import notes, write_json_value
    from karat.core.files.project_folder import vectors_folder
    from karat.search.choose.tune import tune as tuned
    from karat.search.models import load_model
    from karat.search.models.vectors import VectorCache

    names = named_models(models)
    found = read_evaluation(file, table or (), evaluation)
    chosen = [load_model(name) for name in names]
    with ranking_progress() as watch:
        tuning = tuned(
            found.questions,
            found.fields,
            chosen,
            budget_tokens=budget_tokens,
            max_n=max_n,
            encoding=encoding,
            cache=VectorCache(vectors_folder(file)),
            watch=watch,
            time_limit=seconds,
        )
    written = []
    if xlsx is not None:
        from karat.reports.excel.workbook import write_xlsx
        from karat.search.choose.report import report_of

        write_xlsx(report_of(tuning, found.name), xlsx)
        written.append(str(xlsx))
    if json is not None:
        write_json_value(tuning, json)
        written += [json] if json != "-" else []
    for warning in tuning.warnings:
        notes().print(f"warning: {warning}", style="yellow", markup=False, soft_wrap=True)
    if json != "-":
        print_tuning(found.name, tuning, written)


def read_evaluation(file: Path, tables: Sequence[str], name: str) -> EvaluationTable:
    """The questions, truths and values of the sheet's evaluation table. Every mistake in the sheet is reported before anything is computed."""
    from karat.cli.files import read_sheet_bytes
    from karat.core.problems import UserError, count_of
    from karat.sheet.checking import check
    from karat.sheet.evaluating import evaluation_of
    from karat.sheet.functions import FUNCTIONS
    from karat.sheet.outside import read_bound
    from karat.sheet.parsing import parse

    bound = bound_tables(tables)
    sheet = parse(read_sheet_bytes(file), str(file))
    known = {table: tuple(found.columns) for table, found in read_bound(bound).items()}
    mistakes = [problem for problem in check(sheet, str(file), FUNCTIONS, known) if problem.severity == "error"]
    if mistakes:
        raise UserError(f"{count_of(len(mistakes), 'mistake')} in {file}", problems=mistakes)
    return evaluation_of(sheet, folder=file.parent, tables=bound, name=name)


def bound_tables(written: Sequence[str]) -> dict[str, Path]:
    """``NAME=FILE`` of each ``--table``."""
    from karat.core.problems import UserError

    found: dict[str, Path] = {}
    for pair in written:
        name, equals, path = pair.partition("=")
        if not equals or not name.strip() or not path.strip():
            raise UserError(
                f'--table "{pair}" is not NAME=FILE', hint="For example --table Ingredients=ingredients.csv"
            )
        found[name.strip()] = Path(input_path(path.strip()))
    return found


def named_models(written: str) -> list[str]:
    """The names between commas, each once."""
    from karat.core.problems import UserError

    names = list(dict.fromkeys(name.strip() for name in written.split(",") if name.strip()))
    if not names:
        raise UserError("--models is empty", hint="For example --models bm25,wordllama; karat models lists them.")
    return names


@contextmanager
def ranking_progress() -> Iterator[Watch]:
    """A bar on a terminal while models rank values, with the field it is at; nothing elsewhere."""
    from karat.cli.printing import notes

    console = notes()
    if not console.is_terminal or console.quiet:
        yield lambda _field, _done, _of: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=None), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, refresh_per_second=8) as bar:
        task = bar.add_task("ranking", total=None)

        def watch(field: str, done: int, of: int) -> None:
            if done < of:
                bar.update(task, description=f"ranking {field}", total=of, completed=done)
            else:
                bar.update(task, description="choosing", total=None)

        yield watch


def print_tuning(name: str, tuning: Tuning, written: list[str]) -> None:
    """What look.md's sketch shows: the answer, how good it is, what is missing, what more would cost."""
    from karat.cli.printing import stdout
    from karat.search.choose.text import heading_of, lines_of

    console = stdout()
    console.print(heading_of(name, tuning), style="bold", markup=False, highlight=False, soft_wrap=True)
    for line in lines_of(tuning):
        console.print(f"  {line}".rstrip(), markup=False, highlight=False, soft_wrap=True)
    for out in written:
        console.print(f"saved {out}", markup=False, highlight=False, soft_wrap=True)
