"""Days and times for columns that hold nothing else: SQLite keeps them as texts, and a text that is not a date would
tell apart two queries that agree on every day there is."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any  # Any: cells of the real data

_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:([ T])(\d{2}:\d{2}(?::\d{2})?))?")
_WRITTEN = re.compile(r"(?<!\d)(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?!\d)")
TIMES = ("00:00:00", "12:30:00", "23:59:59")


def date_form(cells: Sequence[Any]) -> str:
    """``date`` or ``time`` where all cells of a column are such; else empty."""
    texts = [cell for cell in cells if cell is not None]
    found = [_DATE.fullmatch(text) if isinstance(text, str) else None for text in texts]
    if not texts or not all(one is not None and _day(one[1]) is not None for one in found):
        return ""
    timed = {one[2] for one in found if one is not None}
    return "date" if timed == {None} else "time" if None not in timed else ""


def made_date(form: str, literals: Sequence[Any], sample: Sequence[Any], chance: random.Random) -> str:
    """A day of the data, or one that a query names, or a day, a month or a year from it."""
    named = [day for literal in literals for day in _days_in(str(literal))]
    kept = [cell for cell in sample if isinstance(cell, str)]
    if kept and chance.random() < (0.4 if named else 0.7):
        return chance.choice(kept)
    days = named or [known for cell in kept if (known := _day(cell[:10])) is not None] or [date(2000, 1, 1)]
    steps = (0, 0, 0, 1, -1, 31, -31, 366, -366)
    day = _moved(chance.choice(days), chance.choice(steps)).isoformat()
    if form == "date":
        return day
    blank = "T" if any("T" in cell for cell in kept) else " "
    return f"{day}{blank}{chance.choice(TIMES)}"


def neighbour_days(text: str) -> list[str]:
    """The day after and the day before, of a text that is a day and no more."""
    day = _day(text) if len(text) == len("2000-01-01") else None
    return [_moved(day, steps).isoformat() for steps in (1, -1)] if day is not None else []


def _days_in(text: str) -> list[date]:
    """The days that a literal names: a day, the first one of a month or of a year."""
    found = (_day(f"{year}-{int(month or 1):02d}-{int(day or 1):02d}") for year, month, day in _WRITTEN.findall(text))
    return [day for day in found if day is not None]


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _moved(day: date, steps: int) -> date:
    try:
        return day + timedelta(days=steps)
    except OverflowError:
        return day
