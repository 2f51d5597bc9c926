"""Periods that are none, in targets and in answers: an end that is no date, and a start after its end."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from karat.core.suite import Unreadable
from karat.core.yaml.structs import Path_
from karat.suites.data_query.periods.nearest import no_period
from karat.suites.data_query.periods.period import days
from karat.suites.data_query.selection.selection import Period, Selection


def period_faults(period: Period, path: Path_, now: date, *, dated: bool) -> Iterator[tuple[Path_, str]]:
    """(where, what) for each fault. A start after its end is one for sure where both are dates, or both relative; else
    only where the day that ``$TODAY`` means is known (``dated``)."""
    for end in ("start", "end"):
        text = getattr(period, end)
        if text and days(text, now) is None:
            yield (*path, end), no_period(text)
    if period.start and period.end and (dated or _relative(period.start) == _relative(period.end)):
        start, end_days = days(period.start, now), days(period.end, now)
        if start and end_days and start[0] > end_days[1]:
            yield (*path, "start"), f'the period starts at "{period.start}", after its end "{period.end}"'
    for number, more in enumerate(period.also):
        yield from period_faults(more, (*path, "also", number), now, dated=dated)


def periods_in(selection: Selection) -> Iterator[tuple[Path_, Period]]:
    """Every period that a selection states, and where."""
    if selection.period is not None:
        yield ("period",), selection.period
    for number, part in enumerate(selection.indicator_selection):
        if part.period is not None:
            yield ("indicator_selection", number, "period"), part.period


def refuse_no_periods(selection: Selection, today: str) -> None:
    """Raise Unreadable for a period of an answer that is none."""
    now: date | None = None
    for path, period in periods_in(selection):
        now = now or (date.fromisoformat(today) if today else date.today())
        for place, fault in period_faults(period, path, now, dated=True):
            where = ".".join(map(str, place)) if place[-1] in ("start", "end") else "period"
            raise Unreadable(f"the period of the answer cannot be read ({where}): {fault}")


def _relative(text: str) -> bool:
    return text.lstrip().startswith("$")
