"""The parent's side of one child: start it, ask it, end it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import Pipe

from karat.engines.embedded.memory import ROOM, resident
from karat.engines.embedded.messages import Database, Reply, Request, decode_replies, encode, too_much
from karat.engines.protocol import EngineError
from karat.engines.query.deadline import Abandoned, stopped

GRACE = 0.4
"""Seconds that a child has to stop a query by itself, so that it stays warm. After them it is killed."""
LOOK = 0.05
"""Seconds between two looks at the memory of a child; most queries are done before the first."""
START = 30.0
"""Seconds to start a child or to open a database, on a busy machine."""

_MAIN = "import sys; from karat.engines.embedded.server import main; main(int(sys.argv[1]), sys.argv[2])"


class ChildGone(Exception):
    """The child ended without a reply."""


class Child:
    """A warm process, and a folder for what it writes when its memory is full."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="karat-query-")
        self.open: set[Database] = set()
        self._connection, theirs = Pipe()
        try:
            # -P: what lies in the working folder is no module of ours.
            self._process = subprocess.Popen(  # noqa: S603 (our own interpreter and code)
                [sys.executable, "-P", "-c", _MAIN, str(theirs.fileno()), self.folder],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                start_new_session=True,  # Ctrl-C is the parent's business
            )
        except BaseException:
            self._connection.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        finally:
            theirs.close()

    def ask(self, request: Request) -> Reply:
        """The child's reply to a request with one query, or with none."""
        (reply,) = self.replies(request)
        return reply

    def replies(self, request: Request) -> Iterator[Reply]:
        """The child's replies, in the order of the queries, up to the first that went beyond its memory. Raises
        Abandoned when none comes in time, ChildGone when the child died; it must be killed then."""
        databases = [query.database for query in request.queries] or [request.database]
        done = 0
        try:
            self._connection.send_bytes(encode(request))
            while done < len(databases):
                self._wait(request, all(one in self.open for one in databases[done:]))
                for reply in decode_replies(self._connection.recv_bytes()):
                    if request.verb == "close":
                        self.open.discard(request.database)
                    else:
                        self.open.add(databases[done])
                    done += 1
                    yield reply
                    if reply.message and reply.kind == "memory":
                        return
        except (EOFError, OSError):
            raise ChildGone from None

    def _wait(self, request: Request, warm: bool) -> None:
        """Until there is something to read."""
        patience = (request.timeout if request.verb in ("run", "rows") else 0.0) + (GRACE if warm else START)
        end = time.monotonic() + patience
        while not self._connection.poll(max(0.0, min(LOOK, end - time.monotonic()))):
            if resident(self._process.pid) > request.database.memory + ROOM:
                raise EngineError("memory", too_much(request.database))
            if time.monotonic() >= end:
                raise self._late(request)

    def _late(self, request: Request) -> EngineError:
        if request.verb in ("run", "rows"):
            return Abandoned("timeout", stopped(request.timeout).message)
        return Abandoned("connection", f"the database could not be opened within {START:g} s")

    def exit_code(self) -> int | None:
        """How a child ended that is gone: a negative number is a signal."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(2.0)
        return None

    def kill(self) -> None:
        """End it at once, and remove what it wrote."""
        with suppress(OSError):
            self._process.kill()
        with suppress(OSError):
            self._connection.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5.0)
        shutil.rmtree(self.folder, ignore_errors=True)

    def forget(self) -> None:
        """After a fork: close this process's copy of the line; the child is the parent's."""
        self._connection.close()
