"""``karat export``: what a stored run holds, as files for other tools, and its reviews as a patch to the case files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli.options.output_files import text_output
from karat.cli.options.shared import ConfigOption, StoreOption, SuiteOption, complete_runs

if TYPE_CHECKING:
    from karat.verbs.exports.contents import Exported


def export(
    run: Annotated[
        str, typer.Argument(help="A run: r-0012, 12, latest, or its name or tag.", autocompletion=complete_runs)
    ] = "latest",
    predictions: Annotated[
        str | None,
        typer.Option(
            "--predictions",
            metavar="[OUT]",
            help="Write the answers as JSONL that karat score can read. Without a file name, or with -, print them.",
            callback=text_output,
        ),
    ] = None,
    scores: Annotated[
        str | None,
        typer.Option(
            "--scores",
            metavar="[OUT]",
            help="Write CSV with one row per case, or Parquet if the file name ends in .parquet. Without a file name, "
            "or with -, print CSV.",
            callback=text_output,
        ),
    ] = None,
    reviews: Annotated[
        str | None,
        typer.Option(
            "--reviews",
            metavar="[OUT]",
            help="Write the reviews as JSONL. Without a file name, or with -, print them.",
            callback=text_output,
        ),
    ] = None,
    patch: Annotated[
        str | None,
        typer.Option(
            "--patch",
            metavar="[OUT]",
            help="Write the reviews as a patch to the case files. Without a file name, or with -, print it.",
            callback=text_output,
        ),
    ] = None,
    notebook: Annotated[
        str | None,
        typer.Option(
            "--notebook",
            metavar="FOLDER",
            help="Write one Jupyter notebook per case into a folder: question, code, output, verdict.",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="Write the cases with the expected values, the answers and the scores: csv, xlsx or promptfoo (a "
            "configuration).",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="With --to: the file to write. Without it, csv and promptfoo are printed.",
            callback=text_output,
        ),
    ] = None,
    cases: Annotated[
        Path | None,
        typer.Option(
            "--cases",
            help="With --patch: where the case files are now, if they have moved. With --to and --suite: cases to "
            "export without a run.",
        ),
    ] = None,
    suite: SuiteOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Write the contents of a stored run to files: karat export latest --predictions answers.jsonl --scores scores.csv

    To keep reviews in the case files:  karat export latest --patch cases.patch, then git apply cases.patch
    """
    from karat.verbs.export import Wanted, exported_files

    wanted = Wanted(
        predictions=predictions,
        scores=scores,
        reviews=reviews,
        patch=patch,
        notebook=notebook,
        to=to,
        out=out,
        cases=None if cases is None else str(cases),
        suite=suite,
    )
    for file, exported in exported_files(run, wanted, store, config, dashes="--"):
        _write(exported, file)


def _write(exported: Exported, out: str) -> None:
    from karat.cli.printing.consoles import notes
    from karat.cli.printing.outputs import PRINTED, write_data
    from karat.core.problems import UserError
    from karat.verbs.export import write_exported

    if out != PRINTED:
        write_exported(exported, out)
        notes().print(f"wrote {out}", markup=False, soft_wrap=True)
    elif exported.beside:
        raise UserError(
            "these answers include files, which cannot be printed",
            hint="Give a file name; the files are written next to it.",
        )
    else:
        write_data(exported.data, out)
    for note in exported.notes:
        notes().print(note, markup=False, soft_wrap=True)
