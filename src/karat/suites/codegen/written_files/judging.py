"""Written files against the expected ones.

    correctness = 1 when every expected file is right, else half of the mean of their cells' F1

A file that is missing or cannot be read counts 0. Files beside the expected ones are listed, and cost nothing. A plot
that cannot be read, or was changed after it was saved, needs review; no other file may be wrong then.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.json_types import JsonObject
from karat.core.problems import nearest
from karat.core.suite import NotApplicable
from karat.sandbox import Column, Outcome, Plain, Table, WrittenFile
from karat.suites.codegen.metrics.correctness import PART, Correctness, Gold, as_gold, judge, judge_in_unit
from karat.suites.codegen.options import Options
from karat.suites.codegen.plots.correctness import figures_correctness
from karat.suites.codegen.plots.received_figures import figures_of
from karat.suites.codegen.plots.records import PlotGold
from karat.suites.codegen.question.records import Ordered
from karat.suites.codegen.records import ExpectedFile, FileReport, Task
from karat.suites.codegen.results.tables import NoTableError, file_table
from karat.suites.codegen.running.sandbox_client import reading_box
from karat.suites.codegen.written_files.reading import Read, read_written
from karat.tables.table import TableError

FILE_MISSING, FILE_UNREADABLE = "file_missing", "file_unreadable"
MOST_NAMED = 20


def judge_files(
    expected: dict[str, ExpectedFile], outcome: Outcome, *, ordered: Ordered, options: Options
) -> tuple[Correctness, tuple[FileReport, ...]]:
    """The word on all of them, and the list of what was written."""
    written = {file.name: file for file in outcome.files}
    found: dict[str, Correctness] = {}
    notes: dict[str, str] = {}
    for name, wanted in expected.items():
        if wanted.plot is not None:
            found[name], notes[name] = _plot(name, wanted.plot, outcome, options), ""
            continue
        found[name], notes[name] = _judge(name, wanted, written, ordered=ordered, options=options)
    return _together(found), _listed(outcome.files, found, notes)


def _judge(
    name: str, wanted: ExpectedFile, written: dict[str, WrittenFile], *, ordered: Ordered, options: Options
) -> tuple[Correctness, str]:
    file = written.get(name)
    if file is None:
        return _missing(name, list(written)), ""
    if file.data is None:
        return _unreadable(name, file.problem or "it was not read"), ""
    read = read_written(name, file.data, wanted, reading_box(unsafe=options.unsafe))
    if read.problem:
        return _unreadable(name, read.problem), ""
    if wanted.image is not None:
        return _image(wanted, read.content), ""
    content, index = _without_index(wanted, read)
    said = {**read.notes, **({"index": "a counting index column is ignored"} if index else {})}
    try:
        gold = _gold(wanted)
    except (NoTableError, TableError) as error:
        raise NotApplicable(f"gold_error: {name}: {error}") from error
    if wanted.unit:
        word = judge_in_unit(gold, wanted.unit, content, ordered=ordered, options=options)
    else:
        word = judge(gold, content, ordered=ordered, options=options)
    return word, ", ".join(f"{key} {value!r}" if key != "index" else value for key, value in said.items())


def _plot(name: str, gold: PlotGold, outcome: Outcome, options: Options) -> Correctness:
    """The figure that was saved under this name; the picture itself is not looked at."""
    saved = [figure for figure in figures_of(outcome.figures) if name in figure.saved]
    written = [file.name for file in outcome.files]
    if not saved:
        return _unreadable(name, "no figure was saved in it") if name in written else _missing(name, written)
    if name in saved[-1].outdated:
        return Correctness(None, reason=f'needs review: the figure was changed after it was saved in "{name}"')
    return figures_correctness(gold, saved[-1:], options.compare_options())


def _gold(wanted: ExpectedFile) -> Gold:
    if wanted.file:
        return Gold((file_table(wanted.file),))
    if wanted.table is None:
        return as_gold(wanted.value, calls=False)
    columns = tuple(Column(name, "", values) for name, values in wanted.table.items())
    return as_gold(Table(max((len(column.values) for column in columns), default=0), columns), calls=False)


def _without_index(wanted: ExpectedFile, read: Read) -> tuple[Plain, bool]:
    """The table without a first column that only counts its rows, as ``to_csv`` writes it; text without its last line
    break."""
    content = read.content
    if isinstance(content, str):
        return (content.rstrip("\r\n") if isinstance(wanted.value, str) else content), False
    if not isinstance(content, Table) or len(content.columns) < 2:
        return content, False
    first = content.columns[0]
    expected = wanted.table or {}
    counts = [str(value) for value in first.values] == [str(place) for place in range(content.height)]
    if str(first.name).strip() in ("", "Unnamed: 0") and counts and first.name not in expected:
        return Table(content.height, content.columns[1:], content.index), True
    return content, False


def _image(wanted: ExpectedFile, content: Plain) -> Correctness:
    size = wanted.image
    if size is None or not isinstance(content, dict):
        return Correctness(0.0, reason=FILE_UNREADABLE, evidence={"problem": "it is not an image"})
    asked = {"width": size.width, "height": size.height, "format": size.format or None}
    wrong = {key: content.get(key) for key, value in asked.items() if value is not None and content.get(key) != value}
    if not wrong:
        return Correctness(1.0, passed=True, cell_f1=1.0)
    problem = ", ".join(f"{key} {value} where {asked[key]} is expected" for key, value in wrong.items())
    return Correctness(0.0, reason="values_differ", evidence={"problem": problem})


def _missing(name: str, others: Sequence[str]) -> Correctness:
    named = ", ".join(list(others)[:MOST_NAMED]) or "none"
    close = nearest(name, others)
    problem = f'the file "{name}" was not written; written: {named}' + (
        f'; the nearest is "{close[0]}"' if close else ""
    )
    evidence: JsonObject = {
        "problem": problem,
        "written": list(others)[:MOST_NAMED],
        "nearest": close[0] if close else None,
    }
    return Correctness(0.0, reason=FILE_MISSING, evidence=evidence)


def _unreadable(name: str, why: str) -> Correctness:
    return Correctness(0.0, reason=FILE_UNREADABLE, evidence={"problem": f'the file "{name}" cannot be read: {why}'})


def _together(found: dict[str, Correctness]) -> Correctness:
    wrong = {name: one for name, one in found.items() if not one.passed}
    normalised = tuple(sorted({name for one in found.values() for name in one.normalised}))
    if not wrong:
        return Correctness(1.0, passed=True, normalised=normalised, cell_f1=1.0)
    f1 = sum(one.cell_f1 for one in found.values()) / len(found)
    settled = {name: one for name, one in wrong.items() if one.score is not None}
    if not settled:
        return next(iter(wrong.values()))
    name, first = next(iter(settled.items()))
    evidence = {**first.evidence, "file": name, "wrong_files": list(settled)}
    return Correctness(PART * f1, reason=first.reason, evidence=evidence, cell_f1=f1)


def _listed(
    files: Sequence[WrittenFile], found: dict[str, Correctness], notes: dict[str, str]
) -> tuple[FileReport, ...]:
    reports = [
        FileReport(
            file.name,
            file.size,
            found[file.name].passed if file.name in found and found[file.name].score is not None else None,
            notes.get(file.name) or file.problem,
        )
        for file in files
    ]
    gone = [FileReport(name, 0, False, "not written") for name in found if name not in {file.name for file in files}]
    return tuple(sorted([*reports, *gone], key=lambda one: (one.right is None, one.name)))


def with_files(
    task: Task, found: Correctness, outcome: Outcome, *, ordered: Ordered, options: Options
) -> tuple[Correctness, tuple[FileReport, ...]]:
    """The word on the result together with that on the files: both must be right."""
    expected = task.expected.files if task.expected is not None else None
    if not expected or not outcome.ok:
        return found, _listed(outcome.files, {}, {})
    word, files = judge_files(expected, outcome, ordered=ordered, options=options)
    if word.passed or found.score is None:
        return found, files
    if found.passed:
        return word, files
    return msgspec.structs.replace(found, score=min(found.score, word.score or 0.0)), files
