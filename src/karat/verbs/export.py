"""``karat.export`` and ``karat export``: what a stored run holds, as files for other tools; its reviews as a patch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from karat.core.files.atomic import write_bytes
from karat.core.files.destinations import refuse_unwritable
from karat.core.problems import UserError
from karat.verbs.exports import contents
from karat.verbs.exports.contents import Exported
from karat.verbs.exports.notebooks import export_notebooks
from karat.verbs.inputs.projects import open_store_here, project_here
from karat.verbs.run import refuse_beside

PRINTED = "-"
"""The name of an output that the command line prints."""


class ExportedFile(msgspec.Struct, frozen=True):
    """A file that was written, and what to know about it: for example, what its format cannot hold.

    >>> import karat
    >>> cases, answers = [{"id": "q1", "relevant": ["lemon"]}], [{"id": "q1", "results": ["lemon"]}]
    >>> _ = karat.run(suite="retrieval", cases=cases, predictions=answers, store="doctest_exported.db")
    >>> (written,) = karat.export(scores="scores.csv", store="doctest_exported.db")
    >>> written.file, written.notes
    ('scores.csv', ())
    """

    file: str
    """The path of the file."""
    notes: tuple[str, ...] = ()
    """What to know about it."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which files are asked for: each name is the option of the command, and the argument of the function."""

    predictions: str | None = None
    scores: str | None = None
    reviews: str | None = None
    patch: str | None = None
    notebook: str | None = None
    """A folder; the others are files."""
    to: str | None = None
    out: str | None = None
    cases: str | None = None
    suite: str | None = None

    @property
    def outputs(self) -> dict[str, str]:
        """The files of a run, by option."""
        named = {"predictions": self.predictions, "scores": self.scores, "reviews": self.reviews, "patch": self.patch}
        named["notebook"] = self.notebook
        return {option: file for option, file in named.items() if file is not None}


def export(
    run: str = "latest",
    *,
    predictions: str | Path | None = None,
    scores: str | Path | None = None,
    reviews: str | Path | None = None,
    patch: str | Path | None = None,
    notebook: str | Path | None = None,
    to: str | None = None,
    out: str | Path | None = None,
    cases: str | Path | None = None,
    suite: str | None = None,
    store: str | Path = "",
    config: str | Path | None = None,
) -> list[ExportedFile]:
    """Write the contents of a stored run to files, and return their names with what to know about them.

    ``run`` is a stored run: ``r-0012``, ``12``, ``latest``, its name or tag. ``predictions`` is JSONL that
    ``karat.score`` reads, ``scores`` is CSV (or Parquet, if the file name ends in .parquet), ``reviews`` is JSONL, and
    ``patch`` changes the case files, which are at ``cases`` if they have moved. ``notebook`` is a folder, which gets
    one Jupyter notebook for each case. ``to`` is ``"csv"``, ``"xlsx"`` or ``"promptfoo"``, and writes the cases with
    the expected values, the answers and the scores to ``out``; with ``cases`` and ``suite``, it writes cases without a
    run.

    >>> import karat
    >>> cases, answers = [{"id": "q1", "relevant": ["lemon"]}], [{"id": "q1", "results": ["lime"]}]
    >>> _ = karat.run(suite="retrieval", cases=cases, predictions=answers, store="doctest_export.db")
    >>> karat.export(scores="doctest_scores.csv", store="doctest_export.db")
    [ExportedFile(file='doctest_scores.csv', notes=())]
    """
    named = {"predictions": predictions, "scores": scores, "reviews": reviews, "patch": patch, "out": out}
    named["notebook"] = notebook
    files = {option: str(Path(file)) for option, file in named.items() if file is not None}
    for option, file in files.items():
        if file == PRINTED:
            raise UserError(f"{option} cannot be printed from Python", hint="Give a file name.")
    refuse_unwritable(*(file for option, file in files.items() if option != "notebook"))
    if to is not None and out is None:
        raise UserError("to needs out", hint='Give the file to write: out="cases.csv"')
    wanted = Wanted(**files, to=to, suite=suite, cases=None if cases is None else str(cases))
    written = []
    for file, exported in exported_files(run, wanted, store, config):
        write_exported(exported, file)
        written.append(ExportedFile(file, exported.notes))
    return written


