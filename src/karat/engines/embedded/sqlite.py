"""An open SQLite file. The operating system, SQLite's own read-only mode and its authorizer all refuse to write."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from karat.core.problems import UserError
from karat.engines.embedded.messages import Database
from karat.engines.protocol import EngineError, ResultRows, ResultTable
from karat.engines.query.deadline import stopped
from karat.engines.query.fetching import Fetched, as_rows, as_table, fetched

LONGEST_VALUE = 256 * 1024 * 1024
"""Bytes of one text or blob: one step of a query cannot be interrupted, and must not make a gigabyte."""
STEPS = 20_000
"""Steps of SQLite's machine between two looks at the clock."""

REVERSED = "reverse_unordered"
"""The setting under which rows that no ORDER BY orders come the other way round."""

_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
_PRAGMAS = {"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list"}
_REFUSED = ("not authorized", "readonly database", "prohibited", "not authorized to use function")


class SqliteSession:
    def __init__(self, database: Database) -> None:
        self._deadline = float("inf")
        self._connection = _connected(Path(database.path), database.memory, dict(database.settings))
        self._connection.set_progress_handler(lambda: int(time.monotonic() > self._deadline), STEPS)

    def run(self, sql: str, timeout: float, row_limit: int) -> ResultTable:
        self._connection.text_factory = _replaced
        try:
            return as_table(*self._fetched(sql, timeout, row_limit))
        except sqlite3.Error as error:
            raise _failure(error, timeout) from None

    def rows(self, sql: str, timeout: float, row_limit: int) -> ResultRows:
        self._connection.text_factory = str
        try:
            try:
                return as_rows(*self._fetched(sql, timeout, row_limit))
            except sqlite3.OperationalError as error:
                if "UTF-8" not in str(error):
                    raise
                self._connection.text_factory = _escaped
                return as_rows(*self._fetched(sql, timeout, row_limit))
        except sqlite3.Error as error:
            raise _failure(error, timeout) from None

    def _fetched(self, sql: str, timeout: float, row_limit: int) -> Fetched:
        begun = time.monotonic()
        self._deadline = begun + timeout
        cursor = self._connection.cursor()
        try:
            cursor.execute(sql)
            names = [column[0] for column in cursor.description or ()]
            rows, truncated = fetched(cursor.fetchmany, row_limit)
            return names, rows, truncated, time.monotonic() - begun
        finally:
            cursor.close()

    def interrupt(self) -> None:
        self._connection.interrupt()

    def close(self) -> None:
        self._connection.close()


def _connected(path: Path, memory: int, settings: Mapping[str, str]) -> sqlite3.Connection:
    options = "mode=ro" + ("&immutable=1" if _is_clean_wal(path) else "")
    try:
        connection = sqlite3.connect(
            f"file:{quote(str(path))}?{options}", uri=True, check_same_thread=False, isolation_level=None
        )
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA temp_store = FILE")
        connection.execute(f"PRAGMA hard_heap_limit = {int(memory)}")
        if settings.get(REVERSED):
            connection.execute("PRAGMA reverse_unordered_selects = ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
        connection.set_authorizer(_authorize)
    except sqlite3.Error as error:
        raise UserError(
            f"the SQLite database {path.name} cannot be opened: {error}",
            hint="Check that it is a SQLite file and that you have permission to read it.",
        ) from None
    return connection


def _replaced(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")


def _escaped(data: bytes) -> str:
    return data.decode("utf-8", errors="surrogateescape")


def _is_clean_wal(path: Path) -> bool:
    """In WAL mode with nothing pending: opened as immutable, so that no -wal and -shm files appear beside it."""
    try:
        with path.open("rb") as file:
            head = file.read(20)
    except OSError:
        return False
    return head[18:20] == b"\x02\x02" and not Path(f"{path}-wal").exists()


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    if action in _READING:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION:
        return sqlite3.SQLITE_DENY if second in ("load_extension", "fts3_tokenizer") else sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA and first in _PRAGMAS:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _failure(error: sqlite3.Error, timeout: float) -> EngineError:
    text = str(error)
    if text == "interrupted":
        return stopped(timeout)
    if "out of memory" in text:
        return EngineError("memory", text)
    return EngineError("refused" if any(word in text for word in _REFUSED) else "sql_error", text)


def open_session(database: Database, folder: str) -> SqliteSession:
    """The file, opened; what it writes when its memory is full goes into the folder."""
    import os

    os.environ["SQLITE_TMPDIR"] = folder
    return SqliteSession(database)
