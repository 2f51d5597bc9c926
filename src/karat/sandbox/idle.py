"""Servers that nobody uses: stopped after a while, and at once when memory is short.

One thread looks after the sandboxes of this process that want it. A process that was forked has no such thread, and
starts its own with its own sandboxes.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path
from typing import Protocol
from weakref import WeakSet

MB = 1024**2
SHORT = 512 * MB
SHORT_SHARE = 0.05
LOOK_MOST, LOOK_LEAST = 10.0, 0.2
"""Seconds between two looks."""


class Idling(Protocol):
    """What the thread needs of a sandbox."""

    idle: float | None

    def release_idle(self, since: float) -> int: ...


_watched: WeakSet[Idling] = WeakSet()
_lock = threading.Lock()
_threads: dict[int, threading.Thread] = {}


def watch(box: Idling) -> None:
    """Look after a sandbox from now on. One without a time of its own gives up its servers only for want of memory."""
    with _lock:
        _watched.add(box)
        if box.idle is not None and os.getpid() not in _threads:
            thread = threading.Thread(target=_look, name="karat-sandbox-idle", daemon=True)
            _threads[os.getpid()] = thread
            thread.start()


def make_room(beside: Idling) -> None:
    """Before another server starts: where memory is short, those of other sandboxes that wait for work go."""
    if memory_short():
        for box in _boxes():
            if box is not beside:
                box.release_idle(time.monotonic())


def memory_short() -> bool:
    """Whether this machine, or the cgroup that this process is in, has little left."""
    total, free = _machine()
    short = total > 0 and free < min(SHORT, SHORT_SHARE * total)
    return short or _cgroup_left() < SHORT


def _boxes() -> list[Idling]:
    with _lock:
        return list(_watched)


def _look() -> None:
    while True:
        times = [box.idle for box in _boxes() if box.idle is not None]
        time.sleep(min(LOOK_MOST, max(LOOK_LEAST, min(times, default=LOOK_MOST) / 4)))
        now = time.monotonic()
        for box in _boxes():
            if box.idle is not None:
                box.release_idle(now - box.idle)


def _machine() -> tuple[int, int]:
    """Bytes of memory in all, and those that can be had without swapping; zeros where the system does not tell."""
    found = {"MemTotal": 0, "MemAvailable": 0}
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            name, _, rest = line.partition(":")
            if name in found:
                found[name] = int(rest.split()[0]) * 1024
    return found["MemTotal"], found["MemAvailable"]


def _cgroup_left() -> float:
    """Bytes up to the limit of this process's cgroup; what its files take as cache is not counted. No limit: no end."""
    for folder, limit, used in _cgroup_files():
        with contextlib.suppress(OSError, ValueError, IndexError):
            most = int((folder / limit).read_text())
            taken = int((folder / used).read_text())
            stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
            cache = int(stat.get("inactive_file", stat.get("total_inactive_file", 0)))
            return most - taken + cache
    return float("inf")


def _cgroup_files() -> list[tuple[Path, str, str]]:
    root, found = Path("/sys/fs/cgroup"), []
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if not controllers:
                found.append((root / path.lstrip("/"), "memory.max", "memory.current"))
            elif "memory" in controllers.split(","):
                place = root / "memory" / path.lstrip("/")
                found.append((place, "memory.limit_in_bytes", "memory.usage_in_bytes"))
    return found


def _after_fork() -> None:
    """The thread and the servers are the parent's."""
    global _lock
    _lock = threading.Lock()
    _threads.clear()
    _watched.clear()


os.register_at_fork(after_in_child=_after_fork)
