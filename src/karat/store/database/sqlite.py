"""Connections to a SQLite file: write-ahead log, every commit on the disk, one writer at a time without deadlocks."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import Any  # Any: the raw connection of the driver, which SQLAlchemy types as any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool, QueuePool

from karat.core.files import private
from karat.core.problems import UserError
from karat.store.database.failures import os_failure

BUSY_SECONDS = 30.0
"""How long to wait for another writer."""
THREADS = 60
"""Connections at once, beside the few that stay open: as many as threads of a run or of the viewer may want one."""
_SHRINKING, _INCREMENTAL = "PRAGMA auto_vacuum=INCREMENTAL", 2
"""A file from which free pages can be cut off, and SQLite's number for it."""
_FEW_PAGES, _PAGES_AT_ONCE = 16, 2000


def sqlite_engine(path: Path, *, read_only: bool) -> Engine:
    """An engine over the file. A connection with the option ``writes`` takes the write lock when its transaction
    begins."""

    def connect() -> sqlite3.Connection:
        return _connection(path, read_only=read_only)

    if read_only:  # a reader of a file on a read-only disk opens it again each time, see _mode
        engine = create_engine("sqlite://", creator=connect, poolclass=NullPool, hide_parameters=True)
    else:
        # Named, because the pool for an address without a file keeps one connection a thread and closes those of other
        # threads in mid-use.
        engine = create_engine(
            "sqlite://", creator=connect, poolclass=QueuePool, max_overflow=THREADS, hide_parameters=True
        )
    event.listen(engine, "begin", _begin)
    return engine


def _begin(connection: Connection) -> None:
    # A transaction that begins as a reader and then writes fails at once when another wrote in between: lock first.
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _connection(path: Path, *, read_only: bool) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{_mode(path, read_only=read_only)}"
    # isolation_level None: sqlite3 begins no transactions by itself, _begin does.
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA trusted_schema=OFF")
    except BaseException:
        connection.close()
        raise
    return connection


def _mode(path: Path, *, read_only: bool) -> str:
    if not read_only:
        return "mode=rwc"
    # Reading a log needs files beside the database. Where none are and none can be made, nobody writes: the file is
    # still.
    if not os.access(path.parent, os.W_OK) and not Path(f"{path}-wal").exists():
        return "mode=ro&immutable=1"
    return "mode=ro"


def may_write(path: Path) -> bool:
    """Whether the file, if it is there, and its folder can be written. SQLite keeps its log in the folder."""
    if not os.access(path.parent, os.W_OK):
        return False
    return not path.exists() or os.access(path, os.W_OK)


def make_folder(path: Path) -> None:
    """The folder of the file. A ``.karat`` is its owner's alone; a new one is kept out of git."""
    folder = path.parent
    try:
        if path.is_dir():
            raise UserError(f"the store {path} is a folder", hint=f"Name a file in it: {path / 'karat.db'}")
        new = not folder.is_dir()
        private.make_folder(folder)
        if new and folder.name == private.FOLDER:
            (folder / ".gitignore").write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise os_failure(str(path), error) from error


def give_back_pages(engine: Engine) -> None:
    """Cut off the pages of the file that nothing needs any more, a few at a time, so that other writers get their turn.

    They would be used again by what is written next, so it does not matter when this cannot be done.
    """
    with suppress(sqlite3.Error, DBAPIError), engine.connect() as connection:
        raw: Any = connection.connection.dbapi_connection
        if raw.execute("PRAGMA auto_vacuum").fetchone()[0] != _INCREMENTAL:
            return
        left = raw.execute("PRAGMA freelist_count").fetchone()[0]
        while left > _FEW_PAGES:
            raw.execute(f"PRAGMA incremental_vacuum({_PAGES_AT_ONCE})").fetchall()
            before, left = left, raw.execute("PRAGMA freelist_count").fetchone()[0]
            if left >= before:
                return


def rewrite_file(raw: sqlite3.Connection) -> None:
    """Rewrite the whole file without its free pages, where the disk has room for that."""
    with suppress(sqlite3.Error):
        raw.execute(_SHRINKING)
        raw.execute("VACUUM")


def use_write_ahead_log(connection: Connection) -> None:
    """Let readers and a writer work at once. The file remembers it; the call must be outside a transaction.

    SQLite does not wait for a lock here, so two processes that make the same store must take turns by themselves.
    """
    raw: Any = connection.connection.dbapi_connection
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            if not raw.execute("PRAGMA page_count").fetchone()[0]:  # later it would only write to the file
                raw.execute(_SHRINKING)
            if raw.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                raw.execute("PRAGMA journal_mode=WAL").fetchone()
            return
        except sqlite3.OperationalError as error:
            if not (error.sqlite_errorname or "").startswith("SQLITE_BUSY") or time.monotonic() > deadline:
                raise
        time.sleep(0.02)
