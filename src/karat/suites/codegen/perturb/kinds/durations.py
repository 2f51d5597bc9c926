"""Other times between two dates of a row: longer than any that the table shows, and right at what the reference
compares them with.

A start and an end move together in all other copies. Here ends move alone: a stay may be three times as long as the
longest, or a day longer, so that code which takes only the seconds of a difference is found; and where the reference
says 24 (hours, minutes, days …), some stays take exactly that long, a second less and a second more (of days: a day).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from karat.suites.codegen.perturb.change import Change
from karat.suites.codegen.perturb.kinds.linked_rows import LinkedRows
from karat.suites.codegen.perturb.profile import parsed, written
from karat.suites.codegen.records import Cell, Columns

SHARES = (0.7, 0.4)
"""Of the rows that get another time: most of them, so that a median shows it, then some."""
UNITS = (timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1), timedelta(days=7))
REACH = 4
"""A limit may be this many times as long as the longest time, or this part of the shortest."""


def durations(change: Change) -> Columns:
    made = dict(change.columns)
    for linked in change.linked_blocks():
        used = [name for name in linked.dates if name in change.hints.missing.used]
        pairs = [(start, end) for start in linked.dates for end in used if start != end]
        for start, end in pairs:
            _lengthen(change, made, linked, start, end)
    return made


def _lengthen(change: Change, made: Columns, linked: LinkedRows, start: str, end: str) -> None:
    moments = [(_moment(change, start, row), _moment(change, end, row)) for row in change.rows]
    try:
        known = [end_of - start_of for start_of, end_of in moments if start_of is not None and end_of is not None]
    except TypeError:  # one with a zone, one without
        return
    if len(known) < 2 or min(known) < timedelta(0) or min(known) == max(known) or _is_a_column(change, known, moments):
        return
    whole_days = all(one == timedelta(days=one.days) for one in known)
    wanted = _limits(change, known, whole_days) if change.seed else _longer(known, whole_days)
    whole = [(row, first) for row, (first, last) in enumerate(moments) if first is not None and last is not None]
    for place, (row, first) in enumerate(change.pick.sample(whole, round(SHARES[change.seed] * len(whole)))):
        if not wanted:
            return
        moved = first + wanted[place % len(wanted)]
        form = change.profile.columns[end].form
        value: Cell = written(moved, form) if form else moved
        other = {name: made[name][row] for name in linked.block} | {end: value}
        if all(link(other) for link in linked.links):
            made[end] = [*made[end][:row], value, *made[end][row + 1 :]]


def _moment(change: Change, name: str, row: int) -> date | None:
    value, form = change.columns[name][row], change.profile.columns[name].form
    found = parsed(value, form) if form and value is not None else value
    return found if isinstance(found, date | datetime) else None


def _longer(known: Sequence[timedelta], whole_days: bool) -> list[timedelta]:
    longest = max(known)
    found = [longest * 1.5, longest * 3, longest + timedelta(days=1), longest * 2]
    return [
        timedelta(days=round(one.days)) if whole_days else timedelta(seconds=round(one.total_seconds()))
        for one in found
    ]


def _limits(change: Change, known: Sequence[timedelta], whole_days: bool) -> list[timedelta]:
    """Every number that the reference names, in every unit in which it is a time like those of the table."""
    low, high = min(known), max(known)
    numbers = [one for one in change.hints.numbers if 0 < one < 10**7]
    at = [one * unit for one in numbers for unit in UNITS]
    near = [one for one in dict.fromkeys(at) if low / REACH <= one <= high * REACH]
    step = timedelta(days=1) if whole_days else timedelta(seconds=1)
    found = [by for one in near for by in (one, one - step, one + step)]
    return [one for one in found if not whole_days or one == timedelta(days=one.days)]


def _is_a_column(
    change: Change, known: Sequence[timedelta], moments: Sequence[tuple[date | None, date | None]]
) -> bool:
    """Whether a column of numbers is that time already: then it would have to move, too."""
    rows = [row for row, pair in enumerate(moments) if None not in pair]
    for name, about in change.profile.columns.items():
        if about.kind not in ("whole", "number"):
            continue
        values = [change.columns[name][row] for row in rows]
        if None in values:
            continue
        for unit in UNITS:
            if all(abs(one / unit - value) <= 1 for one, value in zip(known, values, strict=True)):
                return True
    return False
