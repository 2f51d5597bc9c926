"""Dates of a plot as ISO texts, one text for one moment: a date alone at midnight, no zeros after the seconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from karat.suites.codegen.plots.records import Point, Value

_ISO = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(Z|[+-]00:?00|\+0000)?", re.ASCII
)


def plain_date(value: Value) -> Value:
    """A text that is a moment in its one form; anything else as it is."""
    found = _ISO.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 50 else None
    if found is None:
        return value
    day, minutes, seconds, part = found[1], found[2] or "00:00", found[3] or "00", (found[4] or "").rstrip("0")
    if minutes == "00:00" and seconds == "00" and not part:
        return day
    return f"{day}T{minutes}:{seconds}{f'.{part}' if part else ''}"


def from_milliseconds(stamp: float) -> str:
    """The moment of a time stamp, as JavaScript counts it."""
    text = plain_date(datetime.fromtimestamp(stamp / 1000, UTC).replace(tzinfo=None).isoformat())
    return str(text)


_PERIOD = re.compile(r"\d{4}(?:-\d{2}|Q[1-4])?", re.ASCII)
_FIRST = re.compile(r"(\d{4})-(\d{2})-01", re.ASCII)
_DAY = re.compile(r"(\d{4})-(\d{2})-\d{2}(?:T.*)?", re.ASCII)


def in_periods(gold: list[Point], given: list[Point]) -> list[Point]:
    """The gold's points with the period of each date, where all given places are periods; else as they are."""
    places = [point[0] for point in given]
    periods = [place for place in places if isinstance(place, str) and _PERIOD.fullmatch(place)]
    days = [_DAY.fullmatch(point[0]) if isinstance(point[0], str) else None for point in gold]
    if not periods or len(periods) != len(places) or None in days:
        return gold
    form = "Q" if "Q" in periods[0] else "-" if "-" in periods[0] else ""
    return [(_period(day, form), *point[1:]) for day, point in zip(days, gold, strict=True) if day is not None]


def in_gold_periods(gold: list[Point], given: list[Point]) -> list[Point]:
    """The given points with the period of each date, where all places of the gold are periods (``2024-01``) and every
    given one is the first day of a period."""
    places = [point[0] for point in gold]
    if not places or not all(isinstance(place, str) and _PERIOD.fullmatch(place) for place in places):
        return given
    form = "Q" if "Q" in str(places[0]) else "-" if "-" in str(places[0]) else ""
    days = [_FIRST.fullmatch(point[0]) if isinstance(point[0], str) else None for point in given]
    firsts = {"": ("01",), "Q": ("01", "04", "07", "10")}.get(form)
    if any(day is None or (firsts and day[2] not in firsts) for day in days):
        return given
    return [(_period(day, form), *point[1:]) for day, point in zip(days, given, strict=True) if day is not None]


def _period(day: re.Match[str], form: str) -> str:
    year, month = day[1], day[2]
    return f"{year}-{month}" if form == "-" else f"{year}Q{(int(month) + 2) // 3}" if form else year
