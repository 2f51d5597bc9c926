"""A file of answers that later runs can reuse: one SQLite file, one row per key.

Only answers are kept, never failures: the body as it is stored, and in ``facts`` what the system said of it (tokens,
time, model). Costs are computed from today's prices. A row that was damaged is not used. A cache that cannot be read or
written while a run goes on costs calls, never the run.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from karat.core.files.private import make_file, make_folder
from karat.core.problems import UserError
from karat.core.system import Response

KIND = "karat answers 1"
_TABLES = """
CREATE TABLE IF NOT EXISTS about (kind TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, body BLOB NOT NULL, facts BLOB NOT NULL, digest BLOB NOT NULL, given TEXT NOT NULL
) WITHOUT ROWID;
"""


class Kept(msgspec.Struct, frozen=True):
    """An answer of the cache, and when it was given."""

    response: Response
    given: str


class AnswerCache:
    """An open cache. Several threads and processes may use the same file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failures = 0
        """Answers that could not be looked up or kept."""
        self._lock = threading.Lock()
        try:
            make_folder(path.parent)
            make_file(path)
            self._rows = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
            self._rows.execute("PRAGMA journal_mode=WAL")
            self._rows.execute("PRAGMA synchronous=NORMAL")
            self._check_kind()
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(str(error)) from error

    def find(self, key: str) -> Kept | None:
        """The answer with this key; None when there is none, or it was damaged."""
        try:
            with self._lock:
                row = self._rows.execute(
                    "SELECT body, facts, digest, given FROM answers WHERE key = ?", [key]
                ).fetchone()
            if row is None:
                return None
            body, facts, digest, given = row
            if _digest(key, body, facts, given) != digest:
                return None
            known = msgspec.json.decode(facts, type=Response)
        except (sqlite3.Error, msgspec.DecodeError, TypeError, AttributeError):
            self.failures += 1
            return None
        return Kept(msgspec.structs.replace(known, body=body), given)

    def keep(self, key: str, response: Response) -> None:
        """Keep an answer. The newest one with a key counts."""
        facts = msgspec.json.encode(msgspec.structs.replace(response, body=b""))
        given = datetime.now(UTC).isoformat(timespec="seconds")
        row = (key, response.body, facts, _digest(key, response.body, facts, given), given)
        try:
            with self._lock:
                self._rows.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", row)
        except sqlite3.Error:
            self.failures += 1

    def close(self) -> None:
        """Close the file. Nothing else is left beside it."""
        with self._lock:
            self._rows.close()

    def _check_kind(self) -> None:
        tables = {name for (name,) in self._rows.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and "about" not in tables:
            raise self._unusable("it is another kind of database")
        self._rows.executescript(_TABLES)
        kinds = [kind for (kind,) in self._rows.execute("SELECT kind FROM about")]
        if not kinds:
            self._rows.execute("INSERT INTO about VALUES (?)", [KIND])
        elif kinds[0] != KIND:
            raise self._unusable(f"it was written as {kinds[0]!r}, expected {KIND!r}")

    def _unusable(self, why: str) -> UserError:
        hint = "--reuse takes a file of its own, which Karat creates. If this was a cache, it is damaged: delete it."
        return UserError(f"{self.path} cannot be used as a cache of answers: {why}", hint=hint)


def _digest(key: str, body: bytes, facts: bytes, given: str) -> bytes:
    return hashlib.sha256(b"\0".join((key.encode(), given.encode(), facts, body))).digest()
