"""The list of tables with which a SQLite file begins. One wrong byte in it, and SQLite reads nothing of the file.

What the list should say is known: a new store says it. An entry that differs from one of these in a few bytes is that
entry, damaged. SQLite lets the list itself be read and written while it is wrong.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import zip_longest
from pathlib import Path

from karat.store import schema

FEW = 16
"""Bytes of an entry that may be wrong. Two tables differ in more."""

Entry = tuple[bytes | None, ...]
"""The kind of an entry, its name, its table and how it was made."""

_ENTRIES = "SELECT rowid, type, name, tbl_name, sql FROM sqlite_master"


def restore_table_list(path: Path, new_store: Path) -> list[str]:
    """Write the damaged entries of a file again as they are in a new store; the names of those. The file must be a
    copy that nobody else uses."""
    if not _is_damaged(path):
        return []
    known = {entry for _, entry in _entries(new_store)}
    found = dict(_entries(path))
    missing = known - set(found.values())
    restored: list[str] = []
    with closing(_opened(path)) as connection:
        for row, entry in found.items():
            near = [one for one in missing if _few_differences(one, entry)]
            if entry in known or len(near) != 1:
                continue
            missing -= set(near)
            values = [None if value is None else value.decode() for value in near[0]]
            statement = "UPDATE sqlite_master SET type = ?, name = ?, tbl_name = ?, sql = ? WHERE rowid = ?"
            connection.execute(statement, (*values, row))
            restored.append(str(values[1]))
        connection.commit()
    return restored


def _is_damaged(path: Path) -> bool:
    """Whether SQLite cannot read the list, or a table or column of ours is not in it."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(_ENTRIES).fetchall()
            for table in schema.metadata.sorted_tables:
                there = {row[1] for row in connection.execute(f'PRAGMA table_info("{table.name}")')}
                if not there.issuperset(column.name for column in table.columns):
                    return True
    except (sqlite3.Error, UnicodeDecodeError):
        return True
    return False


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.text_factory = bytes
    connection.execute("PRAGMA writable_schema = ON")
    return connection


def _entries(path: Path) -> Iterator[tuple[int, Entry]]:
    """(number, entry) of those that can be read."""
    try:
        with closing(_opened(path)) as connection:
            for row, *values in connection.execute(_ENTRIES).fetchall():
                yield row, tuple(value if isinstance(value, bytes) else None for value in values)
    except sqlite3.Error:
        return


def _few_differences(one: Entry, other: Entry) -> bool:
    pairs: Sequence[tuple[bytes | None, bytes | None]] = tuple(zip_longest(one, other))
    if any((a is None) != (b is None) or len(a or b"") != len(b or b"") for a, b in pairs):
        return False
    return sum(x != y for a, b in pairs for x, y in zip(a or b"", b or b"", strict=True)) <= FEW
