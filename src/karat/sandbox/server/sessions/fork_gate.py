"""The gate that forks of a session's processes pass: the server decides about each, while the caller waits in the
kernel.

A process that has run code of a snippet can never start another one by itself. A second filter of system calls asks the
server about every ``clone`` that is not a thread; the server answers no, unless it has just asked that very process for
a fork. The arguments of the call are numbers in registers, so what the server looked at is what is done. While the
caller waits, the server puts the descriptors into it that the new process will need.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import select
import struct
import time
from collections.abc import Callable
from typing import NamedTuple

from ..isolation.kernel import checked, syscall
from ..isolation.seccomp import ALLOW, ARGUMENTS_AT, BIT, EQUAL, LOAD, NUMBER_AT, RETURN, Program, machine

ASK = 0x7FC00000
SET_FILTER, NEW_LISTENER = 1, 8
SECCOMP_CALL = {"x86_64": 317, "aarch64": 277}
CLONE_CALL = {"x86_64": 56, "aarch64": 220}
CLONE_THREAD = 0x10000
FORK_FLAGS = 0x8011
"""All that may be asked for: a process with memory and descriptors of its own, as another child of the caller's parent,
which is the server."""
NOTICE, ANSWER, ADD = struct.Struct("<QIIiIQ6Q"), struct.Struct("<QqiI"), struct.Struct("<QIIII")
RECEIVE, SEND, ADD_FD = 0xC0502100, 0xC0182101, 0x40182103
GO_ON, AT_PLACE = 1, 1


class Notice(NamedTuple):
    """A call that waits: its number, and the process (or thread) that made it."""

    number: int
    pid: int
    is_fork: bool


def install() -> int:
    """Put the gate on this process and all that it will start; the listener, which belongs to the server."""
    name = machine()
    code = [
        (LOAD, 0, 0, NUMBER_AT),
        (EQUAL, 0, 3, CLONE_CALL[name]),
        (LOAD, 0, 0, ARGUMENTS_AT),
        (BIT, 1, 0, CLONE_THREAD),
        (RETURN, 0, 0, ASK),
        (RETURN, 0, 0, ALLOW),
    ]
    data = b"".join(struct.pack("<HBBI", *line) for line in code)
    program = Program(len(code), data)
    answer = syscall(
        SECCOMP_CALL[name], ctypes.c_ulong(SET_FILTER), ctypes.c_ulong(NEW_LISTENER), ctypes.byref(program)
    )
    return checked(answer, "seccomp")


def fork() -> int:
    """Ask for a new process, once the server has said that it will be let through: 0 in the new one.

    This is the bare call. The handlers that libraries have for forks put things right between threads, and there is
    only one; they would also seed random numbers again, which a step must not notice.
    """
    return int(_bare.syscall(CLONE_CALL[machine()], FORK_FLAGS, 0, 0, 0, 0))


_bare = ctypes.PyDLL(None)
_bare.syscall.argtypes = (ctypes.c_long,) * 6
_bare.syscall.restype = ctypes.c_long


class Gate:
    """The server's side of it."""

    def __init__(self, listener: int) -> None:
        self.fd = listener

    def close(self) -> None:
        os.close(self.fd)

    def wait(self, wanted: Callable[[Notice], bool], deadline: float) -> Notice | None:
        """The first call that is wanted; all others are refused. None when it does not come in time."""
        poll = select.poll()
        poll.register(self.fd, select.POLLIN)
        while (left := deadline - time.monotonic()) > 0:
            ready = poll.poll(left * 1000)
            if ready and not ready[0][1] & select.POLLIN:
                return None  # all processes behind the gate are gone
            notice = self._receive() if ready else None
            if notice is not None:
                if notice.is_fork and wanted(notice):
                    return notice
                self.refuse(notice)
        return None

    def refuse_waiting(self) -> None:
        """One call that waits, if any."""
        notice = self._receive()
        if notice is not None:
            self.refuse(notice)

    def refuse(self, notice: Notice) -> None:
        self._control(SEND, ANSWER.pack(notice.number, 0, -errno.EPERM, 0))

    def allow(self, notice: Notice) -> bool:
        """Let it go on; False when it is gone."""
        return self._control(SEND, ANSWER.pack(notice.number, 0, 0, GO_ON))

    def give(self, notice: Notice, fd: int, place: int) -> bool:
        """Put a descriptor of the server's into the waiting process, at this number."""
        return self._control(ADD_FD, ADD.pack(notice.number, AT_PLACE, fd, place, 0))

    def _receive(self) -> Notice | None:
        room = bytearray(NOTICE.size)
        if not self._control(RECEIVE, room):
            return None
        number, pid, _, call, _, _, flags, *_ = NOTICE.unpack(room)
        return Notice(number, pid, call == CLONE_CALL.get(machine()) and flags == FORK_FLAGS)

    def _control(self, what: int, data: bytes | bytearray) -> bool:
        """False when the caller is gone meanwhile, or stopped waiting."""
        try:
            fcntl.ioctl(self.fd, what, data)
        except OSError as problem:
            if problem.errno in (errno.ENOENT, errno.EINPROGRESS, errno.EBADF, errno.EINTR):
                return False
            raise
        return True
