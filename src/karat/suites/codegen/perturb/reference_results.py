"""What is right on each changed copy: the reference's own result there, computed once a task and kept with the sandbox.

A copy tells nothing, and is left out by name, when the reference fails on it, when its result there has no plain form,
or when it is not settled: two runs differ, its result misses values or is empty there and is not on the task's own
tables, or it has ties. Ties show when the same rows in reverse, with other texts in place of the categories (see
``labels``), give another result; where the order of rows or the texts matter to the task as given, they stay.
"""

from __future__ import annotations

import ast
import json
import random
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from weakref import WeakKeyDictionary

import msgspec

from karat.sandbox import Sandbox
from karat.suites.codegen.analysis.answer_facts import facts_of
from karat.suites.codegen.analysis.records import CodeFacts
from karat.suites.codegen.analysis.sql_facts import sql_constants
from karat.suites.codegen.metrics.correctness import Gold, as_gold, judge
from karat.suites.codegen.options import Options
from karat.suites.codegen.perturb.change import Hints
from karat.suites.codegen.perturb.copies import PLAN, SEED, Copier
from karat.suites.codegen.perturb.kinds.limits import ORDERED, limits_in
from karat.suites.codegen.perturb.kinds.missing import keeps_null_groups, missing_of
from karat.suites.codegen.perturb.kinds.near_misses import (
    asked_for_at,
    folds_case,
    folds_case_in_sql,
    ties_free,
    whole_values,
)
from karat.suites.codegen.perturb.labels import Mirror, relabelled, relabelled_tables, relabelling
from karat.suites.codegen.perturb.profile import height_of
from karat.suites.codegen.perturb.runs import on_all
from karat.suites.codegen.question.records import Asked
from karat.suites.codegen.records import Columns, Task
from karat.suites.codegen.results.tables import NoTableError
from karat.suites.codegen.running.execution import given_tables, limits_of
from karat.suites.codegen.running.references import columns_of, digest, schema_of
from karat.suites.codegen.running.sql_programs import query_in
from karat.tables.table import Table

NOT_TRIED = "was not tried"
ORDERED_BY, SHUFFLES = 8, 4
"""How many columns rows are put in order of, and how many more orders are tried, before an answer is called wrong."""
ROWS = 400
CELLS = 6_000
"""Copies are made from this many rows of all tables together at most: what only fits the data shows on a part of it
too."""
KEPT = 8
NOTHING_ASKED, NO_FACTS = Asked(), CodeFacts()
_ANCHORS = re.compile(r"\\b|\^|\$")
_NAMING = frozenset({"==", "!=", "in", "contains"})
_DIFFERENT = frozenset({"nunique", "unique", "drop_duplicates", "duplicated", "set", "distinct", "n_unique"})

_SAMPLE = """
import json as _json
_frame = next(iter(tables.values()))
_most, _named = _json.loads(_given)
if len(_frame) > _most:
    _hits = np.zeros(len(_frame), dtype=bool)
    for _place in range(_frame.shape[1]):
        try:
            _hits |= _frame.iloc[:, _place].isin(_named).to_numpy(dtype=bool)
        except (TypeError, ValueError):
            pass
    _about = np.flatnonzero(_hits)
    if len(_about) > _most // 2:
        _about = _about[np.linspace(0, len(_about) - 1, _most // 2).astype(int)]
    _even = np.linspace(0, len(_frame) - 1, _most - len(_about)).astype(int)
    _frame = _frame.iloc[np.unique(np.concatenate([_about, _even]))].reset_index(drop=True)
result = _frame
"""


class Right(msgspec.Struct, frozen=True):
    """The right result on one copy. ``telling``: it is another one than on the task's own tables."""

    kind: str
    tables: dict[str, Columns]
    gold: Gold
    telling: bool


class ReferenceResults(msgspec.Struct, frozen=True):
    """The copies of one task and what is right on them. ``problem``: why there are none; ``left_out``: kinds that could
    not be used."""

    right: tuple[Right, ...] = ()
    left_out: dict[str, str] = {}
    problem: str = ""
    own: Gold | None = None
    """What the reference gives on the part of the tables that the copies are made from."""
    copier: Copier | None = None
    labels_free: bool = False
    """Whether the reference gives the same with other texts in place of the categories."""


