"""Every row of a table, as far as it can be read.

A damaged page of a SQLite file makes a query fail that comes across it. So a table is read by ranges of its row
numbers; a range that fails is halved until only what is damaged is left out.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any  # Any: what a damaged file gives for a column may be of any kind

import msgspec
from sqlalchemy import Connection, Table, inspect, text
from sqlalchemy.exc import DBAPIError

CHUNK = 200
"""Rows that are read at once. A row may hold a large block."""
MOST_FAILURES = 20_000
"""Failed reads of one table after which the rest of it is given up."""


class Unread(msgspec.Struct, frozen=True):
    """Rows that cannot be read: their numbers in the file, where they are known."""

    first: int
    last: int

    @property
    def where(self) -> str:
        """For people."""
        if self.last <= 0:
            return ""
        return f"row {self.first:,}" if self.first == self.last else f"rows {self.first:,} to {self.last:,}"


def missing_in(connection: Connection, table: Table) -> str:
    """What of a table is not there: the table, or a column; empty when all is."""
    there = inspect(connection)
    if not there.has_table(table.name):
        return "the table is missing"
    known = {one["name"] for one in there.get_columns(table.name)}
    lost = [column.name for column in table.columns if column.name not in known]
    return f"the column {lost[0]} is missing" if lost else ""


def read_rows(connection: Connection, table: Table) -> Iterator[dict[str, Any] | Unread]:
    """The rows as the driver gives them, and what cannot be read."""
    names = [column.name for column in table.columns]
    if connection.dialect.name == "sqlite":
        yield from _by_ranges(connection, table.name, names)
        return
    columns = ", ".join(f'"{name}"' for name in names)
    found = connection.execution_options(stream_results=True, yield_per=CHUNK).execute(
        text(f'SELECT {columns} FROM "{table.name}"')  # noqa: S608 (names of our own)
    )
    for row in found:
        yield dict(zip(names, row, strict=True))


def _by_ranges(connection: Connection, table: str, names: list[str]) -> Iterator[dict[str, Any] | Unread]:
    columns = ", ".join(f'"{name}"' for name in names)
    query = (
        f'SELECT rowid, {columns} FROM "{table}" WHERE rowid BETWEEN ? AND ? '  # noqa: S608 (names of our own)
        f"ORDER BY rowid LIMIT {CHUNK}"
    )
    first, last = _number(connection, table, "min", 1), _number(connection, table, "max", 2**31)
    ranges = [(first, last)] if first is not None and last is not None else []
    failures = 0
    while ranges:
        low, high = ranges.pop()
        try:
            rows = connection.exec_driver_sql(query, (low, high)).fetchall()
        except (DBAPIError, sqlite3.Error):
            failures += 1
            if failures > MOST_FAILURES:
                yield Unread(low, max([high, *(end for _, end in ranges)]))
                return
            if low == high:
                yield Unread(low, high)
            else:
                middle = (low + high) // 2
                ranges += [(middle + 1, high), (low, middle)]
            continue
        for row in rows:
            yield dict(zip(names, row[1:], strict=True))
        if len(rows) == CHUNK and rows[-1][0] < high:
            ranges.append((rows[-1][0] + 1, high))


def _number(connection: Connection, table: str, which: str, otherwise: int) -> int | None:
    """The smallest or largest row number; None in an empty table."""
    try:
        found = connection.exec_driver_sql(f'SELECT {which}(rowid) FROM "{table}"').scalar()  # noqa: S608 (our names)
    except (DBAPIError, sqlite3.Error):
        return otherwise
    return None if found is None else int(found)
