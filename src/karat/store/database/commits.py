"""Transactions whose outcome is known, also when the connection is lost while they commit.

PostgreSQL remembers for each transaction number whether it was committed. So every transaction that writes asks for its
number first; when the answer to its COMMIT does not come, a new connection asks how it ended. A file needs none of
that: when SQLite says that a commit failed, nothing of it is there.
"""

from __future__ import annotations

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
_MARK = text(
    "SELECT pg_backend_pid(), txid_current(), set_config('idle_in_transaction_session_timeout', :patience, true)"
)
_STATUS = text("SELECT txid_status(:number)")
# The server may not have noticed that the connection is gone. What it still does for it would keep the run locked.
_END = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE pid = :process AND backend_xid::text::bigint = :number % 4294967296"
)
_FROM_THE_FUTURE = "22023"
"""The server knows no such transaction yet: another one took its place, and never heard of it."""


class Mark(NamedTuple):
    """A transaction on a server: its process there and its number."""

    process: int
    number: int


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


def _marked(connection: Connection) -> Mark:
    process, number, _ = connection.execute(_MARK, {"patience": f"{IDLE_SECONDS}s"}).one()
    return Mark(process, number)


def _roll_back(transaction: RootTransaction) -> None:
    with suppress(DBAPIError):  # where the connection is gone, so is the transaction
        transaction.rollback()


def _is_lost(error: BaseException) -> bool:
    return isinstance(error, DBAPIError) and error.connection_invalidated


def _end(engine: Engine, mark: Mark) -> None:
    """Make the server give up a transaction whose connection is lost. Where it cannot be reached, it will itself."""
    with suppress(DBAPIError), engine.connect() as connection:
        connection.execute(_END, mark._asdict())


def _was_committed(engine: Engine, mark: Mark, patience: Patience, shown: str) -> bool:
    waiting = patience.begin()
    while True:
        try:
            _end(engine, mark)
            with engine.connect() as connection:
                found = connection.execute(_STATUS, {"number": mark.number}).scalar()
            if found in ("committed", "aborted"):
                return bool(found == "committed")
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) == _FROM_THE_FUTURE:
                return False
        if not waiting.pause():
            hint = "Everything stored before is safe. karat run --resume RUN looks what is there and goes on."
            said = f"the connection to {shown} was lost while something was being stored: nobody knows whether it was"
            raise UserError(said, hint=hint)