def build(box: Sandbox, task: Task, gold: Gold, asked: Asked, options: Options) -> ReferenceResults:
    """Make the copies and run the reference on them."""
    hints = hints_of(task.reference, asked, facts_of(task, task.reference, schema_of(box, task)[0]))
    tables = sampled(box, task, hints)
    if isinstance(tables, str):
        return ReferenceResults(problem=tables)
    same = _Same(asked, options)
    labels = relabelling(tables, hints.named)
    own, *turned, renamed = _results(
        box, task, [tables, _reversed(tables), _turned(tables), relabelled_tables(tables, labels)]
    )
    if isinstance(own, str):
        return ReferenceResults(problem=f"the reference {own} on a part of the tables")
    keep_order = not all(same(own, other) for other in turned)
    labels_free = same(_relabelled(own, labels), renamed)
    widest = min((len(columns) for columns in tables.values()), default=0)
    more = not asked.whole_table and not gold.several and gold.parts[0].width < widest
    copier = Copier(tables, msgspec.structs.replace(hints, keep_order=keep_order, more_columns=more))
    references = ReferenceResults(own=own, copier=copier, labels_free=labels_free)
    return _with_copies(box, task, references, copier, PLAN, same)


def at_limits_of(
    box: Sandbox, task: Task, references: ReferenceResults, facts: CodeFacts, asked: Asked, options: Options
) -> tuple[Right, ...]:
    """One more copy for the limits that only the code names: ``!= 45`` shows where there is a 45."""
    copier = references.copier
    if copier is None:
        return ()
    known = {(limit.column, limit.value) for limit in copier.hints.limits}
    new = [limit for limit in limits_in(facts.filters, given=False) if (limit.column, limit.value) not in known]
    if not new:
        return ()
    other = Copier(copier.tables, msgspec.structs.replace(copier.hints, limits=tuple(new)))
    return _with_copies(box, task, references, other, (("limits", 0),), _Same(asked, options)).right


def settled(
    box: Sandbox, task: Task, references: ReferenceResults, right: Right, asked: Asked, options: Options
) -> bool:
    """Whether the right result on a copy stays the same in any order of rows: looked at closely where an answer is
    about to be called wrong there. Rows in reverse do not show every tie: of FR, DE, DE, FR the first one is FR both
    ways."""
    copier = references.copier
    if copier is None or copier.hints.keep_order:
        return True
    same = _Same(asked, options)
    before, after = Mirror(copier.tables), Mirror(right.tables)
    mirrors = (
        [before.tables(), after.tables()] if before.ends and not copier.hints.zones else []
    )  # days would move apart
    found = _results(box, task, [*_other_orders(right.tables), *mirrors])
    orders, mirrored = found[: len(found) - len(mirrors)], found[len(found) - len(mirrors) :]
    if not all(same(right.gold, one) for one in orders):
        return False
    if not mirrored or references.own is None or not same(_mirrored(references.own, before), mirrored[0]):
        return True
    return same(_mirrored(right.gold, after), mirrored[1])


def _mirrored(gold: Gold, mirror: Mirror) -> Gold:
    return as_gold(mirror.result(gold.value), calls=False)


def _other_orders(tables: Mapping[str, Columns]) -> Iterator[dict[str, Columns]]:
    """The rows of each table by each of its columns, up and down, and in orders of chance."""
    widest = max((len(columns) for columns in tables.values()), default=0)
    for place in range(min(widest, ORDERED_BY)):
        for falls in (False, True):
            yield {name: _by_column(columns, place, falls) for name, columns in tables.items()}
    pick = random.Random(SEED)  # noqa: S311 (no secret)
    for _ in range(SHUFFLES):
        heights = {name: height_of(columns) for name, columns in tables.items()}
        yield {name: _taken(tables[name], pick.sample(range(height), height)) for name, height in heights.items()}


def _by_column(columns: Columns, place: int, falls: bool) -> Columns:
    rows = range(height_of(columns))
    by = [str(value) for value in list(columns.values())[place % len(columns)]] if columns else []
    return _taken(columns, sorted(rows, key=by.__getitem__, reverse=falls))


