"""Watching one step of a session, from the moment its code is sent until its process is stopped or gone.

Every figure is the server's or the kernel's, and none waits for a word of the process: one that ran an earlier step may
say anything. So the clock starts before the code is sent, and stops when the message is complete; then the process is
stopped before anything else is done.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import time
from collections.abc import Mapping

from .. import scratch
from ..child import LENGTH
from ..isolation.private_memory import PrivateMemory
from ..watching import LOOK_EVERY, SPACE_EVERY, Stream
from .fork_gate import Gate


class StepWatch:
    """One step. ``alive`` says afterwards whether its process is there, stopped, with its answer given."""

    def __init__(
        self,
        pid: int,
        pipes: tuple[int, int, int],
        go: int,
        limits: Mapping[str, float],
        space: scratch.Space,
        gate: Gate | None,
    ) -> None:
        self.pid, self.go, self.limits, self.space, self.gate = pid, go, limits, space, gate
        self.result = Stream(pipes[0], int(limits["result"]) + LENGTH.size + 1)
        self.out = Stream(pipes[1], int(limits["output"]))
        self.err = Stream(pipes[2], int(limits["output"]))
        self.stopped = ""
        self.alive = False

    def run(self, control: int, head: bytes, code: PrivateMemory) -> dict[str, object]:
        """Send the step, wait, limit, stop or bury; what is known of it."""
        start, processor, before = time.monotonic(), processor_time(self.pid), memory(self.pid)
        self.space.begin()
        self._until_answered(control, start, [memoryview(head), code.view()])
        end, used = time.monotonic(), processor_time(self.pid)
        self._measure_folder()
        self._measure_space()
        gone = None if self._complete() and not self.stopped and stop(self.pid) else bury(self.pid)
        for stream in (self.out, self.err, self.result):
            stream.drain()
        held = memory(self.pid) if gone is None else {}
        self._limit_output()
        self.alive = gone is None and not self.stopped
        status, rusage = gone or (0, None)
        if rusage is not None:
            used = max(used, rusage.ru_utime + rusage.ru_stime)
            held = {"VmHWM": rusage.ru_maxrss * 1024, "VmRSS": 0}
        return {
            "stopped": self.stopped,
            "begun": True,
            "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1,
            "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
            "wall": max(0.0, end - start),
            "cpu": max(0.0, used - processor),
            "peak": most_memory(before, held) + self.space.most,
            "cut": [self.out.total > self.out.keep, self.err.total > self.err.keep],
        }

    def parts(self) -> tuple[memoryview, memoryview, memoryview]:
        """Output, errors, and the message as the process wrote it."""
        return self.out.view(), self.err.view(), self.result.view()

    def _until_answered(self, control: int, start: float, waiting: list[memoryview]) -> None:
        deadline, look = start + self.limits["wall"], start + LOOK_EVERY
        every = SPACE_EVERY if self.space.own else LOOK_EVERY
        poll = select.poll()
        for stream in (self.result, self.out, self.err):
            os.set_blocking(stream.fd, False)
            poll.register(stream.fd, select.POLLIN)
        poll.register(control, 0)
        poll.register(self.go, select.POLLOUT)
        exit_fd = os.pidfd_open(self.pid)
        poll.register(exit_fd, select.POLLIN)
        if self.gate is not None:
            poll.register(self.gate.fd, select.POLLIN)
        try:
            while not self.stopped and not self._complete():
                now = time.monotonic()
                if now >= deadline:
                    self.stopped = "time"
                    break
                if now >= look:
                    look = now + LOOK_EVERY
                    self._measure_folder()
                self._measure_space()
                wait = min(deadline - now, look - now, every)
                ready = {fd for fd, _ in poll.poll(max(0.0, wait) * 1000 + 1)}
                if control in ready:
                    os._exit(0)  # the host is gone, and with this process all others in its namespace
                if self.gate is not None and self.gate.fd in ready:
                    self.gate.refuse_waiting()
                if self.go in ready and not self._send(waiting):
                    poll.unregister(self.go)
                for stream in (self.result, self.out, self.err):
                    if stream.fd in ready:
                        stream.read()
                        if not stream.open:
                            poll.unregister(stream.fd)
                self._limit_output()
                if exit_fd in ready:
                    break
        finally:
            os.close(exit_fd)
        self.result.drain()

    def _send(self, waiting: list[memoryview]) -> bool:
        """As much as the pipe takes; whether there is more. A process that does not read must not hold up the
        server."""
        while waiting:
            try:
                waiting[0] = waiting[0][os.write(self.go, waiting[0][:65_536]) :] if waiting[0] else waiting[0]
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not waiting[0]:
                waiting.pop(0)
        return False

    def _complete(self) -> bool:
        said = self.result.view()
        return len(said) >= LENGTH.size and self.result.total >= LENGTH.size + LENGTH.unpack_from(said)[0]

    def _limit_output(self) -> None:
        said = self.result.view()
        claimed = LENGTH.unpack_from(said)[0] if len(said) >= LENGTH.size else 0
        if max(self.result.total - LENGTH.size, claimed) > self.limits["result"]:
            self.stopped = self.stopped or "result"
        elif max(self.out.total, self.err.total) > self.limits["flood"]:
            self.stopped = self.stopped or "output"

    def _measure_folder(self) -> None:
        size, entries = scratch.size(self.space.folder, scratch.ENTRIES)
        if size > self.limits["files"] or entries > scratch.ENTRIES:
            self.stopped = self.stopped or "files"
        if not self.space.own:
            self.space.look()

    def _measure_space(self) -> None:
        if self.space.own and self.space.look() > self.limits["files"]:
            self.stopped = self.stopped or "files"


def most_memory(before: Mapping[str, int], after: Mapping[str, int]) -> int:
    """The most bytes that a process held beyond those it began a step with. A process that runs several steps keeps
    the most it ever held: where this step did not exceed it, what the step left is all that is known."""
    most = after["VmHWM"] if after["VmHWM"] > before["VmHWM"] else after["VmRSS"]
    return max(0, most - before["VmRSS"])


def stop(pid: int) -> bool:
    """Stop a process with all its threads; False when it has ended. Nothing wakes it but the server: no process of a
    session can send a signal."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
    found = os.waitid(os.P_PID, pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    if found is None or found.si_code != os.CLD_STOPPED:
        return False
    os.waitid(os.P_PID, pid, os.WSTOPPED)
    return True


def bury(pid: int) -> tuple[int, resource.struct_rusage]:
    """Kill a child of the server; its status and what it used."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    _, status, used = os.wait4(pid, 0)
    return status, used


def processor_time(pid: int) -> float:
    """Of a process with all its threads, up to now; 0 when it is gone."""
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


def memory(pid: int) -> dict[str, int]:
    """What the kernel says of its memory, in bytes: ``VmHWM`` (the most it held), ``VmRSS`` (what it holds now),
    ``RssAnon`` (its own)."""
    found = {"VmHWM": 0, "VmRSS": 0, "RssAnon": 0}
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status") as file:
        for line in file:
            name, _, rest = line.partition(":")
            if name in found:
                found[name] = int(rest.split()[0]) * 1024
    return found


def threads(pid: int) -> int:
    """How many threads it has."""
    try:
        return len(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return 0
