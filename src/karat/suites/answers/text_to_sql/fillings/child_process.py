"""Made rows are looked for in a child process with a memory limit, which is killed when it does not answer in time.

A query that ran to its end on the real data may do anything on other rows: it may take all memory, or stay in one step
that nothing inside the process interrupts. A search whose child is lost has found nothing.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import TypeVar

import msgspec

from karat.engines.embedded.memory import ROOM, resident, set_ceiling
from karat.suites.answers.text_to_sql.components.difference import Component
from karat.suites.answers.text_to_sql.fillings.detected_changes import Told, told_apart
from karat.suites.answers.text_to_sql.fillings.scratch import Filling, Scratch, ScratchTable
from karat.suites.answers.text_to_sql.fillings.search import SECONDS, SHRINKING, Searched, search
from karat.suites.answers.text_to_sql.strict.judge import Asked

MEMORY = 256 * 1024 * 1024
"""Bytes that SQLite may take in a child."""
GRACE = 1.0
START = 30.0
"""Seconds to start a child, on a busy machine."""
LOOK = 0.05
MOST_IDLE = 2
_MAIN = "import sys; from karat.suites.answers.text_to_sql.fillings.child_process import main; main(int(sys.argv[1]))"

Reply = TypeVar("Reply")


class ChildLost(Exception):
    """The child died, took too much memory, or did not answer in time."""


class Look(msgspec.Struct, frozen=True, tag=True):
    """Look for rows on which two queries differ."""

    gold: str
    sql: str
    tables: tuple[ScratchTable, ...]
    asked: Asked
    components: tuple[Component, ...]
    seconds: float


class Tell(msgspec.Struct, frozen=True, tag=True):
    """Say which pairs of queries a filling tells apart."""

    tables: tuple[ScratchTable, ...]
    filling: dict[str, list[tuple[object, ...]]]
    pairs: tuple[tuple[str, str], ...]


def guarded_search(
    gold: str,
    sql: str,
    tables: Sequence[ScratchTable],
    asked: Asked,
    *,
    components: Sequence[Component] = (),
    seconds: float = SECONDS,
) -> Searched:
    """:func:`search` in a child."""
    request = Look(gold, sql, tuple(tables), asked, tuple(components), seconds)
    try:
        return POOL.ask(request, seconds + SHRINKING + GRACE, Searched)
    except ChildLost:
        return Searched(None)


def guarded_telling(
    tables: Sequence[ScratchTable], filling: Filling, pairs: Sequence[tuple[str, str]], seconds: float
) -> Told:
    """:func:`told_apart` in a child. Raises :class:`ChildLost`."""
    rows = {name: [tuple(row) for row in found] for name, found in filling.items()}
    return POOL.ask(Tell(tuple(tables), rows, tuple(pairs)), seconds + GRACE, Told)


class _Child:
    def __init__(self) -> None:
        self._connection, theirs = Pipe()
        try:
            self._process = subprocess.Popen(  # noqa: S603 (our own interpreter and code)
                [sys.executable, "-P", "-c", _MAIN, str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                start_new_session=True,
            )
        except BaseException:
            self._connection.close()
            raise
        finally:
            theirs.close()
        self._wait(START)

    def ask(self, request: bytes, patience: float) -> bytes:
        try:
            self._connection.send_bytes(request)
        except OSError:
            raise ChildLost from None
        return self._wait(patience)

    def _wait(self, patience: float) -> bytes:
        end = time.monotonic() + patience
        try:
            while not self._connection.poll(max(0.0, min(LOOK, end - time.monotonic()))):
                if time.monotonic() >= end or resident(self._process.pid) > MEMORY + ROOM:
                    raise ChildLost
            return self._connection.recv_bytes()
        except (EOFError, OSError):
            raise ChildLost from None

    def kill(self) -> None:
        with suppress(OSError):
            self._process.kill()
        with suppress(OSError):
            self._connection.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5.0)

    def forget(self) -> None:
        self._connection.close()


class _Pool:
    def __init__(self) -> None:
        self._idle: list[_Child] = []
        self._lock = threading.Lock()

    def ask(self, request: Look | Tell, patience: float, kind: type[Reply]) -> Reply:
        with self._lock:
            child = self._idle.pop() if self._idle else None
        child = child or _Child()
        try:
            found = msgspec.msgpack.decode(child.ask(_encode(request), patience), type=kind)
        except msgspec.DecodeError:  # it failed, and its reply is empty
            child.kill()
            raise ChildLost from None
        except BaseException:
            child.kill()
            raise
        with self._lock:
            if len(self._idle) < MOST_IDLE:
                self._idle.append(child)
                return found
        child.kill()
        return found

    def end(self) -> None:
        with self._lock:
            children, self._idle = self._idle, []
        for child in children:
            child.kill()

    def forget(self) -> None:
        """After a fork: the children are the parent's."""
        self._lock = threading.Lock()
        children, self._idle = self._idle, []
        for child in children:
            child.forget()


def main(handle: int) -> None:
    """The child: it answers until the parent hangs up."""
    connection = Connection(handle)
    set_ceiling(MEMORY + ROOM)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    connection.send_bytes(b"ready")
    decode = msgspec.msgpack.Decoder(Look | Tell).decode
    server = _Server()
    while True:
        try:
            request = decode(connection.recv_bytes())
        except (EOFError, OSError):
            return
        try:
            answer = _encode(server.answer(request))
        except Exception:  # whatever rows do to a comparison, nothing was found
            answer = b""
        connection.send_bytes(answer)


class _Server:
    """What the child answers. The tables of the last telling stay open for the next one."""

    def __init__(self) -> None:
        self._scratch = Scratch((), heap=MEMORY)

    def answer(self, request: Look | Tell) -> Searched | Told:
        if isinstance(request, Look):
            return search(
                request.gold,
                request.sql,
                request.tables,
                request.asked,
                components=request.components,
                seconds=request.seconds,
                heap=MEMORY,
            )
        if self._scratch.tables != request.tables:
            self._scratch.close()
            self._scratch = Scratch(request.tables, heap=MEMORY)
        return told_apart(self._scratch, request.filling, request.pairs)


def _end_with(parent: int) -> None:
    """A query in one endless step holds this process, not this thread."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def _encode(message: object) -> bytes:
    return msgspec.msgpack.encode(message)


POOL = _Pool()
atexit.register(POOL.end)
os.register_at_fork(after_in_child=POOL.forget)
