"""The two pipes to a server, with a clock: nothing here waits longer than its time limit."""

from __future__ import annotations

import contextlib
import os
import select
import time

from karat.sandbox.server.frames import HEAD_CAP, LENGTHS

CHUNK = 1024**2


class Gone(Exception):
    """The server has closed its end, or says what no server says."""


class Late(Exception):
    """The server has not answered in time."""


class Connection:
    """Frames out and in, each with its deadline."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading, self._writing = reading, writing
        for fd in (reading, writing):
            os.set_blocking(fd, False)

    def send(self, data: bytes, deadline: float) -> None:
        view = memoryview(data)
        while view:
            _wait(self._writing, select.POLLOUT, deadline)
            try:
                view = view[os.write(self._writing, view[:CHUNK]) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise Gone from error

    def receive(self, deadline: float, most: int) -> tuple[bytes, bytes]:
        """Head and body of the next frame; one that is larger than can be is as bad as none."""
        head, body = LENGTHS.unpack(self._exactly(LENGTHS.size, deadline))
        if head > HEAD_CAP or body > most:
            raise Gone
        return self._exactly(head, deadline), self._exactly(body, deadline)

    def _exactly(self, size: int, deadline: float) -> bytes:
        parts = []
        while size:
            _wait(self._reading, select.POLLIN, deadline)
            try:
                part = os.read(self._reading, min(size, CHUNK))
            except BlockingIOError:
                continue
            except OSError as error:
                raise Gone from error
            if not part:
                raise Gone
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def _wait(fd: int, event: int, deadline: float) -> None:
    left = deadline - time.monotonic()
    poll = select.poll()
    poll.register(fd, event)
    if left <= 0 or not poll.poll(left * 1000):
        raise Late


def read_what_is_there(fd: int, most: int = 8_192, patience: float = 0.5) -> str:
    """The words of a server that did not start."""
    said = b""
    os.set_blocking(fd, False)
    until = time.monotonic() + patience
    with contextlib.suppress(OSError, Late):
        while len(said) < most:
            _wait(fd, select.POLLIN, until)
            part = os.read(fd, most - len(said))
            if not part:
                break
            said += part
    return said.decode("utf-8", "replace").strip()
