"""Tables in which every pair of two columns is there once: each day at each station, each month in each region.

Such a table stays complete: whole members leave it or change their value, in all of their rows. Without that, two right
solutions would differ, one that takes a day's row before and one that pivots. Days that follow each other without a gap
stay so, but for the kind ``gaps``: it is no use for a reference that compares rows with those before or after them, and
says nothing of code that fills the days between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise

from karat.suites.codegen.perturb.change import Change
from karat.suites.codegen.perturb.profile import decides, parsed, parts_of_date
from karat.suites.codegen.records import Cell, Columns

FEWEST = 2
"""Members that are left of a column at least."""


def complete(change: Change) -> tuple[str, str] | None:
    """The two columns of which every pair is there once; None where some pairs are missing."""
    grid = change.profile.grid
    if grid is None:
        return None
    first, second = (set(change.columns[name]) for name in grid)
    return grid if len(first) * len(second) == change.height else None


def smaller_grid(change: Change, grid: tuple[str, str]) -> Columns:
    """A third of one column's members with all of their rows; of dates and numbers those that follow each other."""
    counts = {name: len(set(change.columns[name])) for name in grid}
    name = max(grid, key=counts.__getitem__) if change.seed != 1 else min(grid, key=counts.__getitem__)
    members = sorted(set(change.columns[name]))
    left = max(FEWEST, len(members) // 3)
    if change.profile.columns[name].kind == "text":
        named = [one for one in members if one in change.hints.named][: max(1, left - 1)]
        others = [one for one in members if one not in named]
        kept = {*named, *change.pick.sample(others, max(0, min(left - len(named), len(others))))}
    else:
        start = change.pick.randrange(len(members) - left + 1)
        kept = set(members[start : start + left])
    return change.take([row for row, value in enumerate(change.columns[name]) if value in kept])


def stands_alone(change: Change, name: str) -> bool:
    """Whether no other column than the grid's own hangs on this one of its two."""
    columns, profile = change.columns, change.profile
    grid = profile.grid or ()
    others = [one for one in profile.block(name) if one not in grid]
    form = profile.columns[name].form
    return not any(
        decides(columns[name], columns[one])
        or decides(columns[one], columns[name])
        or any(parts_of_date(columns[name], columns[one], form))
        for one in others
    )


def evenly_spaced(change: Change, name: str) -> bool:
    """Whether the days or hours of a column follow each other without a gap."""
    moments = [_moment(change, name, value) for value in sorted(set(change.columns[name]))]
    known = [one for one in moments if one is not None]
    return len({after - before for before, after in pairwise(known)}) == 1


def _moment(change: Change, name: str, value: Cell) -> date | None:
    form = change.profile.columns[name].form
    return parsed(value, form) if form else value if isinstance(value, date) else None


def renamed(values: Sequence[Cell], other: Mapping[Cell, Cell]) -> list[Cell]:
    """The values with other members in place of some. Two members never become one."""
    free: dict[Cell, Cell] = {}
    for old, new in other.items():
        if new is not None and new not in free.values():
            free[old] = new
    while taken := {old for old, new in free.items() if new in set(values) - set(free)}:  # one that stays is taken
        free = {old: new for old, new in free.items() if old not in taken}
    return [free.get(value, value) for value in values]
