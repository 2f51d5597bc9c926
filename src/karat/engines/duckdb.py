"""DuckDB files, opened read-only, without files, network, extensions or Python variables in reach.

::

    local: {engine: duckdb, path: databases/shop.duckdb, memory_limit: 2GB}
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from karat.core.problems import UserError
from karat.engines.deadline import Abandoned, within
from karat.engines.drivers import driver
from karat.engines.fetching import Row, as_table, batches, fetched
from karat.engines.fingerprints import file_fingerprint
from karat.engines.guard import check
from karat.engines.protocol import EngineConfig, EngineError, EngineType, ResultTable
from karat.engines.sqlite import existing_file

BY_ARROW = ("WITH TIME ZONE", "[", "STRUCT", "MAP", "UNION")
"""Parts of the names of types that are fetched as Arrow."""
MOST_NESTED = 64 * 1024 * 1024
"""Bytes of a batch of such rows; as Python objects they take ten times that."""


class DuckdbConfig(EngineConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A database file and what a query on it may use."""

    path: str
    memory_limit: str = "2GB"
    disk_limit: str = "8GB"
    """What a query may write to a temporary folder when its memory is full."""
    threads: int = 2


class DuckdbEngine:
    """An open file."""

    name = "duckdb"
    dialect = "duckdb"

    def __init__(self, path: Path, config: DuckdbConfig) -> None:
        self._duckdb = driver("duckdb", "sql")
        self._path = path
        self._settings = {
            "enable_external_access": "false",
            "python_enable_replacements": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "memory_limit": config.memory_limit,
            "threads": str(config.threads),
            "temp_directory": _temporary_folder(),
            "max_temp_directory_size": config.disk_limit,
            "lock_configuration": "true",
        }
        self._connection = self._connected()

    def _connected(self) -> Any:
        try:
            return self._duckdb.connect(str(self._path), read_only=True, config=self._settings)
        except self._duckdb.Error as error:
            raise UserError(
                f"the DuckDB database {self._path.name} cannot be opened: {_said(error)}",
                hint="Is it a DuckDB file of a version that this DuckDB can read, and are the limits well-formed?",
            ) from None

    def run(self, sql: str, *, timeout: float, row_limit: int) -> ResultTable:
        return self.unguarded(check(sql, self.dialect), timeout=timeout, row_limit=row_limit)

    def unguarded(self, sql: str, *, timeout: float, row_limit: int) -> ResultTable:
        """Run without the first look at the SQL; the connection still refuses what writes or reads files."""
        begun = time.monotonic()
        connection = self._connection

        def work() -> ResultTable:
            try:
                result = connection.execute(sql)
                columns = [(str(column[0]), str(column[1])) for column in result.description or ()]
                rows, truncated = fetched(_fetchmany(result, [kind for _, kind in columns]), row_limit)
                rows = _single_precision(rows, [kind for _, kind in columns])
                return as_table([name for name, _ in columns], rows, truncated, time.monotonic() - begun)
            except self._duckdb.Error as error:
                raise self._failure(error, timeout) from None

        try:
            return within(work, timeout, connection.interrupt)
        except Abandoned:
            self._connection = self._connected()
            raise

    def _failure(self, error: Exception, timeout: float) -> EngineError:
        if isinstance(error, self._duckdb.InterruptException):
            return EngineError("timeout", f"the query was stopped after {timeout:g} s")
        text = _said(error)
        locked = "read-only mode" in text or "configuration has been locked" in text
        refused = isinstance(error, self._duckdb.PermissionException) or locked
        return EngineError("refused" if refused else "sql_error", text)

    def fingerprint(self) -> str:
        return file_fingerprint(self._path, Path(f"{self._path}.wal"))

    def close(self) -> None:
        self._connection.close()


def _fetchmany(result: Any, kinds: Sequence[str]) -> Callable[[int], Sequence[Row]]:
    """Rows as Python values.

    Times with a zone come by way of Arrow, since the driver's own way needs pytz; lists and structs too, since there
    their size is known before Python makes objects of them.
    """
    if not any(mark in kind for kind in kinds for mark in BY_ARROW):
        many: Callable[[int], Sequence[Row]] = result.fetchmany
        return many
    driver("pyarrow", "answers")
    read = getattr(result, "to_arrow_reader", None) or result.fetch_record_batch
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that it copies the rows once more
        return batches(_arrow_rows(read(1_000)))


def _arrow_rows(reader: Any) -> Iterator[Row]:
    for batch in reader:
        if batch.nbytes > MOST_NESTED:
            raise EngineError("row_limit", f"the result has lists or structs of more than {MOST_NESTED:,} bytes")
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _single_precision(rows: list[Row], kinds: Sequence[str]) -> list[Row]:
    """A FLOAT of 0.1 comes as 0.10000000149011612, and is 0.1 to everyone who looks at it."""
    places = {place for place, kind in enumerate(kinds) if kind == "FLOAT"}
    if not places:
        return rows
    import numpy as np

    def shortened(value: Any) -> Any:
        return value if value is None else float(str(np.float32(value)))

    return [[shortened(cell) if place in places else cell for place, cell in enumerate(row)] for row in rows]


def _said(error: Exception) -> str:
    return str(error).split("\n\n")[0].strip()


@cache
def _temporary_folder() -> str:
    """One folder a process: DuckDB shares a file between connections only when all their settings agree."""
    folder = tempfile.mkdtemp(prefix="karat-duckdb-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _open(config: DuckdbConfig, folder: Path) -> DuckdbEngine:
    return DuckdbEngine(existing_file(folder, config.path), config)


engine = EngineType("duckdb", "DuckDB files", DuckdbConfig, _open)
