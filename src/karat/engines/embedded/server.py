"""The child: it answers one request after another until the parent hangs up, and never outlives it."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Protocol

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
TOGETHER = 0.02
"""Seconds within which the replies to several queries go out as one message."""
LARGE = 256 * 1024
"""Bytes of rows after which they go out at once."""


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
    """A thread that interrupts a query when its time is up, and ends the process when its parent is gone.

    Waking a thread costs more than most queries. So it looks around by itself for as long as queries come, and is
    woken only when it sleeps without end, or past the end of the query that begins.
    """

    def __init__(self) -> None:
        self._parent = os.getppid()
        self._change = threading.Condition()
        self._interrupt: Callable[[], None] | None = None
        self._end = 0.0
        self._wakes = 0.0
        self._begun = False
        threading.Thread(target=self._look, daemon=True).start()

    def begin(self, interrupt: Callable[[], None], timeout: float) -> None:
        with self._change:
            self._interrupt, self._end = interrupt, time.monotonic() + timeout
            self._begun = True
            if self._end < self._wakes:
                self._change.notify()

    def stop(self) -> None:
        with self._change:
            self._interrupt = None

    def _look(self) -> None:
        with self._change:
            while True:
                left = self._end - time.monotonic()
                if self._interrupt is None:
                    pause = LOOK if self._begun else None
                else:
                    pause = min(left, LOOK) if left > 0 else LOOK / 5
                    if left <= 0:
                        with suppress(Exception):
                            self._interrupt()
                    if left < -LATE:
                        os._exit(1)
                if os.getppid() != self._parent:
                    os._exit(1)
                self._begun = False
                self._wakes = float("inf") if pause is None else time.monotonic() + pause
                self._change.wait(pause)


class Server:
    """The databases of a child, the least used ones closed first."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._sessions: OrderedDict[Database, Session] = OrderedDict()
        self._watch = Watch()
        self._ceiling = 0

    def answers(self, request: Request) -> Iterator[list[Reply]]:
        """The replies, in the order of the queries; those that are ready soon after each other come together."""
        if request.verb != "rows":
            yield [self._answer(request, request.database, request.sql)]
            return
        ready: list[Reply] = []
        size, since = 0, time.monotonic()
        for query in request.queries:
            reply = self._answer(request, query.database, query.sql)
            ready.append(reply)
            size += len(reply.rows)
            if reply.message and reply.kind == "memory":  # the parent asks another process for the rest
                break
            if size > LARGE or time.monotonic() - since > TOGETHER:
                yield ready
                ready, size, since = [], 0, time.monotonic()
        if ready:
            yield ready

    def _answer(self, request: Request, database: Database, sql: str) -> Reply:
        try:
            if request.verb == "close":
                self._close(database)
                return Reply()
            if self._ceiling != database.memory:
                set_ceiling(database.memory)
                self._ceiling = database.memory
            session = self._session(database)
            if request.verb == "open":
                return Reply()
            self._watch.begin(session.interrupt, request.timeout)
            try:
                if request.verb == "run":
                    return Reply(session.run(sql, request.timeout, request.row_limit))
                rows = session.rows(sql, request.timeout, request.row_limit)
            finally:
                self._watch.stop()
            return Reply(rows=pack(rows, decimals=database.kind != "sqlite"))
        except EngineError as error:
            return Reply(kind=error.kind, message=error.message)
        except UserError as error:
            return Reply(message=error.message, hint=error.hint)
        except MemoryError:
            return Reply(kind="memory", message=too_much(database))
        except (ArithmeticError, ValueError) as error:  # a cell of which the driver can make no Python value
            return Reply(message=f"the result cannot be read: {error}")
        except Exception as error:  # a mistake of ours must not look like one of the query
            return Reply(kind="connection", message=f"the query's process failed: {type(error).__name__}: {error}")

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
        for replies in server.answers(request):
            try:
                data = encode(replies)
            except MemoryError:  # for the last, which is the large one; the parent ends this process when it reads it
                replies[-1] = Reply(kind="memory", message=too_much(request.database))
                connection.send_bytes(encode(replies))
                break
            connection.send_bytes(data)
