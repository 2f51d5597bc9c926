"""Right code without a reference: at least its result must depend on the tables.

Nothing says what is right on other tables, but the code can be run on them. A result that stays the same whatever the
tables hold is a constant, in whichever disguise. The tables are changed beyond all likeness for this: other numbers,
texts and dates, some of the rows, all of them twice, another column. So a right "are all prices above 0" changes, too.

- depends on nothing: wrong
- changes only where values are missing, though none is in the task's tables: right where the result says so (0, no,
  nothing, all rows), else wrong: ``isna().sum() + 2``
- changes only with the number of rows, uses no column, and the question names one: wrong unless it is the number of
  rows itself: ``len(t) - 4``

The tables are also tried with every column twice and with other types, for code that asks for names or types; to fail
on those says nothing. Where code does ask for them, yes, no and 0 may stay the same even so.

Not recognised: code that uses a table of another name.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from datetime import date, timedelta

from karat.sandbox import Plain, Sandbox
from karat.suites.codegen.analysis.records import CodeFacts
from karat.suites.codegen.metrics.correctness import EXACT, as_gold, judge
from karat.suites.codegen.perturb.copies import SEED
from karat.suites.codegen.perturb.profile import Profile, parsed, profiles_of, written
from karat.suites.codegen.perturb.random_values import new_value
from karat.suites.codegen.perturb.reference_results import hints_of, sampled
from karat.suites.codegen.perturb.runs import Ran, on_all
from karat.suites.codegen.question.records import Asked
from karat.suites.codegen.records import Cell, Columns, Task
from karat.suites.codegen.results.tables import NoTableError

_ABOUT_TYPES = re.compile(r"\b(dtypes?|columns|info|select_dtypes|keys|names|isinstance|type)\b")
_SHIFT = timedelta(days=400)


def constant_word(box: Sandbox, task: Task, code: str, result: Plain, *, asked: Asked, facts: CodeFacts) -> str:
    """Why the result says nothing of these tables; empty when it may."""
    if facts.tables and _ABOUT_TYPES.search(code) and (isinstance(result, bool) or not result):
        return ""
    tables = sampled(box, task, hints_of(""))
    if isinstance(tables, str):
        return ""
    profiles = profiles_of(tables)
    pick = random.Random(SEED)  # noqa: S311 (no secret)
    other = {name: _other(columns, profiles[name], pick) for name, columns in tables.items()}
    mixed = {name: _rows(columns, lambda n: pick.sample(range(n), n)) for name, columns in other.items()}
    fewer = {name: _rows(columns, lambda n: range(1, max(2, n // 3 + 1))) for name, columns in tables.items()}
    twice = {name: _rows(columns, lambda n: [*range(n), *range(n)]) for name, columns in other.items()}
    missing = {name: _missing(columns, pick) for name, columns in tables.items()}
    copies = [tables, other, mixed, fewer, twice, missing, _retyped(tables), _wider(tables)]
    own, *ran = on_all(box, task, code, copies)
    if not own.ok or own.late or any(one.late for one in ran):
        return ""
    changed = [_changed(own, one) for one in ran]
    by_values, by_rows, by_nulls = any(changed[:2]), any(changed[2:4]), changed[4]
    if any(one.ok and differs for one, differs in zip(ran[5:], changed[5:], strict=True)):
        return ""
    if not by_values and not by_rows:
        if by_nulls and _says_none(result, tables):
            return ""
        return "the result is the same whatever the tables hold"
    heights = {len(next(iter(columns.values()), ())) for columns in tables.values()}
    counts = not by_values and not facts.columns and asked.columns and isinstance(result, int | float)
    if counts and int(result) not in heights | {sum(heights)}:
        return "the result depends on the number of rows alone"
    return ""


def _changed(own: Ran, one: Ran) -> bool:
    """Code that fails on other tables depends on them."""
    if not one.ok:
        return True
    try:
        return not judge(as_gold(own.value, calls=False), one.value, ordered=True, options=EXACT).passed
    except NoTableError:
        return True


def _says_none(result: Plain, tables: dict[str, Columns]) -> bool:
    """Whether a result says that nothing is missing: 0, yes or no, nothing at all, or all rows."""
    if isinstance(result, bool) or not result:
        return True
    if isinstance(result, int | float):
        return result in (1, 100) or any(
            result == len(values) for table in tables.values() for values in table.values()
        )
    return not isinstance(result, str)


def _rows(columns: Columns, chosen: Callable[[int], Cell]) -> Columns:
    height = len(next(iter(columns.values()), ()))
    rows = [row for row in chosen(height) if row < height] or list(range(min(1, height)))
    return {name: [values[row] for row in rows] for name, values in columns.items()}


def _retyped(tables: dict[str, Columns]) -> dict[str, Columns]:
    """Numbers as texts, and everything else as numbers."""
    return {
        name: {
            label: [
                None if value is None else f"n{value}" if isinstance(value, int | float) else row
                for row, value in enumerate(values)
            ]
            for label, values in columns.items()
        }
        for name, columns in tables.items()
    }


def _wider(tables: dict[str, Columns]) -> dict[str, Columns]:
    """With each column once more under a longer name."""
    return {
        name: {**columns, **{f"{label}_2": values for label, values in columns.items()}}
        for name, columns in tables.items()
    }


def _missing(columns: Columns, pick: random.Random) -> Columns:
    return {
        name: [None if pick.random() < 0.3 or not row else value for row, value in enumerate(values)]
        for name, values in columns.items()
    }


def _other(columns: Columns, profile: Profile, pick: random.Random) -> Columns:
    """Every value another one, the same for equal ones, with its type; numbers with the other sign too."""
    made: Columns = {}
    for name, values in columns.items():
        about = profile.columns[name]
        known = [value for value in values if value is not None]
        new: dict[Cell, Cell] = {}
        for value in known:
            if value in new:
                continue
            if isinstance(value, bool):
                new[value] = not value
            elif isinstance(value, int | float):
                new[value] = -3 * value - 7
            elif isinstance(value, date):
                new[value] = value + _SHIFT
            elif about.form and (moment := parsed(value, about.form)) is not None:
                new[value] = written(moment + _SHIFT, about.form)
            elif isinstance(value, str):
                new[value] = new_value(value, about, {*known, *new.values()}, known, pick)
        made[name] = [new.get(value, value) if value is not None else None for value in values]
        if len(set(map(repr, known))) > 1:  # some of them equal, some not: other counts as well
            made[name] = [made[name][0] if row % 3 == 1 else value for row, value in enumerate(made[name])]
    return made