def _taken(columns: Columns, rows: Sequence[int]) -> Columns:
    return {name: [values[row] for row in rows] for name, values in columns.items()}


class _Same:
    """Whether two results of the reference are equal, as an answer's would have to be."""

    def __init__(self, asked: Asked, options: Options) -> None:
        self.ordered = asked.ordered
        self.options = options

    def __call__(self, one: Gold | str, other: Gold | str) -> bool:
        if isinstance(one, str) or isinstance(other, str):
            return one == other
        return judge(one, other.value, ordered=self.ordered, options=self.options).passed


def _with_copies(
    box: Sandbox, task: Task, references: ReferenceResults, copier: Copier, plan: Sequence[tuple[str, int]], same: _Same
) -> ReferenceResults:
    """The results with these copies, as far as what is right on them is settled."""
    own, keep_order = references.own, copier.hints.keep_order
    if own is None:
        return references
    copies = [(kind, copy) for kind, seed in plan if (copy := copier.copy(kind, seed)) is not None]
    relabels = references.labels_free and not copier.hints.folds_case  # it names texts in another case than the tables
    labels = [relabelling(copy, copier.hints.named) if relabels else {} for _, copy in copies]
    again = [
        relabelled_tables(copy if keep_order else _reversed(copy), names)
        for (_, copy), names in zip(copies, labels, strict=True)
    ]
    # Each copy beside its second form: code that is run copy by copy is only tried on the first few.
    found = _results(
        box, task, [one for (_, copy), second in zip(copies, again, strict=True) for one in (copy, second)]
    )
    bare = _results(box, task, [_without_gaps(copy, copier) for kind, copy in copies if kind == "unseen_nulls"])
    right: list[Right] = []
    left_out: dict[str, str] = {}
    for (kind, copy), names, there, second in zip(copies, labels, found[::2], found[1::2], strict=True):
        known = bare.pop(0) if kind == "unseen_nulls" else ""
        null_groups = kind == "unseen_nulls" and bool(copier.hints.missing.grouped)
        if isinstance(there, str) or second == NOT_TRIED:
            left_out.setdefault(kind, f"the reference {there if isinstance(there, str) else second}")
        elif _holds_nulls(there) and not (_holds_nulls(own) or null_groups):
            left_out.setdefault(kind, "the reference does not say what is right where values are missing")
        elif kind == "unseen_nulls" and (
            _loses_a_group(own, there, more=null_groups) or _hides_a_group(own, there, known, copy)
        ):
            left_out.setdefault(kind, "the reference does not say what is right where a group has no values left")
        elif _is_empty(there) and not _is_empty(own):
            left_out.setdefault(kind, "nothing is left of the reference's result")
        elif not same(_relabelled(there, names), second):
            left_out.setdefault(kind, "the reference gives two results" if keep_order else "it has ties")
        else:
            right.append(Right(kind, copy, there, not same(own, there)))
    tried = {one.kind for one in right}
    left_out = {kind: why for kind, why in left_out.items() if kind not in tried or not why.endswith(NOT_TRIED)}
    return msgspec.structs.replace(references, right=tuple(right), left_out=left_out)


def _relabelled(gold: Gold | str, labels: Mapping[str, str]) -> Gold | str:
    if isinstance(gold, str) or not labels:
        return gold
    return as_gold(relabelled(gold.value, labels), calls=False)


def _loses_a_group(own: Gold, there: Gold, *, more: bool) -> bool:
    """Whether a row is gone because all of its values are missing, or holds nothing but its labels:
    ``pivot_table`` drops such a row, and ``unstack`` keeps it. ``more``: that of the nulls may come."""
    heights = [(before.height, after.height) for before, after in zip(own.parts, there.parts, strict=True)]
    if any(after < before or (after > before and not more) for before, after in heights):
        return True
    return any(_bare_rows(after) > _bare_rows(before) for before, after in zip(own.parts, there.parts, strict=True))


