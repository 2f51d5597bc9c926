"""Relations: how a right result follows when the tables change in a known way. They need no reference.

Each is tried with three seeds and holds when all of them hold. A failure counts when it shows again in a process of its
own. Where it fails, rows are removed while it still fails, in at most 20 trials, so that a person can see why.

Code that is not done in time on a copy is not held to it, unless it is quick on the task's own tables. Large tables
are used in part, as for ``perturb``.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from karat.core.json_types import JsonObject
from karat.core.problems import count_of
from karat.sandbox import Plain, Sandbox, Table
from karat.suites.codegen.hidden_tests.related_results import related
from karat.suites.codegen.hidden_tests.relation_copies import (
    SEEDS,
    CannotChangeError,
    Changing,
    Tables,
    changed,
    without,
)
from karat.suites.codegen.metrics.correctness import as_gold, judge
from karat.suites.codegen.options import Options
from karat.suites.codegen.perturb.reference_results import hints_of, sampled
from karat.suites.codegen.perturb.runs import Ran, on_all, on_one, stalls
from karat.suites.codegen.question.records import Asked
from karat.suites.codegen.records import Columns, HiddenTest, Task
from karat.suites.codegen.results.tables import NoTableError

TRIALS = 20
SHOWN = 500
REASONS = {"row_order": "depends_on_row_order", "columns": "depends_on_columns"}
"""What a failed relation is called; others are ``test_failed``."""


class Related(msgspec.Struct, frozen=True):
    """What became of one relation. ``cannot``: why it says nothing about the code."""

    problem: str = ""
    cannot: str = ""
    smallest: JsonObject = {}


class RelationCheck:
    """The relations of one task."""

    def __init__(self, box: Sandbox, task: Task, asked: Asked, options: Options) -> None:
        self.box = box
        self.task = task
        self.asked = asked
        self.options = options

    def tried(self, test: HiddenTest, code: str, result: Plain) -> Related:
        """One relation for one piece of code."""
        tables = self._tables()
        if isinstance(tables, str):
            return Related(cannot=tables)
        about = Changing(test, frozenset(self.asked.columns), not self.asked.whole_table and _narrow(result, tables))
        try:
            copies = [changed(tables, about, seed) for seed in SEEDS]
        except CannotChangeError as error:
            return Related(cannot=str(error))
        own, *ran = on_all(self.box, self.task, code, [tables, *copies])
        if not own.ok:
            return Related(cannot=f"the code does not run on a part of the tables: {own.error or 'not done in time'}")
        late = 0
        for seed, copy, there in zip(SEEDS, copies, ran, strict=True):
            if there.late:
                late += 1
                continue
            problem = self._problem(test, own, there, copy)
            if problem:
                there = on_one(self.box, self.task, code, copy)
                problem = "" if there.late else self._problem(test, own, there, copy)
            if problem:
                return Related(f"{problem} (seed {seed})", smallest=self._smallest(about, code, tables, seed))
        if late < len(SEEDS):
            return Related()
        if stalls(self.box, self.task, code, copies[0]):
            return Related("the code does not end on the changed tables")
        return Related(cannot="the code did not finish in time on the changed tables")

    def _tables(self) -> Tables | str:
        task = self.task
        if not task.tables or task.template or task.harness is not None:
            return "the task creates its inputs in its own code, which is not changed"
        return sampled(self.box, task, hints_of(task.reference))

    def _problem(self, test: HiddenTest, own: Ran, there: Ran, copy: Mapping[str, Columns]) -> str:
        """Why what the code gave on a copy does not follow from what it gave before; empty when it does."""
        if not there.ok:
            return f"the code did not run on the changed tables: {there.error}"
        right = related(own.value, test.result, 2 if test.relation == "duplicated" else test.factor)
        if test.relation == "nulls" and self.task.reference:
            by_reference = on_one(self.box, self.task, self.task.reference, copy)
            right = by_reference.value if by_reference.ok else right
        try:
            found = judge(as_gold(right, calls=False), there.value, ordered=self.asked.ordered, options=self.options)
        except NoTableError as error:
            return str(error)
        return "" if found.passed else f"the result changes from {_text(right)} to {_text(there.value)}"

    def _smallest(self, about: Changing, code: str, tables: Tables, seed: int) -> JsonObject:
        """The smallest tables on which it was seen to fail: parts of the rows are removed, halves first."""
        rows = [(name, row) for name, columns in tables.items() for row in range(_height(columns))]
        found, size, trials = self._failing(about, code, tables, seed), max(1, len(rows) // 2), 1
        kept, at = rows, 0
        while found and trials < TRIALS and len(kept) > 1:
            left = kept[:at] + kept[at + size :]
            gone = set(rows) - set(left)
            smaller = self._failing(about, code, without(tables, sorted(gone)), seed) if left else {}
            trials += 1
            if smaller:
                found, kept = smaller, left
            else:
                at += size
            if at >= len(kept):
                if size == 1 and not smaller:
                    break
                size, at = max(1, size // 2), 0
        return found

    def _failing(self, about: Changing, code: str, tables: Tables, seed: int) -> JsonObject:
        """What is shown of a failure on these tables; empty when it does not fail there, or the reference does."""
        try:
            copy = changed(tables, about, seed)
        except CannotChangeError:
            return {}
        own, there = on_all(self.box, self.task, code, [tables, copy])
        if not own.ok or there.late or not self._problem(about.test, own, there, copy):
            return {}
        if self.task.reference:
            right, right_there = on_all(self.box.apart(), self.task, self.task.reference, [tables, copy])
            if not right.ok or not right_there.ok or self._problem(about.test, right, right_there, copy):
                return {}
        after = _text(there.value) if there.ok else there.error
        return {"tables": tables, "changed": copy, "result": _text(own.value), "changed_result": after, "seed": seed}


def _narrow(result: Plain, tables: Mapping[str, Columns]) -> bool:
    """Whether a result has fewer columns than every table: then further columns should not come into it."""
    width = len(result.columns) if isinstance(result, Table) else 1
    return width < min(len(columns) for columns in tables.values())


def _height(columns: Columns) -> int:
    return len(next(iter(columns.values()), ()))


def _text(value: Plain) -> str:
    try:
        table = as_gold(value, calls=False).parts[0]
    except NoTableError:
        return repr(value)[:SHOWN]
    if table.height == table.width == 1:
        return str(table.texts(0)[0])[:SHOWN]
    rows = [
        ", ".join(str(table.texts(place)[row]) for place in range(table.width)) for row in range(min(table.height, 8))
    ]
    more = f" and {count_of(table.height - 8, 'more row')}" if table.height > 8 else ""
    return f"[{'; '.join(rows)}{more}]"[:SHOWN]
