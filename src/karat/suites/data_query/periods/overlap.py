"""How much two periods overlap, in days."""

from __future__ import annotations

from datetime import date

from karat.suites.data_query.periods.period import days
from karat.suites.data_query.selection.selection import Period

Spans = list[tuple[int, int]]
"""First and last day of each span, as numbers, in order and apart from each other."""


def overlap(expected: Period, found: Period | None, today: str = "") -> float | None:
    """Days in both / days in either; None where an end is open or is no period."""
    now = date.fromisoformat(today) if today else date.today()
    left, right = _spans(expected, now), _spans(found, now) if found is not None else None
    if not left or not right:
        return None
    either = _length(joined([*left, *right]))
    return (_length(left) + _length(right) - either) / either


def _spans(period: Period, now: date) -> Spans | None:
    found: Spans = []
    for span in (period, *period.also):
        start = days(span.start, now) if span.start else None
        end = days(span.end, now) if span.end else None
        if start is None or end is None:
            return None
        found.append((start[0].toordinal(), end[1].toordinal()))
    return joined(found)


def joined(spans: Spans) -> Spans:
    """Their union: spans that touch or overlap become one."""
    found: Spans = []
    for first, last in sorted(spans):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return found


def _length(spans: Spans) -> int:
    return sum(last - first + 1 for first, last in spans)
