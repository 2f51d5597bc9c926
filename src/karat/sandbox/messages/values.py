"""A snippet's answer as plain data: Python's own values, and three records for what pandas has beside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec

Plain: TypeAlias = Any
"""None, bool, int, float, complex, str, bytes, datetime, date, time, timedelta, Decimal; lists, tuples and dicts of
them; Unordered, Table, Series, Record, Other."""


class Unordered(list[Plain]):
    """The items of a set: in no order."""


class Record(msgspec.Struct, frozen=True):
    """A named tuple or dataclass: its parts by name, in their order."""

    type: str
    names: tuple[str, ...]
    values: tuple[Plain, ...]


class Column(msgspec.Struct, frozen=True):
    """A named column (or level of an index); missing values are None. ``dtype`` is pandas' word for it."""

    name: Plain
    dtype: str
    values: list[Plain]


class Table(msgspec.Struct, frozen=True):
    """A data frame. ``index`` holds the levels of its index, and is empty when the rows are merely counted."""

    height: int
    columns: tuple[Column, ...]
    index: tuple[Column, ...] = ()

    @property
    def names(self) -> tuple[Plain, ...]:
        return tuple(column.name for column in self.columns)

    def rows(self) -> Iterator[tuple[Plain, ...]]:
        """Row by row, without the index."""
        if not self.columns:
            return iter([()] * self.height)
        return zip(*(column.values for column in self.columns), strict=True)


class Series(msgspec.Struct, frozen=True):
    """A series: its column, and the levels of its index as in a table."""

    column: Column
    index: tuple[Column, ...] = ()


class Other(msgspec.Struct, frozen=True):
    """Something that has no plain form: its class, and how it showed itself."""

    type: str
    text: str
