"""Rows of inline data, and values of their fields as a plot shows them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime

from karat.core.json_types import Json, JsonMapping
from karat.suites.codegen.plots.dates import from_milliseconds, plain_date
from karat.suites.codegen.plots.plotly.arrays import value_of
from karat.suites.codegen.plots.records import Value
from karat.suites.codegen.plots.unreadable import CannotRead

MOST_ROWS = 200_000
Row = dict[str, Json]
_ESCAPED = re.compile(r"\\([.\[\]\"'])")


def rows_of(data: Json, datasets: JsonMapping) -> list[Row]:
    """The rows of ``data``: its values, or those of the data set that it names."""
    if not isinstance(data, dict):
        raise CannotRead("a view without data")
    if "url" in data:
        raise CannotRead("its data is at an address, which is not opened")
    values = data.get("values", datasets.get(str(data.get("name"))))
    if isinstance(values, dict):
        values = [values]
    if not isinstance(values, list):
        raise CannotRead("its data is not written out")
    if len(values) > MOST_ROWS:
        raise CannotRead(f"{len(values):,} rows of data")
    return [row if isinstance(row, dict) else {"data": row} for row in values]


def field_of(row: Row, name: str) -> Json:
    """The value of a field, which may be inside another."""
    if name in row:
        return row[name]
    plain = _ESCAPED.sub(r"\1", name)
    if plain in row:
        return row[plain]
    found: Json = row
    for part in re.split(r"\.|\[|\]", name):
        if part:
            found = found.get(part.strip("'\"")) if isinstance(found, dict) else None
    return found


def shown(value: Json, kind: str) -> Value:
    """A value as its axis shows it: a time stamp of a temporal field is a date."""
    if kind == "temporal" and isinstance(value, int | float) and not isinstance(value, bool):
        if abs(value) > 253_402_300_799_000:
            raise CannotRead("a time stamp outside the calendar")
        return from_milliseconds(value)
    return value_of(value)


def moment_of(value: Json) -> datetime:
    """A value as a moment. Raises CannotRead for what is none."""
    text = shown(value, "temporal")
    try:
        if isinstance(text, str):
            return datetime.fromisoformat(str(plain_date(text)))
    except ValueError:
        pass
    raise CannotRead(f"{str(value)[:40]!r} is not a date that can be read")


_UNITS: dict[str, Callable[[datetime], str | int]] = {
    "year": lambda at: at.year,
    "quarter": lambda at: f"Q{(at.month + 2) // 3}",
    "month": lambda at: at.strftime("%b"),
    "date": lambda at: at.day,
    "day": lambda at: at.strftime("%a"),
    "hours": lambda at: at.hour,
    "minutes": lambda at: at.minute,
    "yearquarter": lambda at: f"{at.year}Q{(at.month + 2) // 3}",
    "yearmonth": lambda at: f"{at.year:04}-{at.month:02}",
    "yearmonthdate": lambda at: date(at.year, at.month, at.day).isoformat(),
}
ORDERED = {"month": "%m", "day": "%w", "quarter": "%m"}


def in_unit(value: Json, unit: str) -> tuple[Value, float]:
    """A moment in a unit of time, and what it is sorted by."""
    name = unit.removeprefix("utc")
    if name not in _UNITS:
        raise CannotRead(f'the time unit "{unit[:40]}"')
    at = moment_of(value)
    found = _UNITS[name](at)
    if name in ORDERED:
        return found, float(at.strftime(ORDERED[name]))
    return found, float(found) if isinstance(found, int) else at.timestamp() if at.tzinfo else _seconds(at)


def _seconds(at: datetime) -> float:
    return (at - datetime(1970, 1, 1)).total_seconds()
