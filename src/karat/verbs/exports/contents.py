"""The contents of each file that ``karat export`` writes: answers, scores, reviews, a patch, cases."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import msgspec

from karat.core import plugins
from karat.core.files.atomic import write_bytes
from karat.core.problems import UserError, count_of, did_you_mean
from karat.core.remote.address import address_of
from karat.core.remote.display_names import shown
from karat.core.remote.paths import local_path
from karat.core.results.result import RunResult
from karat.core.run_notes.notes import EVERY_SUITE, REUSE, notes_line
from karat.runs.baseline import find_run
from karat.runs.remote_inputs import fetch_inputs
from karat.verbs.exports.answer_lines import exported
from karat.verbs.exports.case_rows import Format, as_cell, as_promptfoo, as_workbook, columns_of, rows_of
from karat.verbs.exports.csv_rows import as_csv
from karat.verbs.inputs.loading import load_cases

if TYPE_CHECKING:
    from karat.core.suite import Suite
    from karat.store.store import Store


class Exported(msgspec.Struct, frozen=True):
    """The contents of a file, the files that belong beside it, and what to know about them."""

    data: bytes
    beside: Mapping[Path, bytes] = {}
    notes: tuple[str, ...] = ()


def write_beside(exported: Exported, folder: Path) -> None:
    """Write the files that belong beside it. One that is there with other content is never overwritten."""
    for place, data in exported.beside.items():
        path = folder / place
        there = _content(path)
        if there is not None and there != data:
            raise UserError(f"{shown(str(path))} already exists with other content", hint="Export to an empty folder.")
        if there is None:
            write_bytes(path, data)


def _content(path: Path) -> bytes | None:
    """What is in a file, here or at a URL; None where there is none."""
    address = address_of(path)
    if address is not None:
        from karat.core.remote.upload import content_at

        return content_at(address)
    return path.read_bytes() if path.is_file() else None


def export_predictions(store: Store, run: str) -> Exported:
    """The answers of a run as JSON lines that ``karat score`` reads back, with the files they name."""
    run_id = find_run(store, run)
    record = store.run(run_id)
    fetch_inputs(store, run_id, record)
    found = exported(record.suite, store.predictions(run_id), record.options)
    notes = store.notes(run_id)
    told = list(found.notes)
    if REUSE in notes:
        told.append("the file does not say which answers were reused from a cache")
    own = {name: note for name, note in notes.items() if name not in EVERY_SUITE}  # not every format has room for them
    return Exported(found.lines + (notes_line(own) if own else b""), found.files, tuple(told))


def export_scores(store: Store, run: str, *, parquet: bool = False) -> Exported:
    """One row per case, as CSV or Parquet."""
    result = store.result(find_run(store, run))
    return Exported(_parquet(result) if parquet else scores_csv(result))


def scores_csv(result: RunResult) -> bytes:
    """One row per case, with a column for each metric of the run."""
    rows = result.rows()
    columns = list(rows[0]) if rows else ["id", "name", "status", "tags", "question", "error"]
    columns += [one.metric for one in result.summary if one.metric not in columns]
    return as_csv(columns, rows)


def _parquet(result: RunResult) -> bytes:
    import io

    table = result.to_arrow()
    from pyarrow import parquet

    data = io.BytesIO()
    parquet.write_table(table, data)
    return data.getvalue()


def export_reviews(store: Store, run: str) -> Exported:
    """The reviews of a run as JSON lines."""
    from karat.reports.patches.patch import review_lines

    return Exported(review_lines(store, store.run_row(find_run(store, run))))


def export_patch(store: Store, run: str, *, cases: Path | None = None, root: Path | None = None) -> Exported:
    """The reviews of a run as a patch to the case files, which are at ``cases`` if they have moved."""
    from karat.reports.patches.patch import review_patch

    cases = None if cases is None else local_path(cases)
    made = review_patch(store, find_run(store, run), cases=cases, root=root)
    fates = [one.fate for one in made.reviews]
    counts = [
        (fates.count("accepted"), "accepted"),
        (fates.count("noted"), "noted"),
        (fates.count("left_out"), "left out"),
    ]
    told = ", ".join(f"{count:,} {word}" for count, word in counts if count) or "none requests a change"
    files = count_of(len(made.files), "file")
    return Exported(
        made.data, notes=(f"{files} changed; reviews: {told}. See the top of the patch for what happened to each.",)
    )


def export_run_cases(store: Store, run: str, to: Format) -> Exported:
    """The cases of a run with what is expected, the answers and the scores."""
    run_id = find_run(store, run)
    record = store.run(run_id)
    suite = plugins.load_suite(record.suite)
    fetch_inputs(store, run_id, record)
    held = suite.decode_cases(store.cases(run_id))
    return _written(rows_of(suite, held, store.predictions(run_id), store.result(run_id)), to)


def export_cases(suite: str, cases: Path, to: Format) -> Exported:
    """The cases of files with what is expected."""
    chosen: Suite = plugins.load_suite(suite)
    return _written(rows_of(chosen, load_cases(chosen, cases).cases), to)


def export_format(word: str) -> Format:
    """The format of that name."""
    for known in get_args(Format):
        if word == known:
            return known  # type: ignore[no-any-return]  # one of Format's own words
    raise UserError(f'there is no format "{word}"', hint=did_you_mean(word, get_args(Format)))


def _written(rows: list[dict[str, object]], to: Format) -> Exported:
    if to == "xlsx":
        return Exported(as_workbook(rows))
    if to == "promptfoo":
        return Exported(as_promptfoo(rows))
    return Exported(as_csv(columns_of(rows), [{k: as_cell(v) for k, v in row.items()} for row in rows]))
