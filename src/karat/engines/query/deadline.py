"""A query ends when its time is up: it is cancelled on the engine, not only no longer waited for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from karat.engines.protocol import EngineError

T = TypeVar("T")

GRACE = 0.75
"""Seconds that an engine has to react to being cancelled: a query must end within a second of its time."""
AGAIN = 0.25
"""Seconds between two tries: the first may come a moment before the engine has begun, and be lost."""


class Abandoned(EngineError):
    """The engine did not react to being cancelled. Its connection is still busy, and must not be used again."""


def stopped(timeout: float) -> EngineError:
    """What is said of a query whose time was up."""
    return EngineError("timeout", f"the query was stopped after {timeout:g} s")


class _Work(Generic[T]):
    def __init__(self, work: Callable[[], T]) -> None:
        self.done = threading.Event()
        self.value: list[T] = []
        self.error: BaseException | None = None
        self._work = work

    def __call__(self) -> None:
        try:
            self.value.append(self._work())
        except BaseException as error:  # it is raised again where it is waited for
            self.error = error
        finally:
            self.done.set()


def within(work: Callable[[], T], timeout: float, cancel: Callable[[], None], *, grace: float = GRACE) -> T:
    """The result of ``work``; when it takes longer than ``timeout`` it is cancelled, and EngineError says timeout."""
    running = _Work(work)
    threading.Thread(target=running, name="karat-query", daemon=True).start()
    late = False
    try:
        late = not running.done.wait(timeout)
        if late:
            _cancel_until_done(running.done, cancel, grace)
    except BaseException:  # Ctrl-C: the query must not go on alone
        with suppress(Exception):
            cancel()
        raise
    if late:
        late_error = stopped(timeout)
        raise late_error if running.done.is_set() else Abandoned("timeout", late_error.message)
    if isinstance(running.error, MemoryError):
        raise EngineError("memory", "the result does not fit into memory") from None
    if isinstance(running.error, ArithmeticError | ValueError):
        # A driver that cannot make a Python value of a cell (a year after 9999): the query's doing, not ours.
        raise EngineError("sql_error", f"the result cannot be read: {running.error}") from None
    if running.error is not None:
        raise running.error
    return running.value[0]


def _cancel_until_done(done: threading.Event, cancel: Callable[[], None], grace: float) -> None:
    """Cancel in a thread: a server that does not answer must not block the caller."""

    def attempt() -> None:
        with suppress(Exception):
            cancel()

    end = time.monotonic() + grace
    tried: threading.Thread | None = None
    while not done.is_set() and time.monotonic() < end:
        if tried is None or not tried.is_alive():
            tried = threading.Thread(target=attempt, name="karat-cancel", daemon=True)
            tried.start()
        done.wait(min(AGAIN, grace))
