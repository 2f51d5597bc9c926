"""Results of queries kept in one SQLite file, so that scoring again runs nothing.

A result is found by the engine, the fingerprint of the database, the SQL and the limits. A cache that cannot be read or
written costs time, never a run.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from karat.core.files.private import make_folder
from karat.engines.embedded.values import pack, unpack
from karat.engines.protocol import ResultRows

MOST_BYTES = 32 * 1024 * 1024
"""Of a result that is kept."""


class RowsCache:
    """Results by what they depend on. Several threads and processes may use one file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0

    def get(self, name: Sequence[str]) -> ResultRows | None:
        """The kept rows; None when there are none, or when they cannot be read."""
        with self._lock, suppress(sqlite3.Error, OSError, zlib.error, msgspec.DecodeError):
            found = self._opened().execute("SELECT rows FROM results WHERE name = ?", (_digest(name),)).fetchone()
            return unpack(zlib.decompress(found[0])) if found else None
        return None

    def put(self, name: Sequence[str], result: ResultRows) -> None:
        data = zlib.compress(pack(result), level=1)
        if len(data) <= MOST_BYTES:
            with self._lock, suppress(sqlite3.Error, OSError):
                self._opened().execute("INSERT OR REPLACE INTO results VALUES (?, ?)", (_digest(name), data))

    def close(self) -> None:
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None or self._process != os.getpid():  # a connection does not survive a fork
            make_folder(self._file.parent)
            connection = sqlite3.connect(self._file, timeout=5.0, isolation_level=None, check_same_thread=False)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = OFF")  # a lost entry is computed again
            connection.execute("CREATE TABLE IF NOT EXISTS results (name BLOB PRIMARY KEY, rows BLOB) WITHOUT ROWID")
            self._connection, self._process = connection, os.getpid()
        return self._connection


def _digest(name: Sequence[str]) -> bytes:
    return hashlib.sha256("\x00".join(name).encode("utf-8", "replace")).digest()