def write_exported(exported: Exported, file: str) -> None:
    """Write a file, and what belongs beside it."""
    contents.write_beside(exported, Path(file).parent)
    write_bytes(Path(file), exported.data)


def exported_files(
    run: str, wanted: Wanted, store: str | Path | None, config: str | Path | None, *, dashes: str = ""
) -> Iterator[tuple[str, Exported]]:
    """Each output and its contents, one after the other. UserError if the outputs do not fit together.

    ``dashes`` is what is written before the name of an option in messages.
    """
    if wanted.to is not None:
        refuse_beside(
            f"{dashes}to",
            {f"{dashes}{option}": file for option, file in wanted.outputs.items()},
            f"Export them in separate {'commands' if dashes else 'calls'}.",
        )
        yield wanted.out or PRINTED, _cases(run, wanted, wanted.to, store, config, dashes)
        return
    _check_outputs(wanted, dashes)
    with open_store_here(store, config) as opened:
        if wanted.predictions is not None:
            yield wanted.predictions, contents.export_predictions(opened, run)
        if wanted.scores is not None:
            parquet = wanted.scores.endswith(".parquet")
            yield wanted.scores, contents.export_scores(opened, run, parquet=parquet)
        if wanted.reviews is not None:
            yield wanted.reviews, contents.export_reviews(opened, run)
        if wanted.patch is not None:
            project = project_here(config)
            moved = None if wanted.cases is None else Path(wanted.cases)
            root = project.root if project else None
            yield wanted.patch, contents.export_patch(opened, run, cases=moved, root=root)
        if wanted.notebook is not None:
            yield from export_notebooks(opened, run, wanted.notebook)


def _check_outputs(wanted: Wanted, dashes: str) -> None:
    if wanted.out is not None or wanted.suite is not None:
        example = (
            "karat export latest --to csv --out cases.csv" if dashes else 'karat.export(to="csv", out="cases.csv")'
        )
        raise UserError(f"{dashes}out and {dashes}suite need {dashes}to", hint=f"For example: {example}")
    asked = list(wanted.outputs.values())
    if not asked:
        options = ", ".join(
            f"{dashes}{option}" for option in ("predictions", "scores", "reviews", "patch", "notebook", "to")
        )
        raise UserError("nothing to export", hint=f"Choose at least one of {options}.")
    if wanted.notebook == PRINTED:
        raise UserError("notebooks cannot be printed", hint=f"Give a folder: {dashes}notebook notebooks")
    files = [one for one in asked if one != PRINTED]
    if len(asked) - len(files) > 1 or len(set(files)) < len(files):
        raise UserError(
            "two outputs have the same destination",
            hint="Give each its own file; only one can be -." if dashes else "Give each its own file.",
        )


def _cases(
    run: str, wanted: Wanted, to: str, store: str | Path | None, config: str | Path | None, dashes: str
) -> Exported:
    """The cases of a run, or of files, in a form for other people and tools."""
    form = contents.export_format(to)
    if form == "xlsx" and wanted.out in (None, PRINTED):
        raise UserError("an Excel file cannot be printed", hint="Give --out cases.xlsx")
    if (wanted.cases is None) != (wanted.suite is None):
        raise UserError(
            f"{dashes}cases and {dashes}suite must be given together",
            hint="Leave out both to export the cases of a run.",
        )
    if wanted.cases is not None and wanted.suite is not None:
        return contents.export_cases(wanted.suite, Path(wanted.cases), form)
    with open_store_here(store, config) as opened:
        return contents.export_run_cases(opened, run, form)
