"""A snippet's answer as plain data: Python's own values, and three records for what pandas has beside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec

Plain: TypeAlias = Any
"""What a snippet can return: None, bool, int, float, complex, str, bytes, datetime, date, time, timedelta, Decimal;
lists, tuples and dicts of them; Unordered, Table, Series, Record, Other."""


class Unordered(list[Plain]):
    """The items of a set, in no order.

    >>> from karat import sandbox
    >>> sorted(sandbox.Unordered([2, 1]))
    [1, 2]
    """


class Record(msgspec.Struct, frozen=True):
    """A named tuple or dataclass: its parts by name, in their order.

    >>> from karat import sandbox
    >>> dict(zip(*[(record := sandbox.Record("Point", ("x", "y"), (1, 2))).names, record.values]))
    {'x': 1, 'y': 2}
    """

    type: str
    """The name of its class."""
    names: tuple[str, ...]
    """The names of its parts."""
    values: tuple[Plain, ...]
    """The values of its parts."""


class Column(msgspec.Struct, frozen=True):
    """A named column, or a level of an index. Missing values are None.

    >>> from karat import sandbox
    >>> sandbox.Column("seats", "int64", [120, 80]).values
    [120, 80]
    """

    name: Plain
    """The column's name."""
    dtype: str
    """The dtype, as pandas names it."""
    values: list[Plain]
    """The values; None is a missing one."""


class Table(msgspec.Struct, frozen=True):
    """A data frame. ``index`` contains the levels of its index, and is empty if the rows are merely counted.

    >>> from karat import sandbox
    >>> table = sandbox.Table(2, (sandbox.Column("seats", "int64", [120, 80]),))
    >>> table.names, list(table.rows())
    (('seats',), [(120,), (80,)])
    """

    height: int
    """How many rows there are."""
    columns: tuple[Column, ...]
    """The columns."""
    index: tuple[Column, ...] = ()
    """The levels of its index; empty if the rows are merely counted."""

    @property
    def names(self) -> tuple[Plain, ...]:
        return tuple(column.name for column in self.columns)

    def rows(self) -> Iterator[tuple[Plain, ...]]:
        """Row by row, without the index."""
        if not self.columns:
            return iter([()] * self.height)
        return zip(*(column.values for column in self.columns), strict=True)


class Series(msgspec.Struct, frozen=True):
    """A series: its column, and the levels of its index as in a table.

    >>> from karat import sandbox
    >>> sandbox.Series(sandbox.Column("seats", "int64", [120])).column.name
    'seats'
    """

    column: Column
    """The values."""
    index: tuple[Column, ...] = ()
    """The levels of its index; empty if the rows are merely counted."""


class Other(msgspec.Struct, frozen=True):
    """Something that has no plain form: its class, and its text.

    >>> from karat import sandbox
    >>> sandbox.Other("Socket", "<socket>").type
    'Socket'
    """

    type: str
    """The name of its class."""
    text: str
    """How it shows itself as text."""
