"""The child: it answers one request after another until the parent hangs up, and never outlives it."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Protocol, TypeVar  # Any: the driver's connection and cursor

from karat.core.problems import UserError
from karat.engines.embedded.memory import set_ceiling
from karat.engines.embedded.messages import Database, Reply, Request, decode_request, encode, too_much
from karat.engines.embedded.values import pack
from karat.engines.protocol import EngineError, ResultRows, ResultTable

MOST_OPEN = {"sqlite": 16, "duckdb": 2}
"""Databases that a child keeps open; an open DuckDB file keeps pages in memory."""
LOOK = 0.5
"""Seconds between two looks of the watch: whether the parent is there, whether an interrupt must be said again."""
LATE = 5.0
"""Seconds after its time at which a query that nobody stopped ends with its process."""


Result = TypeVar("Result")


class Session(Protocol):
    """An open database."""

    def run(self, sql: str, timeout: float, row_limit: int) -> ResultTable:
        """The query's table. Raises EngineError."""

    def rows(self, sql: str, timeout: float, row_limit: int) -> ResultRows:
        """The query's rows as values. Raises EngineError."""

    def interrupt(self) -> None:
        """Stop the query that runs now; called from another thread."""

    def close(self) -> None:
        """Let the file go."""


class Watch:
    """A thread that interrupts a query when its time is up, and ends the process when its parent is gone."""

    def __init__(self) -> None:
        self._parent = os.getppid()
        self._change = threading.Condition()
        self._interrupt: Callable[[], None] | None = None
        self._end = 0.0
        threading.Thread(target=self._look, daemon=True).start()

    def begin(self, interrupt: Callable[[], None], timeout: float) -> None:
        with self._change:
            self._interrupt, self._end = interrupt, time.monotonic() + timeout
            self._change.notify()

    def stop(self) -> None:
        with self._change:
            self._interrupt = None

    def _look(self) -> None:
        with self._change:
            while True:
                if self._interrupt is None:
                    self._change.wait()
                    continue
                left = self._end - time.monotonic()
                if left <= 0:
                    with suppress(Exception):
                        self._interrupt()
                if os.getppid() != self._parent or left < -LATE:
                    os._exit(1)
                self._change.wait(min(left, LOOK) if left > 0 else LOOK / 5)


class Server:
    """The databases of a child, the least used ones closed first."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._sessions: OrderedDict[Database, Session] = OrderedDict()
        self._watch = Watch()

    def answer(self, request: Request) -> Reply:
        try:
            if request.verb == "close":
                self._close(request.database)
                return Reply()
            set_ceiling(request.database.memory)
            session = self._session(request.database)
            if request.verb == "rows":
                return Reply(rows=pack(self._within(session, request, session.rows)))
            return Reply(self._within(session, request, session.run)) if request.verb == "run" else Reply()
        except EngineError as error:
            return Reply(kind=error.kind, message=error.message)
        except UserError as error:
            return Reply(message=error.message, hint=error.hint)
        except MemoryError:
            return Reply(kind="memory", message=too_much(request.database))
        except (ArithmeticError, ValueError) as error:  # a cell of which the driver can make no Python value
            return Reply(message=f"the result cannot be read: {error}")
        except Exception as error:  # a mistake of ours must not look like one of the query
            return Reply(kind="connection", message=f"the query's process failed: {type(error).__name__}: {error}")

    def _within(self, session: Session, request: Request, run: Callable[[str, float, int], Result]) -> Result:
        self._watch.begin(session.interrupt, request.timeout)
        try:
            return run(request.sql, request.timeout, request.row_limit)
        finally:
            self._watch.stop()

    def _session(self, database: Database) -> Session:
        if database not in self._sessions:
            while sum(one.kind == database.kind for one in self._sessions) >= MOST_OPEN[database.kind]:
                self._close(next(one for one in self._sessions if one.kind == database.kind))
            opening = import_module(f"karat.engines.embedded.{database.kind}")
            self._sessions[database] = opening.open_session(database, self._folder)
        self._sessions.move_to_end(database)
        return self._sessions[database]

    def _close(self, database: Database) -> None:
        session = self._sessions.pop(database, None)
        if session is not None:
            with suppress(Exception):
                session.close()


def main(handle: int, folder: str) -> None:
    """Serve until the parent closes its end."""
    connection = Connection(handle)
    server = Server(folder)
    while True:
        try:
            request = decode_request(connection.recv_bytes())
        except (EOFError, OSError):
            return
        reply = server.answer(request)
        try:
            data = encode(reply)
        except MemoryError:
            del reply
            data = encode(Reply(kind="memory", message=too_much(request.database)))
        connection.send_bytes(data)
