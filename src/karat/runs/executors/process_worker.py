"""The far end of :mod:`karat.runs.executors.processes`: one task after another from standard input, until it closes.

A task under way is dropped when the caller goes: a killed caller leaves nothing running.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading

from karat.runs.executors.messages import answer
from karat.runs.executors.processes import read, write


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
    write(replies, b"")  # ready: from here on the time of a task counts
    while (task := tasks.get()) is not None:
        reply = answer(task)
        busy.clear()
        try:
            write(replies, reply)
        except BrokenPipeError:
            break
    sys.exit(0)
