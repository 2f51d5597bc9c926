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
from karat.suites.codegen.perturb.profile import Column, parsed, written
from karat.suites.codegen.perturb.random_values import FEW, decimals
from karat.suites.codegen.records import Cell, Columns

SHARES = (0.3, 0.6, 0.6)
"""Of the cells that get another value, by seed. A maximum shows it only when its own row is among them."""
YEARS = range(1900, 2101)
SHIFTS = (-10, -1, 1, 10)
"""Years by which dates are moved."""


def beyond(change: Change) -> Columns:
    made = dict(change.columns)
    for name, about in change.profile.columns.items():
        alone = about.parent is None and change.profile.block(name) == (name,)
        if name not in change.hints.missing.used or not alone or (about.key and about.kind != "dated"):
            continue
        known = [value for value in change.columns[name] if value is not None]
        if len(known) > 1 and about.kind in ("whole", "number", "date", "dated"):
            made[name] = [
                _other(value, known, about, change)
                if value is not None and change.pick.random() < SHARES[change.seed]
                else value
                for value in change.columns[name]
            ]
    for linked in change.linked_blocks():
        names = [name for name in (*linked.dates, *linked.numbers) if name in change.hints.missing.used]
        for row in change.rows if names else ():
            name = change.pick.choice(names)
            value = change.columns[name][row]
            if value is None or change.pick.random() >= SHARES[change.seed]:
                continue
            other = _other(value, linked.known[name], change.profile.columns[name], change)
            found = linked.with_value({one: made[one][row] for one in linked.block}, name, other)
            if found is not None:
                made.update({one: [*made[one][:row], found[one], *made[one][row + 1 :]] for one in linked.block})
    return made


def _other(value: Cell, known: Sequence[Cell], about: Column, change: Change) -> Cell:
    pick = change.pick
    if about.kind == "date":
        return moved(value, pick.choice(SHIFTS))
    if about.kind == "dated":
        moment = parsed(value, about.form)
        return value if moment is None else written(moved(moment, pick.choice(SHIFTS)), about.form)
    found = _number(value, known, pick)
    taken_apart = not change.hints.whole_values and _digits(found) not in {_digits(one) for one in known}
    return value if taken_apart else found


def moved(moment: date, years: int) -> date:
    """The same day of another year; the 29th of February is the 28th."""
    if not date.min.year <= moment.year + years <= date.max.year:
        return moment
    day = 28 if (moment.month, moment.day) == (2, 29) else moment.day
    return moment.replace(year=moment.year + years, day=day)


def _number(value: Cell, known: Sequence[Cell], pick: random.Random) -> Cell:
    low, high = min(known), max(known)
    if all(one in YEARS for one in known):
        return type(value)(pick.choice([low - pick.randint(1, 3), high + pick.randint(1, 3)]))
    different = len(set(known))
    whole = all(float(one).is_integer() for one in known)
    if high == low or (whole and different <= FEW and different < len(known)):
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


def _digits(value: Cell) -> int:
    return len(str(abs(int(value))))


def end_of_scale(known: Sequence[Cell]) -> float:
    """Where a scale ends, as far as its values tell: 1 for shares, 100 for percentages and points."""
    low, high = min(known), max(known)
    if low < 0 or all(one in YEARS for one in known):
        return float("inf")
    return 1.0 if high <= 1 else 100.0 if 50 < high <= 100 else float("inf")
