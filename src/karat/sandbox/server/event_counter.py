"""A counter of the kernel on one child: instructions in user space, all its threads together.

The child opens the counter on itself while it still runs only our own code, switched off, and hands it to the server.
It keeps no copy. The server switches the counter on before it lets the snippet run and reads it when the child is gone.
The list of system calls refuses what could stop a counter from inside (``prctl``, ``ioctl``).
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import fcntl
import os
import socket
import struct
from collections.abc import Iterator, Sequence

from .isolation.kernel import checked, syscall
from .isolation.seccomp import machine

OPEN_CALL = {"x86_64": 298, "aarch64": 241}
ATTRIBUTES = struct.Struct("<IIQQQQQIIQ")
"""The first version of the kernel's ``perf_event_attr``, which every kernel takes."""
OFF, INHERIT, NO_KERNEL, NO_HYPERVISOR = 1 << 0, 1 << 1, 1 << 5, 1 << 6
CLOSE_ON_EXEC = 8
ENABLE = 0x2400
VALUE = struct.Struct("<Q")
MARK = b"C"


def opened(event: Sequence[int]) -> int:
    """The counter of this process for an event, by its type and number; OSError where there is none."""
    flags = OFF | INHERIT | NO_KERNEL | NO_HYPERVISOR
    data = ATTRIBUTES.pack(event[0], ATTRIBUTES.size, event[1], 0, 0, 0, flags, 0, 0, 0)
    room = ctypes.create_string_buffer(data, len(data))
    number = OPEN_CALL.get(machine())
    if number is None:
        raise OSError(0, "no counter on this kind of machine")
    return checked(syscall(number, room, 0, -1, -1, CLOSE_ON_EXEC), "perf_event_open")


def offer(way: int, event: Sequence[int]) -> None:
    """The child's part, before its filter of system calls: a mark, and with it the counter where there is one."""
    try:
        counter = opened(event)
    except OSError:
        os.write(way, MARK)
        return
    with _as_socket(way) as end:
        end.sendmsg([MARK], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [counter]))])
    os.close(counter)


def receive(way: int) -> tuple[bytes, int]:
    """The server's part: the first byte, which is no mark where the child failed before, and the counter, -1 without
    one."""
    size = array.array("i").itemsize
    with _as_socket(way) as end:
        first, besides, _, _ = end.recvmsg(1, socket.CMSG_SPACE(size))
    found = -1
    for level, kind, data in besides:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            found = array.array("i", data[:size])[0]
    return first, found


def start(counter: int) -> None:
    """Count from here on."""
    fcntl.ioctl(counter, ENABLE, 0)


def value(counter: int) -> int:
    """What was counted so far; threads that have ended are part of it."""
    return int(VALUE.unpack(os.read(counter, VALUE.size))[0])


@contextlib.contextmanager
def _as_socket(way: int) -> Iterator[socket.socket]:
    """A descriptor as a socket, without taking it over."""
    end = socket.socket(fileno=way)
    try:
        yield end
    finally:
        end.detach()
