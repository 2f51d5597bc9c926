"""An open DuckDB file, without files, network, extensions or Python variables in reach."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from karat.core.problems import UserError
from karat.engines.drivers import driver
from karat.engines.embedded.duckdb_rows import ends_of_time, fetchmany, has_nested, single_precision
from karat.engines.embedded.messages import Database
from karat.engines.protocol import EngineError, ResultRows, ResultTable
from karat.engines.query.deadline import stopped
from karat.engines.query.fetching import Fetched, as_rows, as_table, fetched, flat

if TYPE_CHECKING:
    import duckdb


class DuckdbSession:
    def __init__(self, database: Database, folder: str) -> None:
        self._duckdb = driver("duckdb", "sql")
        path = Path(database.path)
        settings = {**dict(database.settings), "temp_directory": folder}
        try:
            self._connection = self._duckdb.connect(str(path), read_only=True, config=settings)
        except self._duckdb.Error as error:
            raise UserError(
                f"the DuckDB database {path.name} cannot be opened: {_said(error)}",
                hint="Check that it is a DuckDB file of a version that this DuckDB can read, and that the limits are "
                "well-formed.",
            ) from None
        self._running: duckdb.DuckDBPyConnection = self._connection

    def run(self, sql: str, timeout: float, row_limit: int) -> ResultTable:
        return as_table(*self._fetched(sql, timeout, row_limit))

    def rows(self, sql: str, timeout: float, row_limit: int) -> ResultRows:
        return as_rows(*self._fetched(sql, timeout, row_limit))

    def _fetched(self, sql: str, timeout: float, row_limit: int) -> Fetched:
        try:
            found = self._run(sql, row_limit, by_arrow=False)
            # Again, where a cell looks like the last moment Python knows: only Arrow tells that from infinity.
            return found or self._run(sql, row_limit, by_arrow=True) or _nothing()
        except self._duckdb.Error as error:
            raise self._failure(error, timeout) from None

    def _run(self, sql: str, row_limit: int, *, by_arrow: bool) -> Fetched | None:
        begun = time.monotonic()
        # A connection of its own: closing it closes whatever the query has left open.
        with self._connection.cursor() as cursor:
            self._running = cursor
            try:
                result = cursor.execute(sql)
                columns = [(str(column[0]), str(column[1])) for column in result.description or ()]
                kinds = [kind for _, kind in columns]
                rows, truncated = fetched(fetchmany(result, kinds, by_arrow=by_arrow), row_limit)
                if not by_arrow and ends_of_time(rows, kinds):
                    return None
                rows = single_precision(flat(rows) if has_nested(kinds) else rows, kinds)
                return [name for name, _ in columns], rows, truncated, time.monotonic() - begun
            finally:
                self._running = self._connection

    def interrupt(self) -> None:
        self._running.interrupt()

    def close(self) -> None:
        self._connection.close()

    def _failure(self, error: Exception, timeout: float) -> EngineError:
        if isinstance(error, self._duckdb.InterruptException):
            return stopped(timeout)
        text = _said(error)
        if isinstance(error, self._duckdb.OutOfMemoryException) or "bad_alloc" in text:
            return EngineError("memory", text)
        locked = "read-only mode" in text or "configuration has been locked" in text
        refused = isinstance(error, self._duckdb.PermissionException) or locked
        return EngineError("refused" if refused else "sql_error", text)


def _said(error: Exception) -> str:
    return str(error).split("\n\n")[0].strip()


def _nothing() -> Fetched:
    raise EngineError("sql_error", "the result contains times that cannot be read")


def open_session(database: Database, folder: str) -> DuckdbSession:
    """The file, opened; what it writes when its memory is full goes into the folder."""
    return DuckdbSession(database, folder)
