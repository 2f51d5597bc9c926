"""DuckDB's rows as Python values. What Python cannot hold (infinity, the year 20000) comes as the text that DuckDB
writes for it in UTC."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING

from karat.engines.drivers import driver
from karat.engines.protocol import EngineError
from karat.engines.query.fetching import Row, batches

if TYPE_CHECKING:
    import duckdb
    import pyarrow

NESTED = ("[", "STRUCT", "MAP", "UNION")
"""Parts of the names of types whose values hold others."""
BY_ARROW = ("TIMESTAMP WITH TIME ZONE", *NESTED)
"""Parts of the names of types that are fetched as Arrow, which has no zone for a time without a date."""
MOST_NESTED = 64 * 1024 * 1024
"""Bytes of a batch of such rows; as Python objects they take ten times that."""
EPOCH = date(1970, 1, 1).toordinal()
ENDS = {datetime.max, datetime.min, date.max, date.min}
"""What the driver makes of infinity, and of the last moment itself."""
DAYS = (date(1, 1, 3).toordinal() - EPOCH, date(9999, 12, 29).toordinal() - EPOCH)
"""Between these Python can hold every moment."""
INFINITE = {2**63 - 1: "infinity", -(2**63) + 1: "-infinity", 2**31 - 1: "infinity", -(2**31) + 1: "-infinity"}


def fetchmany(
    result: duckdb.DuckDBPyConnection, kinds: Sequence[str], *, by_arrow: bool
) -> Callable[[int], Sequence[Row]]:
    """Rows as Python values.

    Moments with a zone come by way of Arrow, since the driver's own way needs pytz; lists and structs too, since there
    their size is known before Python makes objects of them.
    """
    if not by_arrow and not any(mark in kind for kind in kinds for mark in BY_ARROW):
        many: Callable[[int], Sequence[Row]] = result.fetchmany
        return many
    driver("pyarrow", "answers")
    read = getattr(result, "to_arrow_reader" if hasattr(result, "to_arrow_reader") else "fetch_record_batch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that it copies the rows once more
        return batches(_arrow_rows(read(1_000)))


def has_nested(kinds: Sequence[str]) -> bool:
    """Whether a column holds lists, structs or maps."""
    return any(mark in kind for kind in kinds for mark in NESTED)


def ends_of_time(rows: Sequence[Row], kinds: Sequence[str]) -> bool:
    """Whether a cell is the first or last moment that Python knows."""
    places = [place for place, kind in enumerate(kinds) if kind == "DATE" or kind.startswith("TIMESTAMP")]
    return bool(places) and any(row[place] in ENDS for row in rows for place in places)


def _arrow_rows(reader: pyarrow.RecordBatchReader) -> Iterator[Row]:
    for batch in reader:
        if batch.nbytes > MOST_NESTED:
            raise EngineError("row_limit", f"the result has lists or structs of more than {MOST_NESTED:,} bytes")
        yield from zip(*(_cells(column) for column in batch.columns), strict=True)


def _cells(column: pyarrow.Array) -> list[object]:
    import pyarrow

    is_date = pyarrow.types.is_date32(column.type)
    if not is_date and not pyarrow.types.is_timestamp(column.type):
        found: list[object] = column.to_pylist()
        return found
    numbers = column.cast(pyarrow.int32() if is_date else pyarrow.int64())
    if _all_near(column.type, numbers, is_date):
        near: list[object] = column.to_pylist()
        return near
    ticks = numbers.to_pylist()
    return [_time(column, place, tick, is_date) for place, tick in enumerate(ticks)]


def _all_near(kind: pyarrow.DataType, numbers: pyarrow.Array, is_date: bool) -> bool:
    """Whether Python can hold all these moments, whatever their zone."""
    import pyarrow.compute

    if not is_date and kind.unit == "ns":
        return False
    ends = pyarrow.compute.min_max(numbers)
    per_day = 1 if is_date else 86_400 * {"s": 1, "ms": 10**3, "us": 10**6}[kind.unit]
    low, high = ends["min"].as_py(), ends["max"].as_py()
    return low is None or (DAYS[0] * per_day < low and high < DAYS[1] * per_day)


def _time(column: pyarrow.Array, place: int, tick: int | None, is_date: bool) -> object:
    """One moment: a Python value where there is one, else a text."""
    if tick is None:
        return None
    if tick in INFINITE and (abs(tick) > 2**31 or is_date):
        return INFINITE[tick]
    try:
        value = column[place].as_py()
        return getattr(value, "to_pydatetime", lambda: value)()
    except (ValueError, OverflowError):
        if is_date:
            return _day(tick)
        per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[column.type.unit]
        seconds, rest = divmod(tick, per_second)
        day, second = divmod(seconds, 86_400)
        clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
        fraction = f".{rest:0{len(str(per_second)) - 1}d}".rstrip("0") if rest else ""
        return f"{_day(day)} {clock}{fraction}{'+00' if column.type.tz else ''}"


def _day(day: int) -> str:
    """A day far from ours, counted from 1970, as DuckDB writes it. 400 years have 146,097 days."""
    eras, within = divmod(day, 146_097)
    near = date.fromordinal(EPOCH + within)
    year = near.year + 400 * eras
    return f"{year if year > 0 else 1 - year:04d}-{near.month:02d}-{near.day:02d}{'' if year > 0 else ' (BC)'}"


def single_precision(rows: list[Row], kinds: Sequence[str]) -> list[Row]:
    """A FLOAT of 0.1 comes as 0.10000000149011612, and is 0.1 to everyone who looks at it."""
    places = {place for place, kind in enumerate(kinds) if kind == "FLOAT"}
    if not places:
        return rows
    import numpy as np

    def shortened(value: object) -> object:
        return float(str(np.float32(value))) if isinstance(value, float) else value

    return [[shortened(cell) if place in places else cell for place, cell in enumerate(row)] for row in rows]
