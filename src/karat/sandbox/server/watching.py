"""Watching one child: reading what it says up to a cap, ending it when its time, output or folder is too much.

Every figure is the server's or the kernel's. The clock runs from the word to begin until the way of the answer is
closed and nothing can be added to it, or until the child is gone if it stays; processor time and memory are what the
kernel says of the child. None of them is read from anything a snippet can write.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Mapping

from . import event_counter, scratch
from .child import BEGIN, LENGTH, READY
from .isolation.private_memory import PrivateMemory

CHUNK = 65_536
LOOK_EVERY = 0.2
"""Seconds between two looks at all that lies in the folder."""
SPACE_EVERY = 0.02
"""Seconds between two looks at what its file system holds, which costs next to nothing."""
LINGER, LINGER_SHARE = 0.05, 0.25
"""Seconds, and share of its time, that the kernel may take to end a child that has answered. One that stays longer is
counted to its end."""


class Stream:
    """One pipe: the first bytes are kept, all are counted."""

    def __init__(self, fd: int, keep: int) -> None:
        self.fd = fd
        self.keep = keep
        self.memory = PrivateMemory(keep + CHUNK)
        self.total = 0
        self.open = True

    def read(self) -> None:
        try:
            count = self.memory.read(self.fd, CHUNK)
        except BlockingIOError:
            return
        self.open = count > 0
        self.total += count
        self.memory.used = min(self.memory.used, self.keep)

    def counter(self) -> int:
        """The counter that the child offers before anything else, -1 if it has none."""
        first, found = event_counter.receive(self.fd)
        self.open = bool(first)
        if first and first != event_counter.MARK:  # it failed before, and says why
            self.memory.add(first)
            self.total += 1
        return found

    def view(self) -> memoryview:
        return self.memory.view()

    def drain(self) -> None:
        """What is left after the writer's end, within reason."""
        while self.open and self.total <= 2 * self.keep + CHUNK:
            before = self.total
            self.read()
            if self.total == before:
                return


