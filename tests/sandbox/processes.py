"""Processes and what they came from, out of /proc."""

from __future__ import annotations

import time
from pathlib import Path


def descendants(pid: int) -> set[int]:
    """All processes below this one."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        above = waiting.pop()
        below = [child for child, parent in parents.items() if parent == above]
        found.update(below)
        waiting += below
    return found


def all_gone(pids: set[int], patience: float = 10.0) -> bool:
    """Whether they have all ended within that time."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if not any(Path("/proc", str(pid)).exists() for pid in pids):
            return True
        time.sleep(0.02)
    return False
