"""Is the period right? Each end counts half.

A start means the first day of its text and an end the last, so ``2015`` as a start equals ``2015-01-01`` and as an end
``2015-Q4``. A relative end is right at the grain of its unit: ``$TODAY-10Y`` is right for any day of that year, and
``$TODAY-30D`` not for a whole year; ``$TODAY`` alone is right for every period that today is in. An end the target
leaves open is right when the answer leaves it open too. A period of several spans (2015 and 2017) is right, both ends
at once, only when the answer has the same days.

An entry of a target or an answer may have a period of its own; it comes before the common one. With several entries in
an answer the score is the mean over those in expected datasets, or over all of them when none is. Where the entries of
a dataset ask for different periods, an entry of the answer is compared with those with which it shares series: the
nearest of them, and each further one whose series are not among those. A period that no entry is compared with counts
too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

import msgspec

from karat.suites.data_query.periods.overlap import Spans, joined
from karat.suites.data_query.periods.period import RELATIVE, days
from karat.suites.data_query.selection.selection import DatasetSelection, Period, Selection
from karat.suites.data_query.series.boxes import Box, common_box, lies_in
from karat.suites.data_query.series.comparison import box_of


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
    asked: dict[str, list[DatasetSelection]] = {}
    for part in target.indicator_selection:
        asked.setdefault(left.get(part.dataset_id, part.dataset_id), []).append(_with_period(part, target.period))
    if target.period is None and not any(part.period for parts in asked.values() for part in parts):
        return ()
    now = date.fromisoformat(today) if today else date.today()
    common = [DatasetSelection("", period=target.period)]
    given: dict[str, list[DatasetSelection]] = {}
    for part in selection.indicator_selection:
        given.setdefault(right.get(part.dataset_id, part.dataset_id), []).append(_with_period(part, selection.period))
    expected_sets = set(left.values())
    counted = {key: parts for key, parts in given.items() if key in expected_sets} or given
    if not counted:
        wanted = common if target.period else [part for parts in asked.values() for part in parts]
        return tuple(_nearest(DatasetSelection("", period=selection.period), wanted, now))
    return tuple(one for key, parts in counted.items() for one in _in_dataset(asked.get(key, common), parts, now))


def _with_period(part: DatasetSelection, common: Period | None) -> DatasetSelection:
    return part if part.period is not None or common is None else msgspec.structs.replace(part, period=common)


def _in_dataset(
    asked: Sequence[DatasetSelection], given: Sequence[DatasetSelection], now: date
) -> Iterator[PeriodComparison]:
    """The entries of an answer in one dataset, then what is asked for and none of them was compared with."""
    if all(part.period == asked[0].period for part in asked):
        for part in given:
            yield from _nearest(part, asked[:1], now)
        return
    boxes = [_box(part) for part in asked]
    missed: dict[int, PeriodComparison] = {}
    answered: set[int] = set()
    for part in given:
        own = _box(part)
        shared = {place: both for place, box in enumerate(boxes) if (both := common_box(box, own)) is not None}
        if not shared:
            yield from _nearest(part, asked, now)
        compared = {place: one for place in shared for one in _nearest(part, [asked[place]], now)}
        taken: list[int] = []
        for place in sorted(compared, key=lambda place: -sum(compared[place].ends)):
            if not any(lies_in(shared[place], boxes[other]) for other in taken):
                if not any(asked[place].period == asked[other].period for other in taken):
                    yield compared[place]
                taken.append(place)
        for place, one in compared.items():
            if all(one.ends) or any(asked[place].period == asked[other].period for other in taken):
                answered.add(place)
            elif place not in missed or sum(one.ends) > sum(missed[place].ends):
                missed[place] = one
    yield from (one for place, one in missed.items() if place not in answered)


def _box(part: DatasetSelection) -> Box:
    return box_of(part, {dimension.dimension_name for dimension in part.dimensions})


def _nearest(given: DatasetSelection, asked: Sequence[DatasetSelection], now: date) -> Iterator[PeriodComparison]:
    """The expected period that the found one is nearest to; nothing where no period is expected."""
    found = given.period
    compared = [
        PeriodComparison(given.dataset_id, one.period, found, _ends_right(one.period, found or Period(), now))
        for one in asked
        if one.period is not None
    ]
    if compared:
        yield max(compared, key=lambda one: sum(one.ends))


def _ends_right(target: Period, found: Period, now: date) -> tuple[bool, bool]:
    """Whether the start and the end are right."""
    if target.also or found.also:
        wanted = _spans(target, now)
        same = wanted is not None and wanted == _spans(found, now)
        return same, same
    return _same(target.start, found.start, now, last=False), _same(target.end, found.end, now, last=True)


def _spans(period: Period, now: date) -> Spans | None:
    """The days of a period, in spans that do not touch; None where an end is no period."""
    found: Spans = []
    for span in (period, *period.also):
        start = days(span.start, now) if span.start else (date.min, date.min)
        end = days(span.end, now) if span.end else (date.max, date.max)
        if start is None or end is None:
            return None
        found.append((start[0].toordinal(), end[1].toordinal()))
    return joined(found)


def _same(expected: str | None, found: str | None, now: date, *, last: bool) -> bool:
    if not expected or not found:
        return not expected and not found
    left, right = days(expected, now), days(found, now)
    if left is None or right is None:
        return expected == found
    match = RELATIVE.fullmatch(expected.strip())
    if match is not None and match[3]:
        return left[0] <= right[last] <= left[1]
    if match is not None or found.strip().startswith("$"):
        return left[0] <= right[1] and right[0] <= left[1]
    return left[last] == right[last]
