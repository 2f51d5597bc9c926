"""Numbers and dates beyond the range that the tables show, in columns that the reference uses.

Code that lists the values it saw (``year.isin([2018, 2019])`` for "before 2020"), or leaves out what all rows share
(the month without its year), is right until another value comes. Left as they are: scales that have an end (shares up
to 1, percentages up to 100), ratings and codes with few values, the sign of a column, and how many digits its numbers
have where the reference takes them apart. What belongs to the cell moves with it (see ``linked_rows``).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date

from karat.suites.codegen.perturb.change import Change
from karat.suites.codegen.perturb.kinds.grids import evenly_spaced, renamed, stands_alone
from karat.suites.codegen.perturb.kinds.limits import around
from karat.suites.codegen.perturb.profile import Column, parsed, written
from karat.suites.codegen.perturb.random_values import FEW, decimals
from karat.suites.codegen.records import Cell, Columns

SHARES = (0.3, 0.6, 0.6)
"""Of the cells that get another value, by seed. A maximum shows it only when its own row is among them. With the seeds
after these, all cells move by as much: up, then down."""
YEARS = range(1900, 2101)
SHIFTS = (-25, -10, -1, 1, 10)
"""Years by which dates are moved."""
ALL_UP, ALL_DOWN, TENFOLD = len(SHARES), len(SHARES) + 1, len(SHARES) + 2
TOGETHER = {ALL_UP: 8, ALL_DOWN: -8}
"""Years by which all dates move together: as many days in all of them."""


def beyond(change: Change) -> Columns:
    made = dict(change.columns)
    for name, about in change.profile.columns.items():
        alone = about.parent is None and change.profile.block(name) == (name,)
        if name not in change.hints.missing.used or not alone or (about.key and about.kind != "dated"):
            continue
        known = [value for value in change.columns[name] if value is not None]
        if len(known) > 1 and about.kind in ("whole", "number", "date", "dated"):
            made[name] = [
                _other(value, known, about, change, name)
                if value is not None and change.pick.random() < _share(change)
                else value
                for value in change.columns[name]
            ]
    for name in change.profile.grid or ():
        even = evenly_spaced(change, name) and change.seed not in TOGETHER
        if name in change.hints.missing.used and stands_alone(change, name) and not even:
            made[name] = renamed(made[name], _other_members(change, name))
    for linked in change.linked_blocks():
        names = [name for name in (*linked.dates, *linked.numbers) if name in change.hints.missing.used]
        for row in change.rows if names else ():
            name = change.pick.choice(names)
            value = change.columns[name][row]
            if value is None or change.pick.random() >= _share(change):
                continue
            other = _other(value, linked.known[name], change.profile.columns[name], change, name)
            found = linked.with_value({one: made[one][row] for one in linked.block}, name, other)
            if found is not None:
                made.update({one: [*made[one][:row], found[one], *made[one][row + 1 :]] for one in linked.block})
    return made


def gaps(change: Change) -> Columns:
    """Other days for some members of a column whose days follow each other without a gap."""
    made = dict(change.columns)
    for name in change.profile.grid or ():
        free = name in change.hints.missing.used and stands_alone(change, name) and not change.hints.sequential
        if not free or not evenly_spaced(change, name):
            continue
        made[name] = renamed(made[name], _other_members(change, name))
        about, members = change.profile.columns[name], sorted(set(made[name]))
        at = [one for limit in change.hints.limits for one in around(limit, name, change.columns[name], about)]
        some = change.pick.sample(members, min(len(at), len(members) // 2))
        made[name] = renamed(made[name], dict(zip(some, dict.fromkeys(at), strict=False)))
    return made


def _share(change: Change) -> float:
    return SHARES[change.seed] if change.seed < len(SHARES) else 1.0


def _other_members(change: Change, name: str) -> dict[Cell, Cell]:
    """Other values for some members of a column that is half of a key. Each is made of any member, so that a day of
    another year has the number of one that is there."""
    about, known = change.profile.columns[name], sorted(set(change.columns[name]))
    if about.kind not in ("whole", "date", "dated"):
        return {}
    if change.seed in TOGETHER:
        return {one: _other(one, known, about, change, name) for one in known}
    some = [one for one in known if change.pick.random() < _share(change)]
    return {one: _other(change.pick.choice(known), known, about, change, name) for one in some}


def _other(value: Cell, known: Sequence[Cell], about: Column, change: Change, about_name: str) -> Cell:
    pick = change.pick
    if change.seed == TENFOLD:
        return _tenfold(value, known, pick) if change.hints.whole_values and about.kind != "dated" else value
    years = TOGETHER.get(change.seed) or pick.choice(SHIFTS)
    if about.kind == "date":
        return moved(value, years)
    if about.kind == "dated":
        moment = parsed(value, about.form)
        return value if moment is None else written(moved(moment, years), about.form)
    if change.seed in TOGETHER:
        found = _moved_along(value, known, up=change.seed == ALL_UP)
    else:
        counted = about_name in change.hints.ordered and min(known) == 0  # a rating begins at 1 and has an end
        found = _number(value, known, pick, coded=not counted)
    taken_apart = not change.hints.whole_values and _digits(found) not in {_digits(one) for one in known}
    return value if taken_apart else found


def moved(moment: date, years: int) -> date:
    """The same day of another year; the 29th of February is the 28th."""
    if not date.min.year <= moment.year + years <= date.max.year:
        return moment
    day = 28 if (moment.month, moment.day) == (2, 29) else moment.day
    return moment.replace(year=moment.year + years, day=day)


def _number(value: Cell, known: Sequence[Cell], pick: random.Random, *, coded: bool) -> Cell:
    low, high = min(known), max(known)
    if all(one in YEARS for one in known):
        return type(value)(pick.choice([low - pick.randint(1, 30), low - 1, high + 1, high + pick.randint(1, 9)]))
    different = len(set(known))
    whole = all(float(one).is_integer() for one in known)
    if high == low or (coded and whole and different <= FEW and different < len(known)):
        return value
    span = high - low
    above, below = high + span * pick.uniform(0.05, 1), low - span * pick.uniform(0.05, 1)
    end = end_of_scale(known)
    ends = [min(above, end)] if high < end else []
    ends += [below] if below > 0 or low < 0 else []
    if not ends:
        return value
    found = pick.choice(ends)
    if whole:
        return type(value)(round(found))
    return round(found, max(map(decimals, known[:50])))


def _tenfold(value: Cell, known: Sequence[Cell], pick: random.Random) -> Cell:
    """Ten times as large, one number in three. Not dates, years, codes and scales that have an end."""
    if isinstance(value, date):
        return value
    coded = len(set(known)) <= FEW and all(float(one).is_integer() for one in known)
    if coded or pick.random() > 1 / 3 or end_of_scale(known) != float("inf") or all(one in YEARS for one in known):
        return value
    return type(value)(round(10 * value, max(map(decimals, known[:50])))) if isinstance(value, float) else value * 10


def _moved_along(value: Cell, known: Sequence[Cell], *, up: bool) -> Cell:
    """As far up or down as all others: to where the range ends, or to the end of the scale. No sign changes."""
    low, high = min(known), max(known)
    whole = all(float(one).is_integer() for one in known)
    coded = whole and len(set(known)) <= FEW and len(set(known)) < len(known)
    if high == low or (coded and not all(one in YEARS for one in known)):
        return value
    room = end_of_scale(known) - high if up else low if low >= 0 else high - low
    by = min(high - low, room) if up else -min(high - low, 0.9 * room)
    if whole:
        return type(value)(value + int(by))
    return round(value + by, max(map(decimals, known[:50])))


def _digits(value: Cell) -> int:
    return len(str(abs(int(value))))


def end_of_scale(known: Sequence[Cell]) -> float:
    """Where a scale ends, as far as its values tell: 1 for shares, 100 for percentages and points."""
    low, high = min(known), max(known)
    if low < 0 or all(one in YEARS for one in known):
        return float("inf")
    return 1.0 if high <= 1 else 100.0 if 50 < high <= 100 else float("inf")
