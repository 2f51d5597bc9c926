"""Processes that score, started by a command of their own and spoken to over their pipes.

``multiprocessing`` imports the caller's main module in every process it starts. A script without a ``__main__`` guard
would then run again there, and one that came from standard input or a notebook cell cannot be imported at all. These
processes import karat and nothing of the caller's.
"""

from __future__ import annotations

import os
import pickle
import queue
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from types import TracebackType
from typing import Any, BinaryIO  # Any: an executor takes any function, and its future holds what that returns

from karat.core.problems import UserError
from karat.core.suite import Suite

LENGTH = struct.Struct("<Q")
_COMMAND = "import sys; sys.path[:] = {path!r}; from karat.runs.worker import main; main()"


@contextmanager
def scoring_executor(suite: Suite, workers: int | None, executor: Executor | None = None) -> Iterator[Executor | None]:
    """Where scoring runs: on what was given; on processes when asked for, or when the suite is heavy; else right
    here."""
    if workers is not None and workers < 1:
        raise UserError("workers must be at least 1")
    if executor is not None:
        yield executor
        return
    count = workers if workers is not None else (None if suite.cpu_heavy else 1)
    if count == 1 or not sys.executable:  # a program that has Python inside it may not say where one is
        yield None
        return
    with Workers(count) as pool:
        yield pool


class Workers(Executor):
    """At most this many processes. One is started when all others are busy, and kept until the end."""

    def __init__(self, count: int | None = None) -> None:
        self._threads = ThreadPoolExecutor(count or os.cpu_count() or 1, thread_name_prefix="karat-workers")
        self._idle: queue.LifoQueue[subprocess.Popen[bytes]] = queue.LifoQueue()
        self._all: list[subprocess.Popen[bytes]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As every executor does: what is submitted, and what it gives, travels by pickle between processes of our
        own."""
        return self._threads.submit(self._do, pickle.dumps((fn, args, kwargs)))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """A process without a task ends by itself once nobody can give it one."""
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        for process in self._all:
            if process.stdin is not None:
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
            done, value = pickle.loads(_asked(process, task))  # noqa: S301 (from our own process)
        except (OSError, EOFError) as error:
            code = process.wait()
            raise UserError(
                f"a scoring process ended unexpectedly ({_end(code)})",
                hint="It may have run out of memory: try fewer --workers. The answers are stored; karat score can "
                "score them again.",
            ) from error
        self._idle.put(process)
        if not done:
            raise value
        return value

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", _COMMAND.format(path=[str(place) for place in sys.path])]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 (our own words)
        self._all.append(process)
        return process


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
