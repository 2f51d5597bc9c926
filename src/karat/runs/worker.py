"""The far end of :mod:`karat.runs.workers`: one task after another from standard input, until it closes.

A task under way is dropped when the caller goes: a killed caller leaves nothing running.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
from typing import Any  # Any: a task that came pickled returns anything

from karat.runs.workers import read, write


def main() -> None:
    """Standard input and output belong to the caller; whatever else is printed goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the caller ends its workers
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    tasks: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    busy = threading.Event()

    def listen() -> None:
        while True:
            try:
                task = read(requests)
                busy.set()  # from here on, not from when it is begun: the caller may go in between
                tasks.put(task)
            except EOFError:
                if busy.is_set():
                    os._exit(1)
                tasks.put(None)
                return

    threading.Thread(target=listen, daemon=True).start()
    while (task := tasks.get()) is not None:
        answer = _answer(task)
        busy.clear()
        try:
            write(replies, answer)
        except BrokenPipeError:
            break
    sys.exit(0)


def _answer(task: bytes) -> bytes:
    try:
        work, args, kwargs = pickle.loads(task)  # noqa: S301 (from our own caller)
        value: tuple[bool, Any] = True, work(*args, **kwargs)
    except Exception as error:
        value = False, error
    try:
        return pickle.dumps(value)
    except Exception as error:  # an error or a result that cannot travel
        return pickle.dumps((False, RuntimeError(f"{type(value[1]).__name__}: {value[1]} ({error})")))
