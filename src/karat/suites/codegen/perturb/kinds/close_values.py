"""Numbers and dates right beside each other: code that rounds them first, or takes months for dates, sees no difference
between the two.

Half of the values of a column are replaced, each by the neighbour of another one, within the range: 52001 beside 52000,
1.26 beside 1.25, the day after. No value repeats that did not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta

from karat.suites.codegen.perturb.change import Change
from karat.suites.codegen.perturb.profile import Column, parsed, written
from karat.suites.codegen.perturb.random_values import FEW, decimals
from karat.suites.codegen.records import Cell, Columns

SHOWN = 50


def close(change: Change) -> Columns:
    made = dict(change.columns)
    for name, about in change.profile.columns.items():
        values = change.columns[name]
        known = [value for value in values if value is not None]
        if name not in change.hints.missing.used or not change.profile.free(name) or len(set(known)) < 2:
            continue
        beside = _beside(about, known)
        if beside is None:
            continue
        low, high, taken = min(known), max(known), set(known)
        made[name] = list(values)
        rows = [row for row, value in enumerate(values) if value is not None]
        change.pick.shuffle(rows)
        for row, like in zip(rows[::2], rows[1::2], strict=False):
            near = [beside(values[like], by) for by in (1, -1)]
            free = [one for one in near if one is not None and low <= one <= high and one not in taken]
            if free:
                made[name][row] = change.pick.choice(free)
                taken.add(made[name][row])
    return made


def _beside(about: Column, known: Sequence[Cell]) -> Callable[[Cell, int], Cell] | None:
    """What gives the next value or the one before; None for codes and ratings, which have none."""
    if about.kind in ("whole", "number"):
        whole = all(float(value).is_integer() for value in known)
        if whole and len(set(known)) <= FEW and len(set(known)) < len(known):
            return None
        places = 0 if whole else max(map(decimals, known[:SHOWN]))
        return lambda value, by: type(value)(round(value + by * 10.0**-places, places))
    if about.kind == "date":
        step = timedelta(minutes=1) if _timed(known) else timedelta(days=1)
        return lambda value, by: value + by * step
    return (lambda value, by: _dated(value, about.form, by)) if about.kind == "dated" else None


def _timed(known: Sequence[date]) -> bool:
    return any(isinstance(value, datetime) and (value.hour, value.minute, value.second) != (0, 0, 0) for value in known)


def _dated(text: str, form: str, by: int) -> Cell:
    moment = parsed(text, form)
    if moment is None:
        return None
    return written(moment + by * (timedelta(minutes=1) if "%H" in form else timedelta(days=1)), form)
