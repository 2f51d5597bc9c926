"""Whether the result is the expected one, by Karat's strict table comparison, in a process that never runs generated
code.

    correctness = 1 if equal, else half of the cells' F1; 0 if the code did not run

Both results become tables of texts first (see ``results.tables``), so that 3 and 3.0, an index and a column, a series
and a frame of one column are equal. The order of rows matters only if the question asks for one, and tied rows may be
in any order. Extra columns make a result wrong, unless they are its index or repeat another column. Named figures
count by the share that is right. Names of columns do not matter, unless the input already contains the right cells:
then the task is to name them.

By hand: expected ``[1, 2, 3, 4]``, given ``[1, 2, 3, 5]``. Three of four cells on both sides: F1 0.75, correctness
0.375.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.core.json_types import JsonObject
from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.core.suite import NotApplicable
from karat.sandbox import Column, Outcome, Plain, Sandbox, Series, Unordered
from karat.sandbox import Table as Frame
from karat.suites.codegen.options import Options
from karat.suites.codegen.plots.records import PlotVerdict
from karat.suites.codegen.question.records import Ordered
from karat.suites.codegen.records import Expected, Task
from karat.suites.codegen.results.figures import figures_of
from karat.suites.codegen.results.labels import out_of_place, swapped_labels
from karat.suites.codegen.results.readings import has_rows_without_names, readings
from karat.suites.codegen.results.tables import (
    IMAGINARY,
    NoTableError,
    Shaped,
    expected_table,
    file_table,
    given_table,
    has_places,
)
from karat.suites.codegen.results.ties import but_for_ties
from karat.suites.codegen.results.timestamps import zones_differ
from karat.suites.codegen.results.units import UNIT_DIFFERS, UnitDiffers, readings_in, same_number
from karat.suites.codegen.running.printed_answers import cut_words
from karat.suites.codegen.running.references import reference_outcome, untouched
from karat.tables.explain.labels import LABELS_SWAPPED
from karat.tables.matching import match_tables
from karat.tables.table import Limits, Table, TableError
from karat.tables.values.cells import composed, folded

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison

EXACT = Options().with_exact_digits()
MOST_COLUMNS = Limits().columns
FIGURES = "figures_differ"
PART = 0.5
"""What the cells of a wrong result can give at most."""


class Perturbed(msgspec.Struct, frozen=True):
    """What changed copies of the tables said about a right result."""

    tried: int = 0
    """How many changed copies the code ran on and was compared on."""
    telling: int = 0
    """How many of them have a right result that differs from the one on the task's own tables."""
    copies: dict[str, bool] = {}
    """Kind of copy → whether the result was right there too."""
    left_out: dict[str, str] = {}
    """Kind of copy → why it could not be used."""
    note: str = ""
    """Why nothing was checked, or why the check shows little."""
    remarks: tuple[str, ...] = ()
    """Differences from the reference that do not count, because the task's own tables have no such data."""


class Correctness(msgspec.Struct, frozen=True):
    """The verdict on one result. ``score`` is None if nothing says what is right."""

    score: float | None
    """0 to 1; None if nothing says what is right."""
    passed: bool = False
    """Whether the result is right."""
    reason: str = ""
    """Why it is not."""
    evidence: JsonObject = {}
    """What the reason rests on: the differing values, rows or columns."""
    normalised: tuple[str, ...] = ()
    """The differences in notation that were forgiven."""
    perturbed: Perturbed | None = None
    """How the code did on changed copies of the tables; None if it was wrong before any table was changed."""
    cell_f1: float = 0.0
    """The F1 of the result's cells, or the plot's score."""
    plot: PlotVerdict | None = None
    """How the plot compares, if one is expected."""


def correctness_of(box: Sandbox, task: Task, outcome: Outcome, *, ordered: Ordered, options: Options) -> Correctness:
    """Judge what one run gave. Raises NotApplicable when the task's own gold cannot be used."""
    if task.expected is None and not task.reference:
        return Correctness(None, reason="the task has neither an expected result nor a reference")
    gold = None if task.expected is not None and task.expected.named else gold_of(box, task)
    if not outcome.ok:
        return Correctness(0.0, reason="did_not_run")
    if gold is not None and task.expected is not None and task.expected.unit:
        return judge_in_unit(gold, task.expected.unit, outcome.result, ordered=ordered, options=options)
    if gold is not None:
        found = judge(gold, outcome.result, ordered=ordered, options=options)
        return _with_names(box, task, gold, outcome.result, found, options)
    named = (task.expected.named if task.expected is not None else None) or {}
    figures = figures_of(named, outcome.result, outcome.stdout, options.compare_options())
    if figures.all_right:
        return Correctness(1.0, passed=True)
    evidence: JsonObject = {"figures": figures.wrong}
    if outcome.stdout_cut:  # no excuse: code that prints without end must not count as code that was not judged
        evidence["problem"] = cut_words(outcome)
    return Correctness(PART * figures.share, reason=FIGURES, evidence=evidence)


