"""What was probably meant by a text that is no period: ``2019-Q5`` → 2019-Q4, ``31/12/2021`` → 2021-12-31,
``$TODAY-5X`` → $TODAY-5Y."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import date

from karat.suites.data_query.periods.period import days

ACCEPTED = (
    "2015, 2015-S1, 2015-Q1, 2015-03, 2015-W05, 2015-03-31, or relative: $TODAY, $TODAY-10Y (units Y, S, Q, M, W, D)"
)
_MOST = {"A": 1, "S": 2, "Q": 4, "M": 12, "W": 53}
_NUMBERED = re.compile(r"(\d{4})[-/. ]?([ASQMW])(\d{1,3})", re.IGNORECASE)
_TURNED = re.compile(r"([ASQMW])(\d{1,2})[-/. ]*(\d{4})", re.IGNORECASE)
_YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?")
_YEAR_LAST = re.compile(r"(?:(\d{1,2})[-/.])?(\d{1,2})[-/.](\d{4})")
_RELATIVE = re.compile(r"\$?TODAY *(?:([+-]) *(\d{1,5}) *([A-Z]*))?", re.IGNORECASE)
_LONG = {"YEARS": "Y", "MONTHS": "M", "QUARTERS": "Q", "WEEKS": "W", "DAYS": "D", "SEMESTERS": "S"}


def no_period(text: str, where: str = "") -> str:
    """``"2019-Q5" is no period. Did you mean 2019-Q4?``, or what is accepted."""
    near = nearest_periods(text)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Accepted: {ACCEPTED}"
    shown = text if len(text) <= 60 else f"{text[:59]}…"
    return f'"{shown}"{f" {where}" if where else ""} is no period. {hint}'


def nearest_periods(text: str) -> list[str]:
    """Periods that are written nearly so, the likelier first; none where nothing is near."""
    return list(dict.fromkeys(found for found in _guesses(text.strip()) if days(found, date.today())))


def _guesses(text: str) -> Iterator[str]:
    if match := _RELATIVE.fullmatch(text):
        word = (match[3] or "").upper()
        unit = next((unit for name, unit in _LONG.items() if word and name.startswith(word)), word or "Y")
        yield f"$TODAY{match[1]}{int(match[2])}{unit if unit in 'YSQMWD' else 'Y'}" if match[1] else "$TODAY"
    elif match := _NUMBERED.fullmatch(text):
        yield _numbered(match[1], match[2].upper(), int(match[3]))
    elif match := _TURNED.fullmatch(text):
        yield _numbered(match[3], match[1].upper(), int(match[2]))
    elif match := _YEAR_FIRST.fullmatch(text):
        yield _dated(match[1], int(match[2]), int(match[3]) if match[3] else None)
    elif match := _YEAR_LAST.fullmatch(text):
        first, second = int(match[1] or 0), int(match[2])
        if not first:
            yield _dated(match[3], second, None)
            return
        if second <= 12 or first > 12:  # day first, as most of the world writes it
            yield _dated(match[3], second, first)
        if first <= 12 and first != second:
            yield _dated(match[3], first, second)


def _numbered(year: str, unit: str, number: int) -> str:
    most = 52 if unit == "W" and not days(f"{year}-W53", date.today()) else _MOST[unit]
    number = max(1, min(most, number))
    return (
        f"{year}-{unit}{number:02d}"
        if unit == "W"
        else f"{year}-{number:02d}"
        if unit == "M"
        else f"{year}-{unit}{number}"
    )


def _dated(year: str, month: int, day: int | None) -> str:
    month = max(1, min(12, month))
    if day is None:
        return f"{year}-{month:02d}"
    last = calendar.monthrange(int(year), month)[1] if int(year) else 1
    return f"{year}-{month:02d}-{max(1, min(last, day)):02d}"