def _without_gaps(copy: Mapping[str, Columns], copier: Copier) -> dict[str, Columns]:
    """A copy without the rows in which a measured value went missing."""
    found: dict[str, Columns] = {}
    for name, columns in copy.items():
        about = copier.profiles[name].columns
        measured = [one for one in columns if one in copier.hints.missing.measured and one in about]
        gaps = [columns[one] for one in measured if not about[one].nulls]
        rows = [row for row in range(height_of(columns)) if all(values[row] is not None for values in gaps)]
        found[name] = _taken(columns, rows)
    return found


def _hides_a_group(own: Gold, there: Gold, known: Gold | str, copy: Mapping[str, Columns]) -> bool:
    """Whether a row of totals is about nothing but missing values: code that leaves them out first has no such row."""
    if isinstance(known, str):
        return False
    most = max(map(height_of, copy.values()), default=0)
    totals = all(2 * part.height <= most for part in own.parts)
    return totals and any(a.height > b.height for a, b in zip(there.parts, known.parts, strict=False))


def _bare_rows(table: Table) -> int:
    """Rows without a value in any column that has nulls at all, where there are several such columns."""
    columns = [texts for place in range(table.width) if None in (texts := table.texts(place))]
    return sum(all(cell is None for cell in row) for row in zip(*columns, strict=True)) if len(columns) > 1 else 0


def _is_empty(gold: Gold) -> bool:
    return all(part.height == 0 for part in gold.parts)


def _holds_nulls(gold: Gold) -> bool:
    return any(None in part.texts(place) for part in gold.parts for place in range(part.width))


def _results(box: Sandbox, task: Task, copies: Sequence[Mapping[str, Columns]]) -> list[Gold | str]:
    """What the reference gives on each copy, or in words why nothing."""
    found: list[Gold | str] = []
    for ran in on_all(box.apart(), task, task.reference, copies):
        try:
            found.append(as_gold(ran.value, calls=False) if ran.ok else NOT_TRIED if ran.late else "fails")
        except NoTableError:
            found.append("gives nothing that can be compared")
    return found


_kept_results: WeakKeyDictionary[Sandbox, OrderedDict[object, ReferenceResults]] = WeakKeyDictionary()


def reference_results_of(box: Sandbox, task: Task, gold: Gold, asked: Asked, options: Options) -> ReferenceResults:
    """The reference results of a task, kept, so that the reference runs once however many answers there are."""
    kept = _kept_results.setdefault(box, OrderedDict())
    key = (
        digest(task, task.reference),
        asked.ordered,
        asked.whole_table,
        asked.distinct,
        asked.open_limits,
        asked.says_ties,
        asked.mentioned,
        options.compare_options(),
    )
    found = kept.get(key)
    if found is None:
        found = kept[key] = build(box, task, gold, asked, options)
        while len(kept) > KEPT:
            kept.popitem(last=False)
    return found


