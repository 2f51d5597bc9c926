"""``condition_cols``: which gold columns count, by the rules of the family that the gold belongs to.

- contract (also dbt): an empty list means all columns of a lone gold; anything else goes to pandas as it is, so that
  null or a nested list makes the match fail. Of several golds, null, ``[]``, ``[[]]`` and ``[null]`` mean all columns;
  else each gold has the entry in its place, which must be a list.
- flat (lite, snow): anything empty means all columns, and a lone number is a list of one. Of several golds, null,
  ``[]``, ``[[]]`` and ``[null]`` mean all columns, a flat list goes to every gold, and nested lists pair with the
  golds. With a lone lettered gold (``<id>_a.csv`` and no other) nothing is handed round: the first entry counts alone,
  and there 0 is empty too.
- own: as flat, and a flat list goes to every gold, however many there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal  # Any: condition columns as the public evaluator takes them: nothing, numbers, or lists

from karat.core.problems import count_of

Family = Literal["contract", "flat", "own"]

ALL: list[list[Any] | None] = [[], [[]], [None]]
"""What means all columns of all golds, beside null."""


def says_nothing(condition_cols: Any) -> bool:
    """Whether no column is named for any of several golds."""
    return condition_cols is None or _as_list(condition_cols) in ALL


def condition_of(condition_cols: Any, index: int, golds: int, family: Family) -> Any:
    """What applies to gold ``index`` of several. Raises when there is nothing in its place."""
    if says_nothing(condition_cols):
        return []
    handed_round = family == "own" or (family == "flat" and golds > 1)
    if handed_round and not all(isinstance(each, (list, tuple)) for each in condition_cols):
        return condition_cols
    if index >= len(condition_cols):
        raise IndexError(f"condition_cols has {len(condition_cols)} lists, and none for gold {index + 1}")
    return condition_cols[index]


def chosen_columns(condition: Any, width: int, family: Family = "contract") -> list[int]:
    """The gold columns that count, by position from the left. Negative ones count from the right."""
    condition = _as_list(condition)
    positions = list(range(width))
    if condition == [] or (family != "contract" and (not condition or (family == "own" and says_nothing(condition)))):
        return positions
    if family != "contract" and not isinstance(condition, list):
        condition = [condition]
    if not isinstance(condition, list) or not all(isinstance(position, (int, float)) for position in condition):
        raise TypeError(f"condition_cols must be a list of column numbers, not {condition!r}")
    if not all(type(position) is int for position in condition):
        import pandas

        # true and false pick columns like a mask; 1.0 is a number of a column. pandas knows the rest of it.
        found: list[int] = pandas.DataFrame([positions]).iloc[:, condition].to_numpy()[0].tolist()
        return found
    outside = [position for position in condition if not -width <= position < width]
    if outside:
        raise IndexError(
            f"condition_cols names column {outside[0]}, but gold has {count_of(width, 'column')} (0 to {width - 1})"
        )
    return [positions[position] for position in condition]


def paired(condition_cols: Sequence[Any] | None, tables: int) -> Sequence[Any]:
    """One condition for each of several tables that must all match; null means all columns of each."""
    if condition_cols is None:
        return [[]] * tables
    _as_many("condition_cols", condition_cols, tables)
    return condition_cols


def flags(ignore_orders: Sequence[Any] | None, tables: int) -> list[bool]:
    """One flag for each of several tables; null means that order counts in all."""
    if ignore_orders is None:
        return [False] * tables
    _as_many("ignore_orders", ignore_orders, tables)
    return [bool(flag) for flag in ignore_orders]


def _as_many(name: str, values: Sequence[Any], tables: int) -> None:
    if len(values) != tables:
        entries = count_of(len(values), "entry", "entries")
        raise ValueError(f"{name} has {entries} for {count_of(tables, 'table')}: it must have as many")


def _as_list(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
