"""Changed copies of a task's tables: code that only fits the data it was shown is found out by them.

- ``shuffled``: the rows in another order
- ``extended``: some rows once more, with numbers changed and a category in each text column that was not there before
- ``nulls``: some cells missing, none in a column without any repeated value (such a column is a key)

The same task always gives the same copies.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

Columns = dict[str, list[Any]]
SEED = 20_240_601
SHARE = 0.25
NULLS = 0.1
CELLS = 200_000
"""Tables with more cells are not copied: the check would cost more than it tells."""


def changed_copies(tables: Mapping[str, Mapping[str, list[Any]]]) -> dict[str, dict[str, Columns]]:
    """The copies by their names; none of tables that are too large or empty."""
    cells = sum(len(values) for columns in tables.values() for values in columns.values())
    if not 0 < cells <= CELLS:
        return {}
    changes: dict[str, Callable[[Mapping[str, list[Any]], random.Random], Columns]] = {
        "shuffled": _shuffled,
        "extended": _extended,
        "nulls": _with_nulls,
    }
    return {
        kind: {name: change(columns, random.Random(f"{SEED}{name}")) for name, columns in tables.items()}  # noqa: S311
        for kind, change in changes.items()
    }


def _height(columns: Mapping[str, list[Any]]) -> int:
    return max((len(values) for values in columns.values()), default=0)


def _shuffled(columns: Mapping[str, list[Any]], pick: random.Random) -> Columns:
    rows = list(range(_height(columns)))
    pick.shuffle(rows)
    return {name: [values[row] for row in rows] for name, values in columns.items()}


def _extended(columns: Mapping[str, list[Any]], pick: random.Random) -> Columns:
    """Half of the new rows keep their texts, so that known groups change too."""
    height = _height(columns)
    rows = sorted(pick.sample(range(height), max(2, int(height * SHARE)) if height >= 2 else height))
    made: Columns = {}
    for name, values in columns.items():
        added = [_changed(values[row], place, pick) for place, row in enumerate(rows)]
        made[name] = [*values, *added]
    return made


def _changed(value: Any, place: int, pick: random.Random) -> Any:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value + pick.randint(1, 7)
    if isinstance(value, float):
        return value * 1.5 + 1.0
    if isinstance(value, str):
        return value if place % 2 else f"{value} new"
    return value


def _with_nulls(columns: Mapping[str, list[Any]], pick: random.Random) -> Columns:
    """Whole numbers stay: a missing one would turn the column into another type, and change more than was meant."""
    made: Columns = {}
    for name, values in columns.items():
        repeated = len(set(map(repr, values))) < len(values)
        able = repeated and any(isinstance(value, float | str) for value in values)
        made[name] = [None if able and pick.random() < NULLS else value for value in values]
    return made
