"""An in-memory SQLite database with the real schema, to be filled again and again.

Queries run here read-only, with limits of time, rows and size. None of these interrupts a single step of SQLite, and
the limit of memory holds for the whole process: what is not trusted runs in a child (:mod:`.guarded`).
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

import msgspec

from karat.engines.protocol import ResultRows
from karat.suites.answers.text_to_sql.running.execution import Ran
from karat.suites.answers.text_to_sql.running.result_row import Row

Filling = Mapping[str, Sequence[Row]]
"""Table → rows."""
MOST_ROWS = 5_000
MOST_CHARACTERS = 4_000_000
QUERY_SECONDS = 0.3
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}


class ScratchColumn(msgspec.Struct, frozen=True):
    """A column as the engine tells it."""

    name: str
    kind: str
    """``number`` or ``text``, by SQLite's affinity."""
    nullable: bool
    key: bool
    form: str = ""
    """``date`` or ``time`` where all that is known of it are days, or days with a time."""
    sole: bool = False
    """Whether it is the whole key."""


class ScratchTable(msgspec.Struct, frozen=True):
    """A table with the statement that makes it, and rows of the real one."""

    name: str
    ddl: str
    columns: tuple[ScratchColumn, ...]
    sample: tuple[Row, ...]
    parents: tuple[tuple[str, str, str], ...] = ()
    """(column, other table, its column) of declared foreign keys."""

    @property
    def listed(self) -> str:
        """The columns that hold values: those that the engine computes cannot be filled."""
        return ", ".join(quoted(column.name) for column in self.columns)

    @property
    def into(self) -> str:
        """How a row is put into it."""
        return f"INSERT INTO {quoted(self.name)} ({self.listed}) VALUES"

    @property
    def insert(self) -> str:
        """The same with a place for each value."""
        return f"{self.into} ({', '.join('?' for _ in self.columns)})"


class Scratch:
    """The database. ``fill`` replaces all rows; what the schema forbids is left out."""

    def __init__(self, tables: Sequence[ScratchTable], *, heap: int = 0) -> None:
        self.tables = tuple(tables)
        self._deadline = 0.0
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1_000_000)
        if heap:
            self._connection.execute(f"PRAGMA hard_heap_limit = {heap}")
        for table in tables:
            with suppress(sqlite3.Error):
                self._connection.execute(table.ddl)
        self._connection.execute("PRAGMA foreign_keys = ON")
        self._connection.set_progress_handler(lambda: int(time.monotonic() > self._deadline), 1_000)

    def fill(self, filling: Filling) -> bool:
        """Put rows in the place of those that are there. Rows that the schema refuses are left out, also those whose
        foreign key has no row. False: none of this could be done, and what was there before is there still."""
        self._free()
        self._connection.execute("BEGIN")
        self._connection.execute("PRAGMA defer_foreign_keys = ON")
        for table in self.tables:
            self._connection.execute(f"DELETE FROM {quoted(table.name)}")  # noqa: S608 (quoted)
        for table in self.tables:
            insert = table.insert
            for row in filling.get(table.name, ()):
                with suppress(sqlite3.Error):
                    self._connection.execute(insert, row)
        try:
            self._remove_orphans()
            self._connection.execute("COMMIT")
        except sqlite3.Error:
            self._connection.execute("ROLLBACK")
            return False
        return True

    def _remove_orphans(self) -> None:
        """Rows whose foreign key has no row; where they go, others may lose theirs."""
        while orphans := self._connection.execute("PRAGMA foreign_key_check").fetchall():
            if any(row is None for _, row, *_ in orphans):
                return  # of a table without row ids: the whole filling is refused
            for table, row, *_ in orphans:
                self._connection.execute(f"DELETE FROM {quoted(table)} WHERE rowid = ?", [row])  # noqa: S608 (quoted)

    def rows(self) -> dict[str, list[Row]]:
        """What is in the tables now."""
        self._free()
        found = {}
        for table in self.tables:
            query = f"SELECT {table.listed} FROM {quoted(table.name)}"  # noqa: S608 (quoted)
            found[table.name] = self._connection.execute(query).fetchall()
        return found

    def run(self, sql: str, *, backwards: bool = False) -> Ran:
        """A query on what is there now."""
        self._free()
        self._connection.execute(f"PRAGMA reverse_unordered_selects = {int(backwards)}")
        self._connection.set_authorizer(_authorize)
        self._deadline = time.monotonic() + QUERY_SECONDS
        try:
            cursor = self._connection.execute(sql)
            names = tuple(column[0] for column in cursor.description or ())
            rows = _fetched(cursor)
        except (sqlite3.Error, ValueError, MemoryError) as error:
            return Ran(kind="sql_error", message=str(error))
        if rows is None:
            return Ran(kind="too_large", message="too many rows")
        return Ran(ResultRows(names, tuple(rows)))

    def close(self) -> None:
        self._connection.close()

    def _free(self) -> None:
        """Let our own statements through."""
        self._connection.set_authorizer(None)
        self._deadline = float("inf")


def _fetched(cursor: sqlite3.Cursor) -> list[Row] | None:
    """All rows; None where they are too many, or too large."""
    rows: list[Row] = []
    size = 0
    for row in cursor:
        size += sum(len(cell) for cell in row if isinstance(cell, str | bytes))
        if len(rows) >= MOST_ROWS or size > MOST_CHARACTERS:
            return None
        rows.append(row)
    return rows


def _authorize(action: int, _first: str | None, second: str | None, *_: str | None) -> int:
    if action == sqlite3.SQLITE_FUNCTION:
        return sqlite3.SQLITE_DENY if second in ("load_extension", "fts3_tokenizer") else sqlite3.SQLITE_OK
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def kind_of(declared: str) -> str:
    """SQLite's affinity: INT, REAL, FLOA, DOUB, NUM, DEC, BOOL are numbers."""
    return "number" if re.search(r"int|real|floa|doub|num|dec|bool|year", declared, re.IGNORECASE) else "text"
