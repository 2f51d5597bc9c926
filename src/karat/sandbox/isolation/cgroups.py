"""A cgroup for a server: a hard end to its memory and its processes, where this user may make one (version 1 or 2).

It is made below the cgroup that karat itself runs in, so that limits above still hold, and removed with the server.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import msgspec

ROOT = Path("/sys/fs/cgroup")
PREFIX = "karat-"


class Cgroup(msgspec.Struct, frozen=True):
    """The folders of one server, one for each controller (version 1) or one for all."""

    memory: Path | None = None
    pids: Path | None = None

    def folders(self) -> list[Path]:
        return list(dict.fromkeys(folder for folder in (self.memory, self.pids) if folder))

    def kills(self) -> int:
        """How often the kernel has ended a process in it for want of memory."""
        if self.memory is None:
            return 0
        for name in ("memory.events", "memory.oom_control"):
            with contextlib.suppress(OSError):
                for line in (self.memory / name).read_text().splitlines():
                    word, _, count = line.partition(" ")
                    if word == "oom_kill":
                        return int(count)
        return 0

    def remove(self) -> None:
        """Once all processes in it have ended; they may take a moment to go."""
        for folder in self.folders():
            for _ in range(100):
                try:
                    folder.rmdir()
                    break
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.01)


def make(memory: int, pids: int) -> Cgroup:
    """With those limits, as far as it can be."""
    name = f"{PREFIX}{os.getpid()}-{os.urandom(6).hex()}"
    places = parents()
    for place in set(places.values()):
        _remove_orphans(place)
    made = Cgroup()
    if parent := places.get("memory"):
        folder = _make(parent / name, {"memory.limit_in_bytes": memory, "memory.max": memory, "memory.swap.max": 0})
        made = msgspec.structs.replace(made, memory=folder)
    if parent := places.get("pids"):
        made = msgspec.structs.replace(made, pids=_make(parent / name, {"pids.max": pids}))
    return made


def _remove_orphans(parent: Path) -> None:
    """Those of callers that were killed before they could tidy up. One that is still in use cannot be removed."""
    for folder in parent.glob(f"{PREFIX}*"):
        pid = folder.name.removeprefix(PREFIX).partition("-")[0]
        if not Path("/proc", pid).exists():
            with contextlib.suppress(OSError):
                folder.rmdir()


def _make(folder: Path, limits: dict[str, int]) -> Path | None:
    try:
        folder.mkdir(exist_ok=True)
        for name, value in limits.items():
            if (folder / name).exists():
                (folder / name).write_text(str(value))
    except OSError:
        with contextlib.suppress(OSError):
            folder.rmdir()
        return None
    return folder


def parents() -> dict[str, Path]:
    """Controller → the cgroup of this process, where it can be written and has the controller to give."""
    found: dict[str, Path] = {}
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return found
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if not controllers:
            folder = ROOT / path.lstrip("/")
            with contextlib.suppress(OSError):
                offered = (folder / "cgroup.subtree_control").read_text().split()
                found.update({c: folder for c in ("memory", "pids") if c in offered and os.access(folder, os.W_OK)})
            continue
        for controller in controllers.split(","):
            folder = ROOT / controller / path.lstrip("/")
            if controller in ("memory", "pids") and os.access(folder, os.W_OK) and folder.is_dir():
                found[controller] = folder
    return found
