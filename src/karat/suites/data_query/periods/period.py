"""The days that the text of a period stands for.

It is a year (``2015``, ``2015-A1``), a half-year (``2015-S1``), a quarter (``2015-Q1``), a month (``2015-01``,
``2015-M01``), an ISO week (``2015-W05``), a day, or relative: ``$TODAY``, ``$TODAY-10Y``, with the units Y, S, Q, M, W
and D.
"""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta

Days = tuple[date, date]
"""The first and the last day that a text stands for."""

RELATIVE = re.compile(r"\$TODAY(?:([+-])(\d{1,5})([YSQMWD]))?")
_PART = re.compile(r"(\d{4})-?([ASQMW])(\d{1,2})", re.IGNORECASE)
_TIME = r"[T ]\d{2}(?::?\d{2}(?::?\d{2}(?:[.,]\d{1,9})?)?)?(?: ?(?:Z|UTC|[+-]\d{2}(?::?\d{2})?))?"
_PLAIN = re.compile(rf"(\d{{4}})(?:-(\d{{2}})(?:-(\d{{2}})(?:{_TIME})?)?)?", re.IGNORECASE)
_MONTHS = {"A": 12, "Y": 12, "S": 6, "Q": 3, "M": 1}


def days(text: str, now: date) -> Days | None:
    """The first and last day that a text stands for; None when it is no period."""
    text = text.strip()
    try:
        if match := RELATIVE.fullmatch(text):
            return _relative(match, now)
        if match := _PART.fullmatch(text):
            return _numbered(int(match[1]), match[2].upper(), int(match[3]))
        if match := _PLAIN.fullmatch(text):
            year, month, day = int(match[1]), match[2], match[3]
            if day:
                exact = date(year, int(month), int(day))
                return exact, exact
            return _numbered(year, "M", int(month)) if month else _numbered(year, "A", 1)
    except (ValueError, OverflowError):
        return None
    return None


def _numbered(year: int, unit: str, number: int) -> Days | None:
    """The n-th half-year, quarter, month or ISO week of a year."""
    if unit == "W":
        monday = date.fromisocalendar(year, number, 1)
        return monday, monday + timedelta(days=6)
    length = _MONTHS[unit]
    if not 1 <= number <= 12 // length:
        return None
    last = number * length
    return date(year, last - length + 1, 1), date(year, last, calendar.monthrange(year, last)[1])


def _relative(match: re.Match[str], now: date) -> Days | None:
    sign = -1 if match[1] == "-" else 1
    steps, unit = sign * int(match[2] or 0), match[3] or "D"
    if unit == "D":
        day = now + timedelta(days=steps)
        return day, day
    if unit == "W":
        monday = now - timedelta(days=now.weekday()) + timedelta(weeks=steps)
        return monday, monday + timedelta(days=6)
    length = _MONTHS[unit]
    place = (now.year * 12 + now.month - 1) // length + steps
    return _numbered(place * length // 12, unit, place % (12 // length) + 1)
