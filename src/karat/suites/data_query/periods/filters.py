"""Filters on ``TIME_PERIOD`` as a period.

A value stands for its days. Each filter is a union of spans, the filters of one query intersect, and what is left is
the period: a span, or several that do not touch. The text of an end is kept as it was given, except where an operator
moves it to the day before or after.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

import msgspec

from karat.core.problems import count_of
from karat.core.suite import Unreadable
from karat.suites.data_query.formats.operators import known, meaning
from karat.suites.data_query.periods.nearest import no_period
from karat.suites.data_query.periods.period import days
from karat.suites.data_query.selection.selection import DatasetSelection, Period, Selection

TIME_DIMENSION = "TIME_PERIOD"
_FOLD = str.maketrans("", "", "_- ")
_DAY = timedelta(days=1)


class Span(NamedTuple):
    """From one day to another, each with the text it was given as."""

    first: date = date.min
    last: date = date.max
    start: str | None = None
    end: str | None = None


Filter = tuple[str, Sequence[str]]
"""An operator and its values."""


def is_time(dimension: str) -> bool:
    """Whether an answer means the time dimension, in any letter case: no dimension of codes has that name."""
    return dimension == TIME_DIMENSION or dimension.casefold().translate(_FOLD) == "timeperiod"


def period_of(filters: Iterable[Filter], today: str = "") -> Period | None:
    """The period that the time filters of one query leave; None when it is open on both sides."""
    now = date.fromisoformat(today) if today else date.today()
    spans = [Span()]
    for operator, values in filters:
        try:
            given = _spans(known(operator, TIME_DIMENSION), operator, [value.strip() for value in values], now)
        except OverflowError:  # before the year 1, or after the year 9999
            given = []
        spans = [both for left in spans for right in given if (both := _both(left, right)) is not None]
        if not spans:
            raise Unreadable("the period is empty: no day passes the filters on TIME_PERIOD")
    if spans == [Span()]:
        return None
    first, *more = (Period(span.start, span.end) for span in spans)
    return Period(first.start, first.end, tuple(more))


def exchanged(operator: str, values: Sequence[str], today: str = "") -> str:
    """What to note where the ends of a ``between`` were given in the wrong order and read in the right one; else
    empty."""
    if len(values) != 2 or meaning(operator) != "between":
        return ""
    now = date.fromisoformat(today) if today else date.today()
    first, last = (days(value, now) for value in values)
    if first is None or last is None or (first[0], first[1]) <= (last[0], last[1]):
        return ""
    return f"{operator} {values[0]} {values[1]} on TIME_PERIOD is read as {values[1]} to {values[0]}"


def with_period(selection: Selection, today: str = "") -> Selection:
    """A selection in which a dimension ``TIME_PERIOD`` has become the period of its entry."""
    parts = selection.indicator_selection
    if not any(is_time(one.dimension_name) for part in parts for one in part.dimensions):
        return selection
    return msgspec.structs.replace(selection, indicator_selection=tuple(_timed(part, today) for part in parts))


def common_period(parts: Sequence[DatasetSelection]) -> Selection:
    """A selection of these entries; a period that all of them have is the period of the whole."""
    periods = {part.period for part in parts}
    if len(periods) == 1 and (shared := next(iter(periods))) is not None:
        return Selection(tuple(DatasetSelection(p.dataset_id, p.dimensions) for p in parts), period=shared)
    return Selection(tuple(parts))


def _timed(part: DatasetSelection, today: str) -> DatasetSelection:
    filters = [(d.operator, [t.id for t in d.values]) for d in part.dimensions if is_time(d.dimension_name)]
    others = tuple(d for d in part.dimensions if not is_time(d.dimension_name))
    found = period_of(filters, today)
    if part.period is not None and found is not None and part.period != found:
        raise Unreadable("the entry has a period and other values in TIME_PERIOD: expected one of them")
    return DatasetSelection(part.dataset_id, others, part.period or found)


def _spans(meant: str, operator: str, values: Sequence[str], now: date) -> list[Span]:
    """What one filter allows."""
    if meant in ("all", "excluded") or (not values and meant in ("in", "not_in")):
        return [Span()]
    wanted = 2 if meant == "between" else 1
    if len(values) != wanted and meant not in ("in", "not_in"):
        raise Unreadable(
            f'the operator "{operator}" on TIME_PERIOD takes {wanted} of the {count_of(len(values), "value")} given'
        )
    given = [_span(value, now) for value in values]
    if meant == "in":
        return _joined(given)
    if meant == "not_in":
        return _others(_joined(given))
    if meant == "between":
        first, last = sorted(given, key=lambda span: (span.first, span.last))
        return [Span(first.first, last.last, first.start, last.end)]
    (one,) = given
    if meant == "ge":
        return [Span(first=one.first, start=one.start)]
    if meant == "le":
        return [Span(last=one.last, end=one.end)]
    return [_after(one) if meant == "gt" else _before(one)]


def _span(value: str, now: date) -> Span:
    found = days(value, now)
    if found is None:
        raise Unreadable(no_period(value, "on TIME_PERIOD"))
    return Span(*found, value, value)


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Their union: spans that touch or overlap become one."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.first, one.last)):
        if found and (span.first <= found[-1].last or span.first - found[-1].last == _DAY):
            if span.last > found[-1].last:
                found[-1] = found[-1]._replace(last=span.last, end=span.end)
        else:
            found.append(span)
    return found


def _others(spans: Sequence[Span]) -> list[Span]:
    """Every day that is in none of some spans, which are in order and do not touch."""
    between = [
        Span(after.first, before.last, after.start, before.end)
        for after, before in zip(map(_after, spans), map(_before, spans[1:]), strict=False)
    ]
    return [_before(spans[0]), *between, _after(spans[-1])]


def _before(span: Span) -> Span:
    day = span.first - _DAY
    return Span(last=day, end=day.isoformat())


def _after(span: Span) -> Span:
    day = span.last + _DAY
    return Span(first=day, start=day.isoformat())


def _both(left: Span, right: Span) -> Span | None:
    """What two spans have in common."""
    start = left if left.first >= right.first else right
    end = left if left.last <= right.last else right
    both = Span(start.first, end.last, start.start or left.start or right.start, end.end or left.end or right.end)
    return both if both.first <= both.last else None
