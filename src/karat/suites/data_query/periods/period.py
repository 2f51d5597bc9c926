"""Is the period right? Each end counts half.

An end is a year (``2015``, ``2015-A1``), a half-year (``2015-S1``), a quarter (``2015-Q1``), a month (``2015-01``,
``2015-M01``), an ISO week (``2015-W05``), a day, or relative: ``$TODAY``, ``$TODAY-10Y``, with the units Y, S, Q, M, W
and D. A start means its first day and an end its last, so ``2015`` as a start equals ``2015-01-01`` and as an end
``2015-Q4``. A relative end is right at the grain of its unit: ``$TODAY-10Y`` is right for any day of that year. An end
the target leaves open is right when the answer leaves it open too. A period of several spans (2015 and 2017) is right,
both ends at once, only when the answer has the same spans.

An entry of a target or an answer may have a period of its own; it comes before the common one. With several entries in
an answer the score is the mean over those in expected datasets, or over all of them when none is.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta

import msgspec

from karat.suites.data_query.selection.selection import Period, Selection

Days = tuple[date, date]
"""The first and the last day that a text stands for."""

_RELATIVE = re.compile(r"\$TODAY(?:([+-])(\d{1,5})([YSQMWD]))?")
_PART = re.compile(r"(\d{4})-?([ASQMW])(\d{1,2})", re.IGNORECASE)
_TIME = r"[T ]\d{2}(?::?\d{2}(?::?\d{2}(?:[.,]\d{1,9})?)?)?(?: ?(?:Z|UTC|[+-]\d{2}(?::?\d{2})?))?"
_PLAIN = re.compile(rf"(\d{{4}})(?:-(\d{{2}})(?:-(\d{{2}})(?:{_TIME})?)?)?", re.IGNORECASE)
_MONTHS = {"A": 12, "Y": 12, "S": 6, "Q": 3, "M": 1}


class PeriodComparison(msgspec.Struct, frozen=True):
    """The period of one entry of an answer beside what was expected of it."""

    dataset: str
    expected: Period
    found: Period | None
    ends: tuple[bool, bool]


def compare_periods(
    target: Selection, selection: Selection, left: Mapping[str, str], right: Mapping[str, str], today: str
) -> tuple[PeriodComparison, ...]:
    """Every period of the answer against the expected one. ``left`` and ``right`` give the key under which each dataset
    id compares."""
    own: dict[str, list[Period]] = {}
    for part in target.indicator_selection:
        if part.period is not None:
            own.setdefault(left.get(part.dataset_id, part.dataset_id), []).append(part.period)
    if target.period is None and not own:
        return ()
    now = date.fromisoformat(today) if today else date.today()
    expected_sets = set(left.values())
    parts = selection.indicator_selection
    in_expected = [part for part in parts if right.get(part.dataset_id, part.dataset_id) in expected_sets] or parts

    def compared() -> Iterator[PeriodComparison]:
        for part in in_expected:
            wanted = own.get(right.get(part.dataset_id, part.dataset_id)) or ([target.period] if target.period else [])
            yield from _best(part.dataset_id, wanted, part.period or selection.period, now)
        if not in_expected:
            wanted = [target.period] if target.period else [period for periods in own.values() for period in periods]
            yield from _best("", wanted, selection.period, now)

    return tuple(compared())


def _best(dataset: str, wanted: Sequence[Period], found: Period | None, now: date) -> Iterator[PeriodComparison]:
    """The expected period that the found one is nearest to; nothing where no period is expected."""
    compared = [
        PeriodComparison(dataset, period, found, _ends_right(period, found or Period(), now)) for period in wanted
    ]
    if compared:
        yield max(compared, key=lambda one: sum(one.ends))


def _ends_right(target: Period, found: Period, now: date) -> tuple[bool, bool]:
    """Whether the start and the end are right."""
    if target.also or found.also:
        same = _spans(target, now) == _spans(found, now)
        return same, same
    return _same(target.start, found.start, now, last=False), _same(target.end, found.end, now, last=True)


def _spans(period: Period, now: date) -> set[tuple[date | str | None, date | str | None]]:
    return {(_end(span.start, now, last=False), _end(span.end, now, last=True)) for span in (period, *period.also)}


def _end(text: str | None, now: date, *, last: bool) -> date | str | None:
    found = days(text, now) if text else None
    return found[last] if found else text


def _same(expected: str | None, found: str | None, now: date, *, last: bool) -> bool:
    if not expected or not found:
        return not expected and not found
    left, right = days(expected, now), days(found, now)
    if left is None or right is None:
        return expected == found
    if expected.startswith("$") or found.startswith("$"):
        return left[0] <= right[1] and right[0] <= left[1]
    return left[last] == right[last]


def days(text: str, now: date) -> Days | None:
    """The first and last day that a text stands for; None when it is no period."""
    text = text.strip()
    try:
        if match := _RELATIVE.fullmatch(text):
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
