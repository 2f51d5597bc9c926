"""A column of Python values as the texts that pandas' ``to_csv`` writes for it.

Integers and floats as Python writes them, booleans ``True`` and ``False``, dates in ISO form, nulls as nothing. A
column of times shows the same number of decimals in every row, and the date alone when every time is midnight and has
no zone, as pandas does. One difference: an integer beside a null stays ``1``, where pandas would write ``1.0``. Read
back, both are the same number, and a large integer keeps its digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, time, timedelta
from decimal import Decimal
from typing import Any  # Any: a cell is the Python value that a driver makes of it


def column_text(values: Sequence[Any]) -> tuple[str | None, ...]:
    """The texts of a column, ``None`` for a null (NaN is one too)."""
    kinds = {type(value) for value in values}
    if kinds <= {str, type(None)}:
        return tuple(values)
    present = [value for value in values if not _is_null(value)]
    write: Callable[[Any], str] = _text
    if present and all(isinstance(value, datetime) for value in present):
        write = _datetime_form(present)
    elif present and all(isinstance(value, timedelta) for value in present):
        write = _timedelta_form(present)
    return tuple(None if _is_null(value) else write(value) for value in values)


def _is_null(value: object) -> bool:
    return value is None or (isinstance(value, float | Decimal) and value != value)


def _text(value: object) -> str:
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, bytearray | memoryview):
        return str(bytes(value))
    return str(value)


def _datetime_form(values: Sequence[datetime]) -> Callable[[datetime], str]:
    if all(value.tzinfo is None and value.time() == time() for value in values):
        return lambda value: value.date().isoformat()
    if all(value.microsecond == 0 for value in values):
        return lambda value: value.isoformat(sep=" ", timespec="seconds")
    if all(value.microsecond % 1000 == 0 for value in values):
        return lambda value: value.isoformat(sep=" ", timespec="milliseconds")
    return lambda value: value.isoformat(sep=" ", timespec="microseconds")


def _timedelta_form(values: Sequence[timedelta]) -> Callable[[timedelta], str]:
    if all(value.seconds == 0 and value.microseconds == 0 for value in values):
        return lambda value: f"{value.days} days"
    decimals = "microseconds" if any(value.microseconds for value in values) else "seconds"

    def write(value: timedelta) -> str:
        sign = "+" if value.days < 0 else ""
        clock = (datetime.min + timedelta(seconds=value.seconds, microseconds=value.microseconds)).time()
        return f"{value.days} days {sign}{clock.isoformat(timespec=decimals)}"

    return write
