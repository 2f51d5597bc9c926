"""The warm sandbox of this process, made when it is first needed and closed when the process ends.

A process that was forked from another one makes its own: two processes cannot talk to one server at once.
"""

from __future__ import annotations

import os
import threading
from multiprocessing import util

from karat.sandbox import Sandbox

MOST_SERVERS = 4
CLOSE_EARLY = 10
"""Before the queues and pools of ``multiprocessing`` go, which have lower numbers or none."""
READING = "/files"
"""No environment has this name."""

_boxes: dict[tuple[int, str, bool, str], Sandbox] = {}
_lock = threading.Lock()


def warm_box(python: str = "", *, unsafe: bool = False, environment: str = "", idle: float | None = None) -> Sandbox:
    """The sandbox for this interpreter. A second server starts only when two threads run code at once."""
    key = (os.getpid(), python, unsafe, environment)
    with _lock:
        box = _boxes.get(key)
        if box is None:
            workers = max(1, min(MOST_SERVERS, os.cpu_count() or 1))
            box = _boxes[key] = Sandbox(
                workers=workers,
                python=python,
                unsafe=unsafe,
                environment=environment,
                idle=idle,
                verify=bool(python),
            )
            util.Finalize(None, box.close, exitpriority=CLOSE_EARLY)  # runs in workers too, which atexit does not
        return box


def reading_box(*, unsafe: bool = False) -> Sandbox:
    """The sandbox in which written files are read. No answer ever runs there."""
    key = (os.getpid(), "", unsafe, READING)
    with _lock:
        box = _boxes.get(key)
        if box is None:
            box = _boxes[key] = Sandbox(unsafe=unsafe)
            util.Finalize(None, box.close, exitpriority=CLOSE_EARLY)
        return box


def _after_fork() -> None:
    """A lock that another thread held at the fork would stay held for ever. The parent's boxes are left as they are."""
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
