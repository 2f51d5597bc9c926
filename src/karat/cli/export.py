"""``karat export``: what a stored run holds, as files for other tools, and its reviews as a patch to the case files."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.files import input_path, text_output
from karat.cli.options import ConfigOption, StoreOption, SuiteOption, complete_runs

if TYPE_CHECKING:
    from karat.core.results.result import RunResult
    from karat.store.store import Store

PRINTED = "-"
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that a spreadsheet takes for a formula."""


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
        ),
    ] = None,
    scores: Annotated[
        str | None,
        typer.Option(
            "--scores",
            metavar="[OUT]",
            help="Write CSV with one row per case, or Parquet if the file name ends in .parquet. Without a file name, or with -, print CSV.",
        ),
    ] = None,
    reviews: Annotated[
        str | None,
        typer.Option(
            "--reviews", metavar="[OUT]", help="Write the reviews as JSONL. Without a file name, or with -, print them."
        ),
    ] = None,
    patch: Annotated[
        str | None,
        typer.Option(
            "--patch",
            metavar="[OUT]",
            help="Write the reviews as a patch to the case files. Without a file name, or with -, print it.",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="Write the cases with the expected values, the answers and the scores: csv, xlsx or promptfoo (a configuration).",
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
            help="With --patch: where the case files are now, if they have moved. With --to and --suite: cases to export without a run.",
            callback=input_path,
        ),
    ] = None,
    suite: SuiteOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Write the contents of a stored run to files: karat export latest --predictions answers.jsonl --scores scores.csv

    To keep reviews in the case files:  karat export latest --patch cases.patch, then git apply cases.patch
    """
    from karat.cli.project import open_store_for, refuse_beside
    from karat.core.problems import UserError
    from karat.runs.baseline import find_run

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
    with open_store_for(config, store, create=False) as opened:
        run_id = find_run(opened, run)
        if predictions is not None:
            _predictions(opened, run_id, predictions)
        if scores is not None:
            _scores(opened.result(run_id), scores)
        if reviews is not None:
            from karat.reports.patches.patch import review_lines

            _write(reviews, review_lines(opened, opened.run_row(run_id)))
        if patch is not None:
            _patch(opened, run_id, patch, cases, config)


def _cases(
    run: str, to: str, out: str | None, cases: Path | None, suite: str | None, store: str | None, config: Path | None
) -> None:
    """The cases of a run, or of files, in a form for other people and tools."""
    from karat.cli.export_cases import as_cell, as_promptfoo, columns_of, rows_of, write_workbook
    from karat.cli.project import open_store_for
    from karat.cli.showing import load_for_run
    from karat.core import plugins
    from karat.core.problems import UserError, did_you_mean
    from karat.runs.baseline import find_run

    formats = ("csv", "xlsx", "promptfoo")
    if to not in formats:
        raise UserError(f'there is no format "{to}"', hint=did_you_mean(to, formats))
    if to == "xlsx" and out in (None, PRINTED):
        raise UserError("an Excel file cannot be printed", hint="Give --out cases.xlsx")
    if (cases is None) != (suite is None):
        raise UserError(
            "--cases and --suite must be given together", hint="Leave out both to export the cases of a run."
        )
    if cases is not None and suite is not None:
        chosen = plugins.load_suite(suite)
        rows = rows_of(chosen, load_for_run(chosen, cases)[0])
    else:
        with open_store_for(config, store, create=False) as opened:
            run_id = find_run(opened, run)
            chosen = plugins.load_suite(opened.run(run_id).suite)
            held = chosen.decode_cases(opened.cases(run_id))
            rows = rows_of(chosen, held, opened.predictions(run_id), opened.result(run_id))
    if to == "xlsx":
        write_workbook(rows, Path(str(out)))
        _said(str(out))
        return
    plain = [{name: as_cell(value) for name, value in row.items()} for row in rows]
    _write(out or PRINTED, as_promptfoo(rows) if to == "promptfoo" else as_csv(columns_of(rows), plain))


def _predictions(store: Store, run_id: int, out: str) -> None:
    from karat.cli.export_answers import exported
    from karat.core.files.atomic import write_bytes
    from karat.core.problems import UserError

    record = store.run(run_id)
    mode = str(record.options.get("mode", "results"))
    lines, files, notes = exported(record.suite, store.predictions(run_id), mode=mode)
    if files and out == PRINTED:
        raise UserError(
            "these answers include files, which cannot be printed",
            hint="Give a file name; the files are written next to it.",
        )
    for place, data in files.items():
        path = Path(out).parent / place
        if path.is_file() and path.read_bytes() != data:
            raise UserError(f"{path} already exists with other content", hint="Export to an empty folder.")
        if not path.is_file():
            write_bytes(path, data)
    _write(out, lines)
    for note in notes:
        _note(note)


def _scores(result: RunResult, out: str) -> None:
    rows = result.rows()
    if out.endswith(".parquet"):
        from karat.core.files.atomic import write_atomically

        table = result.to_arrow()
        write_atomically(Path(out), lambda part: _write_parquet(table, part))
        _said(out)
        return
    columns = list(rows[0]) if rows else ["id", "name", "status", "tags", "question", "error"]
    columns += [one.metric for one in result.summary if one.metric not in columns]
    _write(out, as_csv(columns, rows))


def _write_parquet(table: Any, part: Path) -> None:
    from pyarrow import parquet

    parquet.write_table(table, part)


def as_csv(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The rows as CSV; no value is an empty cell, several tags are ``a; b``."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_cell(column) for column in columns])
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return text.getvalue().encode("utf-8", "backslashreplace")


def _cell(value: Any) -> Any:
    """A text that a spreadsheet would run as a formula gets an apostrophe before it."""
    if isinstance(value, list):
        value = "; ".join(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _patch(store: Store, run_id: int, out: str, cases: Path | None, config: Path | None) -> None:
    from karat.cli.project import project_here
    from karat.core.problems import count_of
    from karat.reports.patches.patch import review_patch

    project = project_here(config)
    made = review_patch(store, run_id, cases=cases, root=project.root if project else None)
    _write(out, made.data)
    fates = [one.fate for one in made.reviews]
    counts = [
        (fates.count("accepted"), "accepted"),
        (fates.count("noted"), "noted"),
        (fates.count("left_out"), "left out"),
    ]
    told = ", ".join(f"{count:,} {word}" for count, word in counts if count) or "none requests a change"
    _note(
        f"{count_of(len(made.files), 'file')} changed; reviews: {told}. See the top of the patch for what happened to each."
    )


def _write(out: str, data: bytes) -> None:
    from karat.core.files.atomic import write_bytes

    if out == PRINTED:
        from karat.cli.terminal import write_out

        write_out(data)
        return
    write_bytes(Path(out), data)
    _said(out)


def _said(out: str) -> None:
    from karat.cli.printing import notes

    notes().print(f"wrote {out}", markup=False, soft_wrap=True)


def _note(text: str) -> None:
    from karat.cli.printing import notes

    notes().print(text, markup=False, soft_wrap=True)
