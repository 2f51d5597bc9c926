"""Is the period right? Each end counts half.

An end is a year, a quarter (``2015-Q1``), a month, a day, or relative: ``$TODAY``, ``$TODAY-10Y``, ``$TODAY-6M``, ``$TODAY-30D``.
A start means its first day and an end its last, so ``2015`` as a start equals ``2015-01-01`` and as an end ``2015-12-31``. A relative
end is right at the grain of its unit: ``$TODAY-10Y`` is right for any day of that year. An end the target leaves open is right when
the answer leaves it open too.
"""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta

from karat.suites.data_query.selection import Period

_RELATIVE = re.compile(r"\$TODAY(?:([+-])(\d{1,5})([YQMD]))?$")
_QUARTER = re.compile(r"(\d{4})-?Q([1-4])$")
_PLAIN = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:T.*)?$")


def ends_right(target: Period, found: Period | None, today: str) -> tuple[bool, bool]:
    """Whether the start and the end are right."""
    now = date.fromisoformat(today) if today else date.today()
    given = found or Period()
    return _same(target.start, given.start, now, last=False), _same(target.end, given.end, now, last=True)


def _same(expected: str | None, found: str | None, now: date, *, last: bool) -> bool:
    if not expected or not found:
        return not expected and not found
    left, right = _span(expected, now), _span(found, now)
    if left is None or right is None:
        return expected == found
    if expected.startswith("$") or found.startswith("$"):
        return left[0] <= right[1] and right[0] <= left[1]
    return left[last] == right[last]


def _span(text: str, now: date) -> tuple[date, date] | None:
    """The first and last day that a text stands for; None when it is not a date."""
    text = text.strip()
    try:
        if match := _RELATIVE.match(text):
            return _relative_span(match, now)
        if match := _QUARTER.match(text):
            first = 3 * int(match[2]) - 2
            return _months(int(match[1]), first, first + 2)
        if match := _PLAIN.match(text):
            year, month, day = int(match[1]), match[2], match[3]
            if day:
                exact = date(year, int(month), int(day))
                return exact, exact
            return _months(year, int(month), int(month)) if month else _months(year, 1, 12)
    except (ValueError, OverflowError):
        return None
    return None


def _relative_span(match: re.Match[str], now: date) -> tuple[date, date]:
    sign = -1 if match[1] == "-" else 1
    number, unit = sign * int(match[2] or 0), match[3] or "D"
    if unit == "D":
        day = now + timedelta(days=number)
        return day, day
    if unit == "Y":
        return _months(now.year + number, 1, 12)
    if unit == "Q":
        quarter = now.year * 4 + (now.month - 1) // 3 + number
        first = quarter % 4 * 3 + 1
        return _months(quarter // 4, first, first + 2)
    month = now.year * 12 + now.month - 1 + number
    return _months(month // 12, month % 12 + 1, month % 12 + 1)


def _months(year: int, first: int, last: int) -> tuple[date, date]:
    return date(year, first, 1), date(year, last, calendar.monthrange(year, last)[1])
