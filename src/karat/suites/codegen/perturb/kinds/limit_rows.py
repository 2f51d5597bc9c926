"""Rows with values at the limits that the reference compares with, and with the values that it names."""

from __future__ import annotations

from karat.suites.codegen.perturb.change import Change
from karat.suites.codegen.perturb.kinds.grids import evenly_spaced, renamed, stands_alone
from karat.suites.codegen.perturb.kinds.limits import around, beyond_limit, day_ends, hour_ends, month_ends
from karat.suites.codegen.perturb.kinds.linked_rows import LinkedRows
from karat.suites.codegen.perturb.kinds.near_misses import with_new_members
from karat.suites.codegen.perturb.random_values import drawn
from karat.suites.codegen.records import Cell, Columns

TRIES = 12
"""Rows that are looked at for one in which a value can be set and the others can follow."""


def rows_with(change: Change, named: frozenset[object]) -> set[int]:
    """Rows that hold a value which the reference names."""
    texts = {value for value in named if isinstance(value, str)}
    return {row for values in change.columns.values() for row, value in enumerate(values) if value in texts}


def limits(change: Change) -> Columns:
    """More rows, each with one value at a limit; of rows with what the reference names, where it names some."""
    wanted: list[tuple[str, Cell]] = []
    linked = {name: rows for rows in change.linked_blocks() for name in rows.block}
    for name, about in change.profile.columns.items():
        bound = len(change.profile.block(name)) > 1 and (name not in linked or change.profile.is_parent)
        if about.parent is not None or (bound and name not in (change.profile.grid or ())):
            continue
        values = [value for limit in change.hints.limits for value in around(limit, name, change.columns[name], about)]
        values += month_ends(change.columns[name], about) if _takes_months_of(change, name) else []
        values += day_ends(change.columns[name], about) if change.hints.zones else []
        if change.hints.hours and name in change.hints.missing.used:
            values += hour_ends(change.columns[name], about, change.hints.numbers)
        wanted += [(name, value) for value in dict.fromkeys(values)]
    wanted += [(name, other) for name in change.profile.columns for other in _other_flags(change, name)]
    in_place = change.profile.grid is not None or change.profile.is_parent
    equal = [] if in_place else _equal_pairs(change)
    if not wanted and not equal:
        return dict(change.columns)
    if in_place:
        return _in_place(change, wanted)
    about_it = sorted(rows_with(change, change.hints.named)) or change.rows
    places = [one for one in wanted for _ in range(1 if _only_once(change, one[0]) else 4)]
    pairs = [one for one in equal for _ in range(4)]
    sources = [change.pick.choice(about_it if place % 2 else change.rows) for place in range(len(places) + len(pairs))]
    for at, (name, _) in enumerate(places):
        if _only_once(change, name):
            sources[at] = change.pick.choice(_on_one_side(change, name, about_it))
    made = change.take([*change.rows, *sources])
    for at, (name, value) in enumerate(places, change.height):
        if name in linked:
            _set_with_the_others(change, made, at, linked[name], name, value)
        elif not _only_once(change, name) or value not in made[name]:
            made[name] = list(made[name])
            made[name][at] = value
            _stay_on_their_side(change, made, at, name)
    for at, (first, second) in enumerate(pairs, change.height + len(places)):
        made[first] = list(made[first])
        made[first][at] = made[second][at]
    return with_new_members(change, made) if change.hints.counts_different else made


def _on_one_side(change: Change, name: str, about_it: list[int]) -> list[int]:
    """Rows that lie above the limits of the other columns, and with the other seed those below: where two conditions
    must hold, a value right at the limit of one shows only in rows that meet the other."""
    others = [limit for limit in change.hints.limits if limit.column != name and limit.column in change.columns]
    found = []
    for row in change.rows:
        sides = [beyond_limit(limit, change.columns[limit.column][row]) for limit in others]
        if all(side is None or side != bool(change.seed) for side in sides):
            found.append(row)
    measured = [change.columns[one] for one in change.columns if one in change.hints.missing.measured]
    about_it = [row for row in about_it if all(values[row] for values in measured)] or about_it  # a sum shows no 0
    return [row for row in about_it if row in found] or found or about_it