def sampled(box: Sandbox, task: Task, hints: Hints) -> dict[str, Columns] | str:
    """The tables, large ones in part: rows with what the reference names, and others. A text says why they cannot be
    had."""
    most = max(ROWS // max(1, len(task.tables)), 20)
    named = json.dumps([value for value in hints.named if isinstance(value, str | int | float)])
    found: dict[str, Columns] = {}
    for name, source in given_tables(task).items():
        code = f"_given = {json.dumps(f'[{most}, {named}]')}\n{_SAMPLE}"
        columns = columns_of(box.run(code, {name: source}, limits=limits_of(task)).result)
        if columns is None:
            return f'the table "{name}" holds values that cannot be changed and sent'
        width = max(1, len(columns))
        short = max(20, CELLS // len(task.tables) // width)
        found[name] = {label: values[:short] for label, values in columns.items()}
    if not any(values for columns in found.values() for values in columns.values()):
        return "the tables are empty"
    return found


_CALENDAR = re.compile(
    r"\b(?:month|year|quarter|month_name|to_period|Grouper|resample|date_trunc|group_by_dynamic|datetrunc|extract)\b"
    r"|strftime\s*\(\s*['\"]%[YmbBy]|%Y-%m(?!-%d)",
    re.I,
)
"""Code that takes months or years of dates."""
_SORTING = frozenset(
    {"sort_values", "sort_index", "sort", "sorted", "nlargest", "nsmallest", "argsort", "top_k", "bottom_k", "order"}
)
_SEQUENTIAL = re.compile(
    r"\b(?:shift|diff|rolling|expanding|ewm|cum\w+|pct_change|[fb]fill|interpolate|resample|asfreq|lag|lead|zip|pairwise"
    r"|rle\w*|while|for|rows|range)\b"
)
"""Code that may compare rows with those before or after them."""
_HOURS = re.compile(r"\b(?:hour|between_time|at_time|time)\b|%H", re.I)
"""Code that takes the time of day."""
_REPEATS = frozenset({"duplicated", "is_unique", "is_duplicated"})
"""What asks whether rows or values repeat."""
_STRIPPING = frozenset({"strip", "strip_chars"})
_TRIMS = re.compile(r"\btrim\s*\(", re.I)
_ZONES = re.compile(r"\butc\b|\btz_\w+|time_?zone|\bastimezone\b|ZoneInfo|convert_time_zone|at\s+time\s+zone", re.I)
"""Code that speaks of time zones."""


def hints_of(reference: str, asked: Asked = NOTHING_ASKED, facts: CodeFacts = NO_FACTS) -> Hints:
    """What the reference's own text says."""
    limits = limits_in(facts.filters, given=True)
    try:
        tree = ast.parse(reference)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Hints()
    constants = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    query = query_in(reference)
    if query is not None:
        constants = list(sql_constants(query))
    naming = [one.value for one in facts.filters if one.operator in _NAMING]  # also out of a text: query("a == 'b'")
    constants += [*naming, *(_ANCHORS.sub("", value) for value in naming)]
    named = frozenset(value for value in constants if isinstance(value, str | int | float))
    words = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    words |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return Hints(
        named,
        counts_different=asked.distinct and bool(words & _DIFFERENT),
        folds_case=folds_case(tree) or (query is not None and folds_case_in_sql(query)),
        ties_free=ties_free(asked, counts_different=bool(words & _DIFFERENT)),
        says_ties=asked.says_ties,
        ranks_in_place=asked.says_ties and query is None and not words & _SORTING,
        whole_values=whole_values(tree),
        zones=bool(_ZONES.search(reference)),
        sequential=bool(_SEQUENTIAL.search(reference)),
        hours=bool(_HOURS.search(reference)),
        beginnings=frozenset(asked_for_at(tree, "startswith", "starts_with")),
        endings=frozenset(asked_for_at(tree, "endswith", "ends_with")),
        seeks_repeats=bool(words & _REPEATS),
        strips=bool(words & _STRIPPING) or (query is not None and bool(_TRIMS.search(query))),
        numbers=tuple(dict.fromkeys(_numbers_in(constants))),
        ordered=frozenset(one.column for one in facts.filters if one.operator in ORDERED and one.value),
        calendar=bool(_CALENDAR.search(reference)),
        limits=limits,
        compared=frozenset(one.column for one in facts.filters if one.operator in ORDERED and not one.value),
        missing=missing_of(facts, keeps_nulls=keeps_null_groups(tree)),
        mentioned=frozenset(asked.mentioned),
        equal_texts=frozenset(one.value for one in facts.filters if one.operator in ("==", "!=", "in")),
        same_texts=frozenset(one.value for one in facts.filters if one.operator in ("==", "!=")),
        open_limits=asked.open_limits,
    )


def _numbers_in(constants: Sequence[object]) -> Iterator[float]:
    """Numbers, also those that begin a part of a text: 24 of ``'24h'`` and 7 of ``'07:00'``."""
    for one in constants:
        if isinstance(one, int | float) and not isinstance(one, bool):
            yield one
        elif isinstance(one, str):
            yield from (float(part) for part in re.findall(r"(?<![\d.-])\d{1,7}", one))


def _reversed(tables: Mapping[str, Columns]) -> dict[str, Columns]:
    return {name: {label: values[::-1] for label, values in columns.items()} for name, columns in tables.items()}


def _turned(tables: Mapping[str, Columns]) -> dict[str, Columns]:
    """Every other row first."""
    return {
        name: {label: [*values[1::2], *values[::2]] for label, values in columns.items()}
        for name, columns in tables.items()
    }