class Watch:
    """One child from its fork to its burial."""

    def __init__(
        self,
        pid: int,
        pipes: tuple[int, int, int],
        limits: Mapping[str, float],
        folder: str,
        *,
        counts: bool = False,
        timed: bool = False,
        own_space: bool = False,
    ) -> None:
        self.pid = pid
        self.space = scratch.Space(folder, own=own_space)
        self.timed = timed
        self._delay_before = self._own_delay = 0.0
        self._waited: tuple[float, float] | None = None
        self.counter = -1
        self._counter_due = counts
        self.limits = limits
        self.folder = folder
        self.result = Stream(pipes[0], int(limits["result"]) + BEGIN.size + LENGTH.size + 1)
        self.out = Stream(pipes[1], int(limits["output"]))
        self.err = Stream(pipes[2], int(limits["output"]))
        self.begin: tuple[float, float, int] | None = None
        """When it was let go, and the processor seconds and peak memory it had used by then."""
        self.end: tuple[float, float] | None = None
        """When the way of its answer was closed, and the processor seconds it had used by then."""
        self.stopped = ""

    def let_go(self, control: int, release: Callable[[], None]) -> None:
        """Wait until it is ready, start the clock, then give the word. What it says of itself is from before the
        snippet runs."""
        os.set_blocking(self.result.fd, False)
        poll = select.poll()
        poll.register(self.result.fd, select.POLLIN)
        poll.register(control, 0)
        deadline = time.monotonic() + self.limits["wall"]
        while self.result.open and not self.stopped and self.begin is None:
            left = deadline - time.monotonic()
            ready = {fd for fd, _ in poll.poll(max(0.0, left) * 1000 + 1)}
            self._end_with_the_host(control in ready)
            if self._counter_due and self.result.fd in ready:
                self.counter, self._counter_due = self.result.counter(), False
                continue
            self.result.read()
            said = self.result.view()
            if len(said) >= BEGIN.size and said[:1] == READY:
                _, processor, peak = BEGIN.unpack_from(said)
                processor = self._processor_time() or processor  # the kernel's rusage may be late by a tick
                if self.counter >= 0:
                    event_counter.start(self.counter)
                self.space.begin()
                self._delay_before = run_delay(str(self.pid)) if self.timed else 0.0
                self.begin = time.monotonic(), processor, peak
                release()
            elif left <= 0:
                self.stopped = "time"

    def until_the_end(
        self, control: int, answered: Callable[[], None], kill_the_rest: Callable[[], None]
    ) -> dict[str, object]:
        """Wait, limit, kill, bury; what is known of it. ``answered`` is called once it can add nothing to its
        answer."""
        start = self.begin[0] if self.begin is not None else time.monotonic()
        deadline, look = start + self.limits["wall"], start + LOOK_EVERY
        every = SPACE_EVERY if self.space.own else LOOK_EVERY
        poll = select.poll()
        for stream in (self.result, self.out, self.err):
            os.set_blocking(stream.fd, False)
            poll.register(stream.fd, select.POLLIN)
        poll.register(control, 0)
        exit_fd = os.pidfd_open(self.pid) if hasattr(os, "pidfd_open") else -1
        if exit_fd >= 0:
            poll.register(exit_fd, select.POLLIN)
        try:
            while not self.stopped:
                now = time.monotonic()
                if now >= deadline:
                    self.stopped = "time"
                elif now >= look:
                    look = now + LOOK_EVERY
                    self._measure_folder()
                self._measure_space()
                wait = min(deadline - now, look - now, every) if exit_fd >= 0 else 0.005
                self._own_delay = run_delay("self") if self.timed else 0.0
                ready = {fd for fd, _ in poll.poll(max(0.0, wait) * 1000 + 1)}
                self._end_with_the_host(control in ready)
                for stream in (self.result, self.out, self.err):
                    if stream.fd in ready:
                        stream.read()
                        if not stream.open:
                            poll.unregister(stream.fd)
                if not self.result.open and self.end is None:
                    self.end = time.monotonic(), self._processor_time()
                    self._waited = self._waiting()
                    self._measure_space()
                    answered()
                self._limit_output()
                if exit_fd in ready or (exit_fd < 0 and _has_ended(self.pid)):
                    break
        finally:
            if exit_fd >= 0:
                os.close(exit_fd)
        return self._bury(kill_the_rest)

    def _end_with_the_host(self, gone: bool) -> None:
        if gone:
            os.kill(self.pid, signal.SIGKILL)
            os._exit(0)

    def _processor_time(self) -> float:
        """Of the child with all its threads, up to now; 0 when it is gone."""
        try:
            return time.clock_gettime((~self.pid << 3) | 2)
        except OSError:
            return 0.0

    def _waiting(self) -> tuple[float, float]:
        """Seconds in which no processor was free for the child since it was let go, and for this server since it last
        began to wait for the child."""
        if not self.timed:
            return 0.0, 0.0
        return run_delay(str(self.pid)) - self._delay_before, run_delay("self") - self._own_delay

    def _busy(self, wall: float, processor: float, waited: tuple[float, float]) -> float:
        """Seconds without those in which no processor was free. Never less than what all its threads computed, so that
        code gains nothing by keeping processors from itself; what it computed while this server woke up late is the
        kernel taking it apart."""
        if not self.timed or self.begin is None:
            return 0.0
        child, server = waited
        return max(0.0, wall - child - server, processor - server)

    def _limit_output(self) -> None:
        if self.result.total > self.limits["result"] + BEGIN.size + LENGTH.size:
            self.stopped = "result"
        elif max(self.out.total, self.err.total) > self.limits["flood"]:
            self.stopped = "output"

    def _measure_folder(self) -> None:
        size, entries = scratch.size(self.folder, scratch.ENTRIES)
        if size > self.limits["files"] or entries > scratch.ENTRIES:
            self.stopped = self.stopped or "files"
        if not self.space.own:
            self.space.look()

    def _measure_space(self) -> None:
        if self.space.own and self.space.look() > self.limits["files"]:
            self.stopped = self.stopped or "files"

    def _bury(self, kill_the_rest: Callable[[], None]) -> dict[str, object]:
        """Kill the child and whatever it left running, then read what is still in the pipes."""
        for kill in (os.kill, os.killpg):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(self.pid, signal.SIGKILL)
        waited = self._waiting()
        if self.begin is not None:
            self._measure_space()
        _, status, used = os.wait4(self.pid, 0)
        gone = time.monotonic()
        kill_the_rest()
        for stream in (self.result, self.out, self.err):
            stream.drain()
        if not self.stopped:
            self._limit_output()
            self._measure_folder()
        began, processor, peak = self.begin or (gone, 0.0, 0)
        if self.end is not None and gone - self.end[0] > max(LINGER, LINGER_SHARE * (self.end[0] - began)):
            self.end = None
        if self.end is not None and self._waited is not None:
            waited = self._waited
        ended, processor_then = self.end or (gone, 0.0)
        processor_then = processor_then or used.ru_utime + used.ru_stime
        return {
            "stopped": self.stopped,
            "begun": self.begin is not None,
            "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1,
            "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
            "wall": max(0.0, ended - began) if self.begin is not None else 0.0,
            "cpu": max(0.0, processor_then - processor),
            "busy": self._busy(ended - began, max(0.0, processor_then - processor), waited),
            "peak": max(0, used.ru_maxrss * 1024 - peak) + self.space.most,
            "counted": event_counter.value(self.counter) if self.counter >= 0 else None,
            "cut": [self.out.total > self.out.keep, self.err.total > self.err.keep],
        }

    def close(self) -> None:
        if self.counter >= 0:
            os.close(self.counter)

    def parts(self) -> tuple[memoryview, memoryview, memoryview]:
        """Output, errors, and the message as the child wrote it; before it began, why it could not."""
        start = BEGIN.size if self.begin is not None else 0
        return self.out.view(), self.err.view(), self.result.memory.view(start)


def run_delay(pid: str) -> float:
    """Seconds that a process could have run and no processor was free, as the kernel counts them; 0 if it does not."""
    try:
        with open(f"/proc/{pid}/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def _has_ended(pid: int) -> bool:
    """Whether it is a zombie by now, left as one for wait4."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