def _stay_on_their_side(change: Change, made: Columns, at: int, name: str) -> None:
    """Numbers that may not repeat get another one on the same side of their limit, not any."""
    for limit in change.hints.limits:
        other = limit.column
        about = change.profile.columns.get(other)
        if about is None or other == name or not about.different or not change.profile.free(other):
            continue
        known = [value for value in change.columns[other] if value is not None]
        side = beyond_limit(limit, made[other][at])
        drawn_ones = (drawn(known, about, change.pick) for _ in range(8 * TRIES))
        free = (one for one in drawn_ones if one not in made[other] and beyond_limit(limit, one) == side)
        made[other] = [*made[other][:at], next(free, made[other][at]), *made[other][at + 1 :]]


def _takes_months_of(change: Change, name: str) -> bool:
    return change.hints.calendar and name in change.hints.missing.used


def _set_with_the_others(change: Change, made: Columns, at: int, linked: LinkedRows, name: str, value: Cell) -> None:
    """This value in a column that belongs to others, in a row of the table in which they can follow."""
    for _ in range(TRIES):
        row = change.pick.choice(change.rows)
        found = linked.with_value({one: change.columns[one][row] for one in linked.block}, name, value)
        if found is not None:
            made.update({one: [*made[one][:at], found[one], *made[one][at + 1 :]] for one in linked.block})
            return


def _equal_pairs(change: Change) -> list[tuple[str, str]]:
    """A number that is compared with no constant, and each other number in use that it may be compared with: only rows
    in which the two are equal tell ``<`` from ``<=``."""
    numbers = {
        name: [value for value in change.columns[name] if value is not None]
        for name, about in change.profile.columns.items()
        if about.kind in ("whole", "number") and name in change.hints.missing.used
        if not about.key and about.parent is None and not about.nulls
    }
    return [
        (first, second)
        for first, known in numbers.items()
        for second, others in numbers.items()
        if first in change.hints.compared and first != second and change.profile.free(first) and known and others
        if change.profile.columns[first].kind == change.profile.columns[second].kind
        if max(known) >= min(others) and max(others) >= min(known)
    ]


def _other_flags(change: Change, name: str) -> list[Cell]:
    """The value that a flag never has, where the reference looks at it: code that does without it shows there."""
    known = {value for value in change.columns[name] if value is not None}
    looked_at = name in change.hints.missing.used and change.profile.free(name)
    return [not value for value in known] if looked_at and len(known) == 1 and {*map(type, known)} == {bool} else []


def _in_place(change: Change, wanted: list[tuple[str, Cell]]) -> Columns:
    """The same rows, some with one of these values: no row can be added where every pair of a key is there once, and
    none that other tables point to."""
    made = {name: list(values) for name, values in change.columns.items()}
    about_it = sorted(rows_with(change, change.hints.named)) or change.rows
    free = {name: change.pick.sample(about_it, len(about_it)) for name, _ in wanted}
    for name, value in wanted:
        once = _only_once(change, name)
        if name in (change.profile.grid or ()):
            _set_member(change, made, name, value)
            continue
        if once and value in made[name]:
            continue
        for _ in range(1 if once else 2):  # each in a row of its own
            made[name][free[name].pop() if free[name] else change.pick.choice(about_it)] = value
    return made


def _set_member(change: Change, made: Columns, name: str, value: Cell) -> None:
    """This value in place of one member of a column that is half of a key. Two members stay what they were."""
    members = sorted(set(made[name]) & set(change.columns[name]))
    free = stands_alone(change, name) and not evenly_spaced(change, name)
    if len(members) > 2 and value not in made[name] and free:
        made[name] = renamed(made[name], {change.pick.choice(members): value})


def _only_once(change: Change, name: str) -> bool:
    about = change.profile.columns[name]
    return about.key or about.different
