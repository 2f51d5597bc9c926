"""Numbers and dates as texts, and texts as numbers.

A date is worth the days since 30 December 1899, and is written month/day/year.
"""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta

_WRITTEN_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


class Date(float):
    """A day, with the time of day as its fraction: days since 30 December 1899."""

    __slots__ = ()


def read_number(text: str) -> int | float | None:
    """The number that a text reads as; None where it is not a number."""
    text = text.strip()
    if not text or len(text) > 400 or not _WRITTEN_NUMBER.fullmatch(text):
        return None
    found = float(text)
    if not math.isfinite(found):
        return None
    return int(text) if text.lstrip("+-").isdigit() else found


def number_text(value: int | float) -> str:
    """A number as it is written: no ``.0`` behind a whole one."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    return short_exponent(str(value))


def short_exponent(written: str) -> str:
    """``1E-8`` for ``1e-08``."""
    digits, sign, exponent = written.partition("e")
    return f"{digits}E{int(exponent)}" if sign else written


_FIRST_DAY = datetime(1899, 12, 30)
_LAST_DAY = (datetime(9999, 12, 31) - _FIRST_DAY).days


def moment(value: int | float) -> datetime | None:
    """The day and time that a number of days stands for, to the second; None where there is no such day."""
    if not (_FIRST_DAY.min - _FIRST_DAY).days <= value < _LAST_DAY + 1:
        return None
    days = math.floor(value)
    seconds = round((value - days) * 86_400)
    try:
        return _FIRST_DAY + timedelta(days=days, seconds=seconds)
    except OverflowError:
        return None


def serial(day: datetime) -> Date:
    """A day and time as a date of the language."""
    passed = day - _FIRST_DAY
    return Date(passed.days + passed.seconds / 86_400)


def date_text(value: Date) -> str:
    """``3/1/2024``, with the time where it is not midnight: ``3/1/2024 05:07:09 PM``."""
    found = moment(value)
    if found is None:
        return number_text(float(value))
    day = f"{found.month}/{found.day}/{found.year}"
    if (found.hour, found.minute, found.second) == (0, 0, 0):
        return day
    half = "AM" if found.hour < 12 else "PM"  # %p depends on the locale
    return f"{day} {found:%I:%M:%S} {half}"


def iso_text(value: Date) -> object:
    found = moment(value)
    if found is None:
        return float(value)
    midnight = (found.hour, found.minute, found.second) == (0, 0, 0)
    return found.date().isoformat() if midnight else found.isoformat()
