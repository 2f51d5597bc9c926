"""Processes that score, started by a command of their own and spoken to over their pipes.

``multiprocessing`` imports the caller's main module in every process it starts. A script without a ``__main__`` guard
would then run again there, and one that came from standard input or a notebook cell cannot be imported at all. These
processes import karat and nothing of the caller's.
"""

from __future__ import annotations

import os
import queue
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, BinaryIO  # Any: an executor takes any function, and its future holds what that returns

from karat.core.problems import UserError
from karat.runs.executors import messages
from karat.runs.executors.engine import STORED, Engine, Lost

LENGTH = struct.Struct("<Q")
_COMMAND = "import sys; sys.path[:] = {path!r}; from karat.runs.executors.process_worker import main; main()"


class Processes(Engine):
    """At most this many processes. One is started when all others are busy, and kept until the end; one that takes
    longer than ``timeout`` seconds for a task is ended."""

    def __init__(self, count: int | None = None, timeout: float | None = None) -> None:
        super().__init__()
        self._count = count or os.cpu_count() or 1
        self._timeout = timeout
        self._threads = ThreadPoolExecutor(self._count, thread_name_prefix="karat-workers")
        self._idle: queue.LifoQueue[subprocess.Popen[bytes]] = queue.LifoQueue()
        self._all: list[subprocess.Popen[bytes]] = []

    @property
    def slots(self) -> int:
        return self._count

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As every executor does: what is submitted, and what it gives, travels by pickle between processes of our
        own."""
        return self._threads.submit(self._do, messages.task(fn, args, kwargs))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """A process without a task ends by itself once nobody can give it one."""
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        for process in self._all:
            if process.stdin is not None:
                with suppress(BrokenPipeError):  # one that ended in the middle of a task
                    process.stdin.close()
        for process in self._all:
            process.wait()
            if process.stdout is not None:
                process.stdout.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:  # nobody waits for what is under way
            self._threads.shutdown(wait=False, cancel_futures=True)
            for process in self._all:
                process.kill()
        self.shutdown()

    def _do(self, task: bytes) -> Any:
        try:
            process = self._idle.get_nowait()
        except queue.Empty:
            process = self._start()
        try:
            with _ended_after(self._timeout, process) as overdue:
                reply = _asked(process, task)
        except (OverflowError, MemoryError) as error:  # the length of its message is not valid
            process.kill()
            raise Lost("its process did not answer as agreed") from error
        except (OSError, EOFError) as error:
            code = process.wait()
            if overdue.is_set():
                raise Lost(f"its process had no result within {self._timeout:g} seconds") from error
            raise Lost(f"its process ended unexpectedly ({_end(code)})") from error
        try:
            return messages.value_of(reply)
        except messages.Garbled as error:
            overdue.set()
            process.kill()
            raise Lost(f"its process did not answer as agreed: {error}") from error
        finally:
            if not overdue.is_set():  # a process that was ended just now takes no further task
                self._idle.put(process)

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", _COMMAND.format(path=[str(place) for place in sys.path])]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 (our own words)
        self._all.append(process)
        try:
            read(process.stdout)
        except EOFError as error:
            raise UserError(
                f"a scoring process could not be started ({_end(process.wait())})",
                hint=f"Try fewer of them, or --executor in-process. {STORED}",
            ) from error
        return process


@contextmanager
def _ended_after(seconds: float | None, process: subprocess.Popen[bytes]) -> Iterator[threading.Event]:
    """End the process when the block takes longer; the event says that it was."""
    overdue = threading.Event()

    def end() -> None:
        overdue.set()
        process.kill()

    watch = threading.Timer(seconds or 0.0, end)
    watch.daemon = True
    if seconds:
        watch.start()
    try:
        yield overdue
    finally:
        watch.cancel()


def _asked(process: subprocess.Popen[bytes], task: bytes) -> bytes:
    if process.stdin is None or process.stdout is None:
        raise EOFError
    write(process.stdin, task)
    return read(process.stdout)


def write(pipe: BinaryIO | Any, data: bytes) -> None:
    """One message."""
    pipe.write(LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def read(pipe: BinaryIO | Any) -> bytes:
    """One message; EOFError when the other side is gone."""
    head = pipe.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    (size,) = LENGTH.unpack(head)
    data: bytes = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _end(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
