"""Tables changed so that the right result on them follows from that on the task's own, without a reference.

| relation | change |
|---|---|
| ``row_order`` | the rows in another order; the first and the last one move |
| ``columns`` | the columns in another order, a text column before them and a number column after them |
| ``irrelevant_rows`` | more rows, all with what ``where`` says |
| ``duplicated`` | every row twice, keys renewed |
| ``scaled`` | a number column times ``factor`` |
| ``nulls`` | more rows whose measured columns are null |
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

import msgspec

from karat.suites.codegen.perturb.change import Change, Hints
from karat.suites.codegen.perturb.copies import SEED
from karat.suites.codegen.perturb.copy_kinds import KINDS
from karat.suites.codegen.perturb.profile import Profile, profiles_of
from karat.suites.codegen.records import Cell, Columns, HiddenTest
from karat.suites.codegen.tasks.assert_code import Condition, conditions_in

SEEDS = (0, 1, 2)
Tables = dict[str, Columns]


class CannotChangeError(Exception):
    """Why the tables cannot be changed in this way."""


class Changing(msgspec.Struct, frozen=True):
    """What a change needs to know beside the tables."""

    test: HiddenTest
    named: frozenset[str] = frozenset()
    """Columns that the question names."""
    more_columns: bool = True
    """Whether further columns may be added: not where the result has all columns of a table."""


def changed(tables: Mapping[str, Columns], about: Changing, seed: int) -> Tables:
    """One changed copy of all tables. Raises CannotChangeError where nothing can be changed."""
    kind = about.test.relation or ""
    profiles = profiles_of(tables)
    made: Tables = {}
    for name, columns in tables.items():
        pick = random.Random(f"{SEED}relation{kind}{seed}{name}")  # noqa: S311 (no secret)
        change = Change(columns, profiles[name], Hints(more_columns=about.more_columns), pick, seed)
        made[name] = _CHANGES[kind](change, about) if change.height else dict(columns)
    if all(list(made[name].items()) == list(columns.items()) for name, columns in tables.items()):
        raise CannotChangeError(_UNCHANGED.get(kind, "there is nothing to change in the tables"))
    return made


_UNCHANGED = {
    "nulls": "no column of numbers is named in the question; say which with column",
    "scaled": "the column holds no numbers",
    "irrelevant_rows": "no table has the columns of the filter",
}


def _irrelevant_rows(change: Change, about: Changing) -> Columns:
    conditions = conditions_in(about.test.where)
    if isinstance(conditions, str):
        raise CannotChangeError(conditions)
    if not {condition.column for condition in conditions} <= set(change.columns):
        return dict(change.columns)
    added = _some_rows(change)
    made = change.take([*change.rows, *added])
    for condition in conditions:
        made[condition.column] = [
            value if row < change.height else _meeting(condition, change.pick)
            for row, value in enumerate(made[condition.column])
        ]
    return made


def _meeting(condition: Condition, pick: random.Random) -> Cell:
    """A value for which a condition is true."""
    if condition.sign == "in":
        return pick.choice(list(condition.value))
    step = {">": 1, "<": -1}.get(condition.sign, 0) * pick.randint(1, 9)
    return condition.value + step if step else condition.value


def _scaled(change: Change, about: Changing) -> Columns:
    factor = int(about.test.factor) if about.test.factor.is_integer() else about.test.factor
    made = dict(change.columns)
    for name in about.test.column:
        if name in made and all(_is_number(value) for value in made[name] if value is not None):
            made[name] = [None if value is None else value * factor for value in made[name]]
    return made


def _nulls(change: Change, about: Changing) -> Columns:
    wanted = _measured(change, about)
    if not wanted:
        return dict(change.columns)
    made = change.take([*change.rows, *_some_rows(change)])
    for name in wanted:
        made[name] = [value if row < change.height else None for row, value in enumerate(made[name])]
    return made


def _measured(change: Change, about: Changing) -> list[str]:
    """The columns that a test names, else the number columns that the question names."""
    if about.test.column:
        return [name for name in about.test.column if name in change.columns]
    profile: Profile = change.profile
    numbers = [
        name for name, column in profile.columns.items() if column.kind in ("whole", "number") and not column.key
    ]
    return [name for name in numbers if name in about.named]


def _some_rows(change: Change) -> list[int]:
    return [change.pick.choice(change.rows) for _ in range(max(2, change.height // 3))]


def _is_number(value: Cell) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_CHANGES: dict[str, Callable[[Change, Changing], Columns]] = {
    "row_order": lambda change, _: KINDS["row_order"](change),
    "columns": lambda change, _: KINDS["columns"](change),
    "irrelevant_rows": _irrelevant_rows,
    "duplicated": lambda change, _: change.take([*change.rows, *change.rows]),
    "scaled": _scaled,
    "nulls": _nulls,
}


def without(tables: Mapping[str, Columns], rows: Sequence[tuple[str, int]]) -> Tables:
    """The tables without these rows."""
    gone = set(rows)
    return {
        name: {
            label: [value for row, value in enumerate(values) if (name, row) not in gone]
            for label, values in columns.items()
        }
        for name, columns in tables.items()
    }
