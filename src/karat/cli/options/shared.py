"""Options that several verbs share, written once so that they read the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from karat.cli.options.output_files import file_output, text_output
from karat.cli.options.standard_input import predictions_path


def complete_suites(incomplete: str) -> list[str]:
    from karat.core.plugins import names

    return [name for name in names("karat.suites") if name.startswith(incomplete)]


def complete_systems(incomplete: str) -> list[str]:
    from karat.core.plugins import names

    return [name for name in names("karat.systems") if name.startswith(incomplete)]


def complete_runs(incomplete: str) -> list[str]:
    """The runs of this folder's store; nothing when there is none, for a completion must never fail."""
    from karat.core.problems import UserError
    from karat.store import run_name
    from karat.verbs.inputs.projects import open_store_here

    try:
        with open_store_here() as store:
            return [name for row in store.runs(50) if (name := run_name(row.id)).startswith(incomplete)]
    except UserError:
        return []


SuiteOption = Annotated[
    str | None, typer.Option("--suite", "-s", help="The suite, for example data_query.", autocompletion=complete_suites)
]
CasesOption = Annotated[Path | None, typer.Option("--cases", "-c", help="A case file or a folder of case files.")]
PredictionsOption = Annotated[
    Path | None,
    typer.Option(
        "--predictions",
        "-p",
        help="Recorded predictions: a JSONL file, a folder, or - for standard input.",
        callback=predictions_path,
    ),
]
SettingsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option", "-o", metavar="KEY=VALUE", help="Set a suite option, for example errors=zero. Repeatable."
    ),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", help="The project file. [default: karat.yaml in this or a parent folder]"),
]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store", help="Where runs are stored: a file, sqlite:///… or postgresql://… [default: .karat/karat.db]"
    ),
]
JsonOption = Annotated[
    str | None,
    typer.Option(
        "--json",
        metavar="[OUT]",
        help="Write the result as JSON to this file. Without a file name, or with -, print it instead of the table.",
        callback=text_output,
    ),
]
MarkdownOption = Annotated[
    str | None,
    typer.Option(
        "--markdown",
        metavar="[OUT]",
        help="Write Markdown for a pull request to this file. Without a file name, or with -, print it instead of the "
        "table.",
        callback=text_output,
    ),
]
XlsxOption = Annotated[
    Path | None,
    typer.Option("--xlsx", metavar="OUT", help="Write the Excel report to this file.", callback=file_output),
]
HtmlOption = Annotated[
    Path | None,
    typer.Option(
        "--html",
        metavar="OUT",
        help="Write the report as a single, self-contained HTML file.",
        callback=file_output,
    ),
]
TableOption = Annotated[
    list[str] | None,
    typer.Option(
        "--table", metavar="NAME=FILE", help="Load this table from a CSV, Parquet or DuckDB file. Repeatable."
    ),
]
PassesOption = Annotated[
    str,
    typer.Option(
        "--passes", metavar="all|any|SHARE", help="Which of its truths must be found for a question to pass, e.g. 0.5."
    ),
]
RequireOption = Annotated[
    list[str] | None,
    typer.Option("--require", metavar="T[f]", help="Never leave out this field: its n is at least 1. Repeatable."),
]
WorkersOption = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="Number of scoring processes. [default: 1, or all cores for a heavy suite]"),
]
ExecutorOption = Annotated[
    str | None,
    typer.Option(
        "--executor",
        metavar="WHERE",
        help="Where to compute: in-process, processes:N, dask-local:N, or a Dask scheduler as dask://HOST:PORT or "
        "tls://HOST:PORT. Add ?timeout=SECONDS to give up a worker that does not respond.",
    ),
]
TagOption = Annotated[list[str] | None, typer.Option("--tag", "-t", help="Use only cases with this tag. Repeatable.")]
CaseOption = Annotated[
    list[str] | None, typer.Option("--case", help="Use only the case with this id or name. Repeatable.")
]
LimitOption = Annotated[int | None, typer.Option("--limit", min=1, help="Use only the first N cases.", metavar="N")]
GateOption = Annotated[
    list[str] | None,
    typer.Option(
        "--gate",
        metavar="RULE",
        help="A rule, for example data_query.macro_recall>=0.85 or 'no_new_failures: {tag: critical}'. Exit code 1 if "
        "it fails. Repeatable.",
    ),
]
