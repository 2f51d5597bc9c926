"""Transactions whose outcome is known, also when the connection is lost while they commit.

On PostgreSQL, every transaction that writes also puts its serial number into a row of ``writers`` that belongs to its
connection alone. When the answer to its COMMIT does not come, a new connection waits until the server has ended the
transaction, and looks whether the row has that number. The server's own number of a transaction says whether it has
ended, but not how: a server that crashes forgets the numbers of transactions it had not written out, and gives them to
others when it is back. A file needs none of that: when SQLite says that a commit failed, nothing of it is there.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from sqlalchemy import Connection, Engine, RootTransaction, text
from sqlalchemy.exc import DBAPIError

from karat.core.problems import UserError
from karat.store.database.retrying import Patience

IDLE_SECONDS = 20
"""A process that is stopped in the middle of a transaction, or whose machine sleeps, keeps what it has locked. After
this time the server ends its transaction, before those who wait give up (``postgres.LOCK_SECONDS``)."""
IDLE_SECONDS_PER_MEGABYTE = 3
"""More for a large block, which a busy machine takes long to make between two statements: forty times what it takes
on one that does nothing else."""
FORGET_SECONDS = 24 * 3600
"""How long the row of a connection is kept after its last transaction. Nobody asks for it when it is that old."""
_MARK = text(
    "WITH mark AS (INSERT INTO writers (writer, serial, seen) "
    "VALUES (:writer, :serial, extract(epoch FROM clock_timestamp())) "
    "ON CONFLICT (writer) DO UPDATE SET serial = excluded.serial, seen = excluded.seen) "
    "SELECT pg_backend_pid(), txid_current(), set_config('idle_in_transaction_session_timeout', :patience, true)"
)
_WAIT_LONGER = text("SELECT set_config('idle_in_transaction_session_timeout', :patience, true)")
_FORGET = text(
    "DELETE FROM writers WHERE writer IN (SELECT writer FROM writers "
    "WHERE seen < extract(epoch FROM clock_timestamp()) - :age FOR UPDATE SKIP LOCKED)"
)
_STORED = text("SELECT serial FROM writers WHERE writer = :writer")
_STATUS = text("SELECT txid_status(:number)")
# The server may not have noticed that the connection is gone. What it still does for it would keep the run locked.
_END = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE pid = :process AND backend_xid::text::bigint = :number % 4294967296"
)
_FROM_THE_FUTURE = "22023"
"""The server knows no such transaction yet: it crashed meanwhile, or another one took its place."""


class Mark(NamedTuple):
    """A transaction on a server: its process there, its number, and its serial number in its connection."""

    process: int
    number: int
    writer: str
    serial: int


@contextmanager
def committing(engine: Engine, patience: Patience, shown: str) -> Iterator[Connection]:
    """A connection in a transaction that is committed at the end. Whatever fails, it is known whether it was."""
    with engine.connect() as connection:
        transaction = connection.begin()
        mark = _marked(connection) if connection.dialect.name == "postgresql" else None
        try:
            yield connection
        except BaseException as error:
            _roll_back(transaction)
            if mark is not None and _is_lost(error):
                _end(engine, mark)
            raise
        try:
            transaction.commit()
        except BaseException as error:
            _roll_back(transaction)  # else the connection goes back to the others with the lock that it has
            if mark is None or not _is_lost(error) or not _was_committed(engine, mark, patience, shown):
                raise
    patience.count_commit()


def allow_for_block(connection: Connection, size: int) -> None:
    """Call this before a block of ``size`` bytes is made in a transaction: the server must not think we stopped."""
    seconds = IDLE_SECONDS_PER_MEGABYTE * size // 1_000_000
    if seconds > IDLE_SECONDS and connection.dialect.name == "postgresql":
        connection.execute(_WAIT_LONGER, {"patience": f"{seconds}s"})


def _marked(connection: Connection) -> Mark:
    known = connection.info  # lasts as long as the connection to the server
    if "writer" not in known:
        known["writer"], known["serial"] = secrets.token_hex(8), 0
        connection.execute(_FORGET, {"age": FORGET_SECONDS})
    known["serial"] += 1
    writer, serial = known["writer"], known["serial"]
    process, number, _ = connection.execute(
        _MARK, {"writer": writer, "serial": serial, "patience": f"{IDLE_SECONDS}s"}
    ).one()
    return Mark(process, number, writer, serial)


def _roll_back(transaction: RootTransaction) -> None:
    with suppress(DBAPIError):  # where the connection is gone, so is the transaction
        transaction.rollback()


def _is_lost(error: BaseException) -> bool:
    return isinstance(error, DBAPIError) and error.connection_invalidated


def _end(engine: Engine, mark: Mark) -> None:
    """Make the server give up a transaction whose connection is lost. Where it cannot be reached, it will itself."""
    with suppress(DBAPIError), engine.connect() as connection:
        connection.execute(_END, {"process": mark.process, "number": mark.number})


def _was_committed(engine: Engine, mark: Mark, patience: Patience, shown: str) -> bool:
    waiting = patience.begin()
    while True:
        with suppress(DBAPIError):
            _end(engine, mark)
            if _has_ended(engine, mark):
                with engine.connect() as connection:
                    return bool(connection.execute(_STORED, {"writer": mark.writer}).scalar() == mark.serial)
        if not waiting.pause():
            hint = "Everything stored before is safe. karat run --resume RUN looks what is there and goes on."
            said = f"the connection to {shown} was lost while something was being stored: nobody knows whether it was"
            raise UserError(said, hint=hint)


def _has_ended(engine: Engine, mark: Mark) -> bool:
    """Whether nothing more can come of a transaction. Another that has got its number since is waited for in vain, but
    never taken for it."""
    try:
        with engine.connect() as connection:
            return bool(connection.execute(_STATUS, {"number": mark.number}).scalar() != "in progress")
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) == _FROM_THE_FUTURE:
            return True
        raise
