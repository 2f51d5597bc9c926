"""``karat export``: what a stored run holds, as files for other tools, and its reviews as a patch to the case files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli.options.output_files import text_output
from karat.cli.options.shared import ConfigOption, StoreOption, SuiteOption, complete_runs

if TYPE_CHECKING:
    from karat.verbs.export import Exported


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
    from karat.cli.printing.outputs import PRINTED
    from karat.core.problems import UserError
    from karat.verbs import export as verb
    from karat.verbs.inputs.projects import open_store_here, project_here
    from karat.verbs.run import refuse_beside

    if to is not None:
        beside = {"--predictions": predictions, "--scores": scores, "--reviews": reviews, "--patch": patch}
        refuse_beside("--to", beside, "Export them in separate commands.")
        _cases(run, to, out, cases, suite, store, config)
        return
    if out is not None or suite is not None:
        raise UserError("--out and --suite need --to", hint="For example: karat export latest --to csv --out cases.csv")
    asked = [one for one in (predictions, scores, reviews, patch) if one is not None]
    if not asked:
        hint = "Choose at least one of --predictions, --scores, --reviews, --patch, --to."
        raise UserError("nothing to export", hint=hint)
    files = [one for one in asked if one != PRINTED]
    if len(asked) - len(files) > 1 or len(set(files)) < len(files):
        raise UserError("two outputs have the same destination", hint="Give each its own file; only one can be -.")
    with open_store_here(store, config) as opened:
        if predictions is not None:
            _write(verb.export_predictions(opened, run), predictions)
        if scores is not None:
            _write(verb.export_scores(opened, run, parquet=scores.endswith(".parquet")), scores)
        if reviews is not None:
            _write(verb.export_reviews(opened, run), reviews)
        if patch is not None:
            project = project_here(config)
            _write(verb.export_patch(opened, run, cases=cases, root=project.root if project else None), patch)


def _cases(
    run: str, to: str, out: str | None, cases: Path | None, suite: str | None, store: str | None, config: Path | None
) -> None:
    """The cases of a run, or of files, in a form for other people and tools."""
    from karat.cli.printing.outputs import PRINTED
    from karat.core.problems import UserError
    from karat.verbs import export as verb
    from karat.verbs.inputs.projects import open_store_here

    form = verb.export_format(to)
    if form == "xlsx" and out in (None, PRINTED):
        raise UserError("an Excel file cannot be printed", hint="Give --out cases.xlsx")
    if (cases is None) != (suite is None):
        raise UserError(
            "--cases and --suite must be given together", hint="Leave out both to export the cases of a run."
        )
    if cases is not None and suite is not None:
        exported = verb.export_cases(suite, cases, form)
    else:
        with open_store_here(store, config) as opened:
            exported = verb.export_run_cases(opened, run, form)
    _write(exported, out or PRINTED)


def _write(exported: Exported, out: str) -> None:
    from karat.cli.printing.consoles import notes
    from karat.cli.printing.outputs import PRINTED, write_data
    from karat.core.problems import UserError
    from karat.verbs.export import write_beside

    if exported.beside and out == PRINTED:
        raise UserError(
            "these answers include files, which cannot be printed",
            hint="Give a file name; the files are written next to it.",
        )
    write_beside(exported, Path(out).parent)
    write_data(exported.data, out)
    if out != PRINTED:
        notes().print(f"wrote {out}", markup=False, soft_wrap=True)
    for note in exported.notes:
        notes().print(note, markup=False, soft_wrap=True)