def _with_names(
    box: Sandbox, task: Task, gold: Gold, result: Plain, found: Correctness, options: Options
) -> Correctness:
    """Names of columns do not matter, unless they are all that there was to do: the input has the right cells
    already."""
    if not found.passed or gold.several:
        return found
    missing = _missing_names(gold, result)
    if not missing:
        return found
    idle = [value for value in untouched(box, task) if judge(gold, value, ordered=False, options=options).passed]
    if not any(_missing_names(gold, value) for value in idle):
        return found
    return Correctness(PART, reason="names_differ", evidence={"missing_names": sorted(missing)[:20]}, cell_f1=1.0)


def _missing_names(gold: Gold, result: Plain) -> set[str]:
    given = {composed(name) for name in given_table(result).table.names}
    return {name for name in gold.parts[0].names if composed(name) not in given}


def _does_nothing(box: Sandbox, task: Task, gold: Gold) -> bool:
    """Whether the input is the right result already, names included."""
    idle = [value for value in untouched(box, task) if judge(gold, value, ordered=True, options=EXACT).passed]
    return any(not _missing_names(gold, value) for value in idle)


class Gold(msgspec.Struct, frozen=True):
    """The right result: one table, or several results that are compared one by one. ``value`` is what it was before it
    became a table."""

    parts: tuple[Table, ...]
    several: bool = False
    value: Plain = None


def gold_of(box: Sandbox, task: Task) -> Gold:
    """The right result: what is written down, else what the reference gives."""
    expected = task.expected
    try:
        if expected is not None and expected.plot is not None and not task.reference:
            raise NotApplicable("a plot without a reference has no points on other tables")
        if expected is None or expected.plot is not None:
            gold = as_gold(reference_outcome(box, task).result, calls=bool(task.template))
            if task.setup and not task.tables and _does_nothing(box, task, gold):
                raise NotApplicable("gold_error: the reference changes nothing here")
            return gold
        if expected.file:
            return Gold((file_table(expected.file),))
        return as_gold(_written(expected), calls=bool(task.template))
    except (NoTableError, TableError) as error:
        raise NotApplicable(f"gold_error: {error}") from error


def as_gold(value: Plain, *, calls: bool) -> Gold:
    """A list of tables is several results, and so is any list when a template collects what several ``calls`` gave."""
    if isinstance(value, list | tuple) and value and (calls or any(isinstance(part, Frame | Series) for part in value)):
        return Gold(tuple(expected_table(part) for part in value), several=True, value=value)
    return Gold((expected_table(value),), value=value)


def _written(expected: Expected) -> Plain:
    if expected.table is None:
        return expected.value
    columns = tuple(Column(name, "", values) for name, values in expected.table.items())
    return Frame(max((len(column.values) for column in columns), default=0), columns)


def judge(gold: Gold, result: Plain, *, ordered: Ordered, options: Options) -> Correctness:
    """A result against the right one. Of several, all must be right; else the mean of their cells' F1 counts."""
    if not gold.several:
        return _read(gold.value, gold.parts[0], result, ordered=ordered, options=options)
    if not isinstance(result, list | tuple) or len(result) != len(gold.parts):
        return Correctness(0.0, reason="row_count", evidence={"problem": f"{len(gold.parts)} results are expected"})
    found = [
        _read(value, part, given, ordered=ordered, options=options)
        for value, part, given in zip(gold.value, gold.parts, result, strict=True)
    ]
    wrong = {place: one for place, one in enumerate(found) if not one.passed}
    normalised = tuple(sorted({name for one in found for name in one.normalised}))
    if not wrong:
        return Correctness(1.0, passed=True, normalised=normalised, cell_f1=1.0)
    f1 = sum(one.cell_f1 for one in found) / len(found)
    place, first = next(iter(wrong.items()))
    evidence = {**first.evidence, "wrong_results": list(wrong), "shown_result": place}
    return Correctness(PART * f1, reason=first.reason, evidence=evidence, cell_f1=f1)


def judge_in_unit(gold: Gold, unit: str, result: Plain, *, ordered: Ordered, options: Options) -> Correctness:
    """A result with or without a unit against a right one with a unit."""
    try:
        found = [judge(gold, one, ordered=ordered, options=options) for one in readings_in(unit, result)]
    except UnitDiffers as error:
        return Correctness(0.0, reason=UNIT_DIFFERS, evidence={"problem": str(error)})
    word = next((one for one in found if one.passed), found[0])
    if not word.passed and same_number(result, gold.value):
        problem = f"the number is right, and its unit is not: {unit} is expected"
        return Correctness(0.0, reason=UNIT_DIFFERS, evidence={"problem": problem})
    return word


def _read(value: Plain, table: Table, result: Plain, *, ordered: Ordered, options: Options) -> Correctness:
    """One result against the right one in every form in which the two can be compared; the first that agrees counts."""
    found: list[Correctness] = []
    for gold, given in readings(value, result):
        right = table if gold is value else expected_table(gold)
        order: Ordered = False if isinstance(gold, Unordered) else (ordered or has_places(gold))
        if order and isinstance(given, Unordered):
            found.append(_in_no_order(right, given, options))
        else:
            nameless = "given" if has_rows_without_names(given) else "gold" if has_rows_without_names(gold) else ""
            found.append(_judge(right, given, ordered=order, options=options, nameless=nameless))
        if found[-1].passed:
            return found[-1]
    return found[0]


