"""A child that waits for its code, and the server's ends of its pipes.

It can be forked before there is anything to run: the next one is made ready while the one before it is still ending.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Mapping
from typing import NamedTuple

from . import child
from .frames import begin, write_all
from .isolation.private_memory import PrivateMemory
from .tables import Tables


class Forked(NamedTuple):
    """One child, and what it is spoken to and heard by."""

    pid: int
    go: int
    reading: tuple[int, int, int]
    held: int
    """Keeps the kernel's entry of a file that the child's rules name; -1 where there is none."""

    def send(self, head: Mapping[str, object], code: PrivateMemory) -> None:
        """All that it needs before the code. A child that is gone already shows when it is watched."""
        with contextlib.suppress(BrokenPipeError):
            said = {name: head[name] for name in ("tables", "limits", "counter")}
            write_all(self.go, begin(said, [code.used]))

    def release(self, code: PrivateMemory) -> None:
        """The code, which it runs at once. Nothing in its process can have begun before: it was not there."""
        with contextlib.suppress(BrokenPipeError):
            write_all(self.go, b"\1")
            write_all(self.go, code.view())

    def waits(self) -> bool:
        """Whether it is still there."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def close(self) -> None:
        for fd in (self.go, *self.reading, self.held):
            if fd >= 0:
                os.close(fd)

    def dismiss(self) -> None:
        """It is not needed: without a word on its pipe it ends."""
        os.close(self.go)
        os.waitpid(self.pid, 0)
        for fd in (*self.reading, self.held):
            if fd >= 0:
                os.close(fd)


def fork(tables: Tables, isolation: child.Isolation) -> Forked:
    """A child with its protection in place as far as it does not depend on the snippet.

    The result comes over a socket: a process can open its pipes a second time through /proc, for reading too, but no
    socket.
    """
    result, (out, err, go) = one_way(), (os.pipe() for _ in range(3))
    pid = os.fork()
    if pid == 0:
        child.main(tables, isolation, (result[1], out[1], err[1]), go[0])
    for fd in (result[1], out[1], err[1], go[0]):
        os.close(fd)
    return Forked(pid, go[1], (result[0], out[0], err[0]), _held(pid))


def _held(pid: int) -> int:
    """A descriptor of the child's own cgroup file. If the kernel forgot the file and made it again, the child's rule
    for it would no longer hold."""
    try:
        return os.open(f"/proc/{pid}/cgroup", os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return -1


def one_way() -> tuple[int, int]:
    """Two ends like those of a pipe: what is written to the second can be read from the first."""
    reading, writing = socket.socketpair()
    reading.shutdown(socket.SHUT_WR)
    return reading.detach(), writing.detach()
