"""Results of queries kept in one SQLite file, so that scoring again runs nothing.

A result is found by the engine, the fingerprint of the database, the SQL and the limits. A cache that cannot be read or
written costs time, never a run.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from karat.core.files.private import make_folder
from karat.engines.embedded.values import unpack
from karat.engines.protocol import ResultRows

MOST_BYTES = 32 * 1024 * 1024
"""Of a result that is kept."""
SMALL = 512
"""Bytes of a result that are kept as they are: most results are smaller, and packing them saves little."""
PLAIN, PACKED = b"\x00", b"\x01"
"""How a kept result begins."""
TOGETHER = 256
"""Results that are written in one transaction."""
LATEST = 1.0
"""Seconds after which results that wait are written with the next one."""

Name = Sequence[str]
"""What a result depends on."""


class RowsCache:
    """Results by what they depend on. Several threads and processes may use one file. What waits to be written is found
    too; it is lost when the process is killed, and computed again."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0
        self._waiting: dict[bytes, bytes] = {}
        self._written = time.monotonic()

    def get(self, names: Sequence[Name]) -> list[ResultRows | None]:
        """The kept rows of each; None where there are none, or where they cannot be read."""
        keys = [_digest(name) for name in names]
        with self._lock:
            found = {key: self._waiting[key] for key in keys if key in self._waiting}
            with suppress(sqlite3.Error, OSError):
                connection = self._opened()
                for start in range(0, len(keys), TOGETHER):
                    some = keys[start : start + TOGETHER]
                    asked = f"SELECT name, rows FROM kept WHERE name IN ({','.join('?' * len(some))})"  # noqa: S608 (question marks only)
                    found |= connection.execute(asked, some).fetchall()
        return [_read(found.get(key)) for key in keys]

    def put(self, name: Name, data: bytes) -> None:
        """Keep packed rows (:mod:`karat.engines.embedded.values`)."""
        kept = PLAIN + data if len(data) <= SMALL else PACKED + zlib.compress(data, level=1)
        if len(kept) > MOST_BYTES:
            return
        with self._lock:
            self._waiting[_digest(name)] = kept
            if len(self._waiting) >= TOGETHER or time.monotonic() - self._written > LATEST:
                self._write()

    def close(self) -> None:
        with self._lock:
            self._write()
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def _write(self) -> None:
        rows, self._waiting = list(self._waiting.items()), {}
        self._written = time.monotonic()
        if not rows:
            return
        with suppress(sqlite3.Error, OSError):
            connection = self._opened()
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", rows)
            finally:
                connection.execute("COMMIT")

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None or self._process != os.getpid():  # a connection does not survive a fork
            make_folder(self._file.parent)
            connection = sqlite3.connect(self._file, timeout=5.0, isolation_level=None, check_same_thread=False)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = OFF")  # a lost entry is computed again
            connection.execute("CREATE TABLE IF NOT EXISTS kept (name BLOB PRIMARY KEY, rows BLOB) WITHOUT ROWID")
            self._connection, self._process = connection, os.getpid()
        return self._connection


def _read(kept: bytes | None) -> ResultRows | None:
    if kept is None:
        return None
    with suppress(zlib.error, msgspec.DecodeError):
        return unpack(zlib.decompress(kept[1:]) if kept[:1] == PACKED else kept[1:])
    return None


def _digest(name: Name) -> bytes:
    return hashlib.sha256("\x00".join(name).encode("utf-8", "replace")).digest()
