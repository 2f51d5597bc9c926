"""Functions of dates. A date is a number of days since 30 December 1899, with the time of day as its fraction; where a
date is wanted, such a number will do. There are no days before that one and none after the year 9999: the result is NA
there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from karat.sheet.functions.definition import Example, Function, Parameter
from karat.sheet.functions.numbers import rounded
from karat.sheet.scalars import Date, moment, serial
from karat.sheet.values import NA, Value, number, whole

_DATE = Parameter("date", "a date")
MOST_DAYS = 4_000_000
_FIRST_YEAR = 1899


def _date(year: Value, month: Value, day: Value) -> Value:
    """Months and days beyond the end, or before the beginning, go on in the next year or month, or the one before."""
    years, months = divmod(whole(month, "DATE") - 1, 12)
    first_year = _FIRST_YEAR if year == "" else whole(year, "DATE")
    try:
        found = datetime(first_year + years, months + 1, 1) + timedelta(days=whole(day, "DATE") - 1)
    except (ValueError, OverflowError):
        return NA
    return _known(serial(found))


def _known(date: Date) -> Value:
    return date if date >= 0 else NA


def _part(name: str, summary: str, example: Example, take: Callable[[datetime], int]) -> Function:
    def do(value: Value) -> Value:
        days = number(value, name)
        found = moment(days) if days >= 0 else None
        return NA if found is None else take(found)

    return Function(name, "dates", ((_DATE,),), summary, example, do)


def _workday(date: Value, days: Value) -> Value:
    found, left = moment(number(date, "WORKDAY")), int(rounded(days))
    if found is None or abs(left) > MOST_DAYS:
        return NA
    day = datetime(found.year, found.month, found.day)
    step = 1 if left > 0 else -1
    try:
        weeks, left = divmod(abs(left), 5)
        day += timedelta(weeks=weeks * step)
        if weeks and not left:  # whole weeks from a weekend end on the work day before it
            while day.weekday() > 4:
                day -= timedelta(days=step)
        while left:
            day += timedelta(days=step)
            left -= day.weekday() < 5
    except OverflowError:
        return NA
    return _known(serial(day))


DATES = (
    Function(
        "DATE",
        "dates",
        ((Parameter("year", "such as 2024"), Parameter("month", "1 to 12"), Parameter("day", "1 to 31")),),
        "A day. As a number it is the days since 30 December 1899. Month 13 is the next January, day 0 the day before.",
        Example("DATE(2024, 3, 1) - DATE(2024, 2, 1)", 29),
        _date,
    ),
    _part("YEAR", "The year of a date.", Example("YEAR(DATE(2024, 3, 1))", 2024), lambda day: day.year),
    _part("MONTH", "The month of a date, 1 to 12.", Example("MONTH(DATE(2024, 3, 1))", 3), lambda day: day.month),
    _part("DAY", "The day of the month.", Example("DAY(DATE(2024, 3, 1))", 1), lambda day: day.day),
    _part("HOUR", "The hour, 0 to 23.", Example("HOUR(DATE(2024, 3, 1) + 0.75)", 18), lambda day: day.hour),
    _part("MINUTE", "The minute, 0 to 59.", Example("MINUTE(DATE(2024, 3, 1) + 0.53125)", 45), lambda day: day.minute),
    _part("SECOND", "The second, 0 to 59.", Example("SECOND(DATE(2024, 3, 1))", 0), lambda day: day.second),
    Function(
        "WORKDAY",
        "dates",
        ((_DATE, Parameter("days", "how many work days later, or earlier if negative")),),
        "The day that many work days after a date; Saturdays and Sundays do not count.",
        Example("WORKDAY(DATE(2024, 4, 11), 2)", "2024-04-15"),
        _workday,
    ),
)
