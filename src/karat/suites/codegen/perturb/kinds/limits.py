"""Values right at the limits that conditions name, just below and just above: only a 30 shows the
difference between ``> 30`` and ``>= 30``.

| column | values around the limit 30, or 2024-03-01 |
|---|---|
| whole numbers | 29, 30, 31 |
| numbers | 30 and its neighbours in the column's own decimals: 29.99, 30, 30.01 |
| numbers of both signs | -31 or -30.01 too: code that looks at the size alone takes it for 31 |
| a number compared with another column | equal to that column in the same row |
| dates, also written as text | the day, the day before and the day after |
| moments with an offset, where the reference converts time zones | just after and just before midnight |
| moments of which the reference takes the hour | right at the hours that it names, and a second before |
| dates of which the reference takes months or years | the first and last days of months that are there |
| dates against a year or a month (2024, ``2024-03``) | its first and last day, the day before and the day after |

By hand: "weight above 30", reference ``> 30``. In the task's table no weight is 30, so that ``>= 30`` and ``> 29`` give
the same count. In the copy some are 30: both fail.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta

import msgspec

from karat.suites.codegen.analysis.records import Filter
from karat.suites.codegen.perturb.profile import Column, parsed, written
from karat.suites.codegen.records import Cell

ORDERED = frozenset({"<", "<=", ">", ">="})
COMPARED = ORDERED | {"==", "!="}
FINEST = 6
OUTSIDE = 0.1
"""Of its range: how far outside of it a limit may lie that only the code names."""
OTHER_HOURS = (1, 3, 5, 11, 14, 19, 23)
_DAY = timedelta(days=1)
_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[ T]00:00(?::00)?)?)?)?")


class Limit(msgspec.Struct, frozen=True):
    """A column and what it is compared with, as text. ``given``: the task itself says so, else only within the column's
    range."""

    column: str
    value: str
    given: bool = True


def limits_in(filters: Sequence[Filter], *, given: bool) -> tuple[Limit, ...]:
    """The limits of conditions that compare a column with a constant."""
    found = [Limit(one.column, one.value, given) for one in filters if one.operator in COMPARED and one.value]
    return tuple(dict.fromkeys(limit for limit in found if limit.column))


def around(limit: Limit, name: str, values: Sequence[object], about: Column) -> list[Cell]:
    """The values to try in this column; none when the limit is not about it."""
    known = [value for value in values if value is not None]
    if limit.column != name or not known:
        return []
    if about.kind in ("whole", "number"):
        return _numbers(limit, known)
    if about.kind in ("date", "dated"):
        return [made for day in _days(limit.value) if (made := _as_in(day, known, about, limit)) is not None]
    return []


def _numbers(limit: Limit, known: Sequence[Cell]) -> list[Cell]:
    try:
        number = float(limit.value)
    except ValueError:
        return []
    if number != number or abs(number) > 1e15 or not (limit.given or _near_range(number, known)):
        return []
    if all(float(value).is_integer() for value in known):
        if not number.is_integer():
            return []
        kind = type(known[0])
        near = (number, number - 1, number + 1, *_mirrored(number, 1, known))
        return [kind(value) for value in near if _same_sign(value, known)]
    decimals = min(FINEST, max(_decimals(value) for value in (*known[:200], number)))
    step = 10.0**-decimals
    near = (number, *(round(one, decimals) for one in (number - step, number + step, *_mirrored(number, step, known))))
    return [value for value in near if _same_sign(value, known)]


def _mirrored(number: float, step: float, known: Sequence[Cell]) -> list[float]:
    """Beyond the limit on the other side of 0, in a column that has numbers on both."""
    if not min(known) < 0 < max(known) or not number:
        return []
    return [-number - step if number > 0 else -number + step]


def _near_range(number: float, known: Sequence[Cell]) -> bool:
    """Within the range of a column, or so little outside that it was chosen for these values: ``< 481`` where 480
    is the largest, ``< 10`` where 9 is. Not 0, which code often asks for to be safe, and not the end of a scale."""
    low, high = min(known), max(known)
    if low <= number <= high:
        return True
    whole = all(float(value).is_integer() for value in known)
    room = max(OUTSIDE * (high - low), 1 if whole else 0)
    return bool(number) and low - room <= number <= high + room and number not in (1, 100)


def _same_sign(value: float, known: Sequence[Cell]) -> bool:
    """A column without a number below 0 gets none."""
    return value >= 0 or min(known) < 0


def _decimals(value: float) -> int:
    text = repr(float(value))
    return FINEST if "e" in text else len(text.partition(".")[2].rstrip("0"))


def _days(text: str) -> Iterator[date]:
    """The days around a limit: a day, a month or a year."""
    found = _DATE.fullmatch(text.strip())
    if found is None:
        return
    year, month, day = (int(part) if part else 0 for part in found.groups())
    try:
        first = date(year, month or 1, day or 1)
        end_month = month or 12
        last = first if day else date(year, end_month, calendar.monthrange(year, end_month)[1])
        yield from dict.fromkeys((first, last, first - _DAY, last + _DAY))
    except (ValueError, OverflowError):
        return


def month_ends(values: Sequence[object], about: Column) -> list[Cell]:
    """The first and last day of the first and the last month that is there, and the last of its longest: code that ends
    every month on the 30th is wrong only on the 31st."""
    known: list[Cell] = [value for value in values if value is not None]
    if about.kind not in ("date", "dated") or not known:
        return []
    in_order: list[date] = sorted(moment for value in known if (moment := _moment(value, about.form)) is not None)
    if not in_order:
        return []
    longest = next((one for one in in_order if _last_day(one) == 31), in_order[0])
    made = [
        moment.replace(day=day)
        for moment, day in (
            (in_order[0], 1),
            (in_order[0], _last_day(in_order[0])),
            (longest, 31 if _last_day(longest) == 31 else 1),
            (in_order[-1], 1),
            (in_order[-1], _last_day(in_order[-1])),
        )
    ]
    return [written(moment, about.form) if about.form else moment for moment in dict.fromkeys(made)]


def _moment(value: Cell, form: str) -> date | None:
    return parsed(value, form) if form else value if isinstance(value, date) else None


def day_ends(values: Sequence[object], about: Column) -> list[Cell]:
    """A quarter of an hour after and before midnight, of moments with a time zone: the day is another one in UTC."""
    known: list[Cell] = [value for value in values if value is not None]
    aware = any(isinstance(value, datetime) and value.tzinfo is not None for value in known)
    zoned = aware or about.form.endswith(("%z", "Z"))
    if about.kind not in ("date", "dated") or not known or not zoned:
        return []
    middle = sorted(known)[len(known) // 2]
    moment = _moment(middle, about.form)
    if not isinstance(moment, datetime):
        return []
    made = [moment.replace(hour=hour, minute=minute) for hour, minute in ((0, 15), (23, 45))]
    return [written(one, about.form) if about.form else one for one in made]


def hour_ends(values: Sequence[object], about: Column, numbers: Sequence[float]) -> list[Cell]:
    """Right at the hours that the reference names and a second before (a minute, where no seconds are written), and
    early and late on the day."""
    known: list[Cell] = [value for value in values if value is not None]
    if about.kind not in ("date", "dated") or not known:
        return []
    moment = _moment(sorted(known)[len(known) // 2], about.form)
    if not isinstance(moment, datetime) or (about.form and "%H" not in about.form):
        return []
    step = timedelta(minutes=1) if about.form and "%S" not in about.form else timedelta(seconds=1)
    hours = [int(one) for one in dict.fromkeys(numbers) if float(one).is_integer() and 0 < one < 24]
    made: list[datetime] = []
    for hour in dict.fromkeys(near for one in hours for near in (one, one + 1) if near < 24):
        sharp = moment.replace(hour=hour, minute=0, second=0, microsecond=0)
        made += [sharp, sharp - step]
    made += [moment.replace(hour=hour, minute=30) for hour in OTHER_HOURS]
    return [written(one, about.form) if about.form else one for one in made]


def beyond_limit(limit: Limit, value: Cell) -> bool | None:
    """Whether a number lies above a limit; None where it is no number."""
    try:
        return bool(float(value) > float(limit.value))
    except (TypeError, ValueError):
        return None


def _last_day(moment: date) -> int:
    return calendar.monthrange(moment.year, moment.month)[1]


def _as_in(day: date, known: Sequence[Cell], about: Column, limit: Limit) -> object:
    """A day in the form of the column; None when it lies outside its range and only the code speaks of it."""
    if about.form:
        moments = [moment.date() for text in known if (moment := parsed(text, about.form)) is not None]
        zone = next((moment.tzinfo for text in known if (moment := parsed(text, about.form)) is not None), None)
        made: Cell = written(datetime(day.year, day.month, day.day, tzinfo=zone), about.form)
    else:
        moments = [value.date() if isinstance(value, datetime) else value for value in known]
        timed = isinstance(known[0], datetime)
        made = datetime(day.year, day.month, day.day, tzinfo=known[0].tzinfo) if timed else day
    if limit.given or not moments:
        return made if limit.given else None
    room = OUTSIDE * (max(moments) - min(moments))
    return made if min(moments) - room <= day <= max(moments) + room else None