def _in_no_order(gold: Table, result: Plain, options: Options) -> Correctness:
    """A set where an order is asked for: it may hold the right items, and no order."""
    found = _judge(gold, result, ordered=False, options=options)
    if not found.passed or gold.height < 2:
        return found
    return Correctness(PART, reason="order_differs", evidence={"problem": "a set has no order"}, cell_f1=1.0)


def _judge(gold: Table, result: Plain, *, ordered: Ordered, options: Options, nameless: str = "") -> Correctness:
    """One result against the right one. ``nameless``: which of the two has columns without names, which count by their
    places."""
    if result is None and any(value is not None for place in range(gold.width) for value in gold.texts(place)):
        return Correctness(
            0.0, reason="no_table", evidence={"problem": "the code left None where a result is expected"}
        )
    try:
        given = given_table(result)
    except NoTableError as error:
        return Correctness(0.0, reason=f"error: {error}", evidence={"problem": str(error)})
    if given.table.width > max(MOST_COLUMNS, gold.width):
        problem = f"{given.table.width:,} columns; {MOST_COLUMNS:,} can be compared"
        return Correctness(0.0, reason="no_table", evidence={"problem": problem})
    if gold.height == 0 or given.table.height == 0:
        return _empty(gold, given)
    compare = options.compare_options()
    match = match_tables(gold, given.table, ignore_order=not ordered, options=compare)
    if ordered and not match.passed and match.reason == "order_differs":
        match = but_for_ties(gold, given.table, match, compare, ordered if isinstance(ordered, tuple) else ())
    if match.reason == LABELS_SWAPPED:
        return _mislabelled([each["header"] for each in match.evidence["labels"]])
    if not match.passed:
        f1 = min(1.0, max(0.0, match.cell_f1))
        return Correctness(PART * f1, reason=match.reason, evidence=match.evidence, cell_f1=f1)
    if _has_complex(gold) != _has_complex(given.table):
        problem = "complex numbers are expected" if _has_complex(gold) else "complex numbers are not expected"
        return Correctness(0.0, reason="values_differ", evidence={"problem": problem})
    wrong_labels = swapped_labels(gold, given.table, match.mapping, ordered=bool(ordered), options=compare)
    if nameless and not wrong_labels:
        any_kind = nameless == "given"
        wrong_labels = out_of_place(
            gold, given.table, match.mapping, ordered=bool(ordered), options=compare, any_kind=any_kind
        )
    if wrong_labels:
        return _mislabelled(wrong_labels)
    zoned = zones_differ(gold, given.table, match.mapping)
    if zoned:
        problem = f'times with and without a time zone are never equal (column "{zoned[:80]}")'
        return Correctness(0.0, reason="values_differ", evidence={"problem": problem})
    extra = [] if options.extra_columns else _extra(given, match.mapping)
    if extra:
        f1 = 2 * gold.width / (2 * gold.width + len(extra))
        names = [given.table.names[place][:80] for place in extra[:20]]
        return Correctness(PART * f1, reason="extra_columns", evidence={"extra_columns": names}, cell_f1=f1)
    return Correctness(1.0, passed=True, normalised=match.normalised, cell_f1=1.0)


def _has_complex(table: Table) -> bool:
    return any(name.endswith(IMAGINARY) for name in table.names)


def _mislabelled(names: Sequence[str]) -> Correctness:
    """The right cells under the wrong labels."""
    evidence = {"swapped_labels": [name[:80] for name in names[:20]]}
    return Correctness(PART, reason=LABELS_SWAPPED, evidence=evidence, cell_f1=1.0)


def _empty(gold: Table, given: Shaped) -> Correctness:
    """Tables without rows: nothing but the names of their columns can tell them apart."""
    needed = {folded(name) for name in gold.names}
    offered = {folded(name) for name in given.table.names}
    if gold.height == given.table.height and (needed <= offered or gold.width == given.table.width == 1):
        return Correctness(1.0, passed=True, cell_f1=1.0)
    sizes = {"gold_size": [gold.height, gold.width], "pred_size": [given.table.height, given.table.width]}
    return Correctness(
        0.0, reason="row_count" if gold.height != given.table.height else "missing_column", evidence=sizes
    )


def _extra(given: Shaped, mapping: Sequence[int | None]) -> list[int]:
    """Columns that were not asked for: none of the index, and none that says the same as one that was."""
    used = {place for place in mapping if place is not None}
    if not used:  # a wide row for a long table: each of its columns is a row of the other
        return []
    known = {tuple(given.table.texts(place)) for place in used}
    return [
        place
        for place in range(given.table.width)
        if place not in used | given.free and tuple(given.table.texts(place)) not in known
    ]


def score(comparison: Comparison) -> Score:
    found = comparison.correctness
    return not_applicable(found.reason) if found.score is None else Score(found.score, "scored", found.reason)


metric = Metric(
    "correctness",
    "correctness",
    "1 if the result equals the expected one, else half of the cell F1; 0 if it did not run",
    score,
)
