"""Who holds a run: one process on one machine. And whether it is still there, as far as that can be seen from here."""

from __future__ import annotations

import os
import secrets
import socket
from functools import cache
from pathlib import Path

import msgspec

_PROC = Path("/proc")


class Holder(msgspec.Struct, frozen=True):
    """A process that works on a run. ``id`` is random, so that two holds of one process differ."""

    id: str
    host: str
    """The name of the machine, for people."""
    machine: str
    """Where process ids mean the same: this boot of this kernel, in this namespace. A container has its own."""
    pid: int
    born: int
    """When the process began, in the kernel's count: a later process with the same id has another. 0: not known."""

    @property
    def shown(self) -> str:
        """As people look for it."""
        return f"process {self.pid} on {self.host}"


def this_process() -> Holder:
    """A new hold of the process that asks."""
    pid = os.getpid()
    return Holder(secrets.token_hex(8), socket.gethostname(), _machine(), pid, _born(pid) or 0)


def is_dead(holder: Holder) -> bool:
    """Whether the process is surely gone. Of a process elsewhere nothing is known."""
    if holder.machine != _machine():
        return False
    try:
        os.kill(holder.pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    born = _born(holder.pid)
    return bool(born is not None and holder.born and born != holder.born)


@cache
def _machine() -> str:
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {(_PROC / 'self/ns/pid').readlink()}"
    except OSError:  # no Linux: the name has to do
        return socket.gethostname()


def _born(pid: int) -> int | None:
    """When a process began; -1 for one that has ended and only waits to be asked about; None where it cannot be
    seen."""
    try:
        fields = (_PROC / str(pid) / "stat").read_bytes().rpartition(b") ")[2].split()
        return -1 if fields[0] in (b"Z", b"X") else int(fields[19])
    except (OSError, ValueError, IndexError):
        return None
