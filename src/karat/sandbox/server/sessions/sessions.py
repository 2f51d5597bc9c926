"""A session: steps that build on each other, each in a fork of the process that ended the one before.

That process stays, stopped, as the snapshot, with a copy of its working folder. What it can do is little: it is woken
only to be forked, gets nothing of the step to come, and is stopped again before that step's code is sent. It is never
awake together with another process of the session. Where
processes cannot be forked safely (no gate, no process namespace of our own, threads), a step runs *in place*, in the
process itself, and the host replays the steps before it in a fresh one.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import socket
import time
from collections.abc import Callable, Collection
from typing import NamedTuple

from .. import scratch
from ..child import READY, Isolation
from ..forking import one_way
from ..frames import Head, begin, write_all
from ..isolation.private_memory import PrivateMemory
from ..results import written_files
from ..results.written_files import Left
from ..tables import Tables
from . import folder_copies, session_child
from .fork_gate import Gate, Notice
from .step_watch import StepWatch, bury, memory, stop, threads

MOST_SNAPSHOTS = 20
PATIENCE = 2.0
"""Seconds that a snapshot may take to be forked."""
START = 30.0
ROOT = 0
NOTHING = Left([], [])
"""The snapshot before the first step. It is made again whenever it is missing."""


class Snapshot(NamedTuple):
    """A process that waits, stopped, and what belongs to it."""

    pid: int
    go: int
    reading: tuple[int, int, int]
    gate: Gate | None
    folder: str
    """The copy of its working folder."""
    cost: int
    """Bytes that it holds beyond the one it was forked from, with its folder."""
    several_threads: bool


class Session:
    """One session, until the host ends it."""

    def __init__(
        self,
        head: Head,
        tables: Tables,
        isolation: Isolation,
        place: tuple[str, str],
        set_out: Callable[[], None],
        *,
        own_space: bool = False,
    ) -> None:
        self.head, self.tables, self.isolation = head, tables, isolation
        self.work, self.kept = place
        self.set_out = set_out
        self.own_space = own_space
        self.forks = False
        self.snapshots: dict[int, Snapshot] = {}
        self.gates: list[Gate] = []
        self.strangers: set[int] = set()
        """Children of the server that have nothing to do with the session."""
        self.next = ROOT + 1
        self.folder_of = -1
        """The snapshot whose files the working folder holds."""

    def start(self, *, gated: bool) -> str:
        """Make the first process; what is wrong when it cannot be. ``gated``: it can be forked."""
        self.forks = gated
        scratch.empty(self.work)
        self.set_out()
        result, out, err, go = one_way(), os.pipe(), os.pipe(), os.pipe()
        pid = os.fork()
        if pid == 0:
            ends = (result[1], out[1], err[1])
            session_child.main(self.tables, self.isolation, ends, go[0], gated=gated)
        for fd in (result[1], out[1], err[1], go[0]):
            os.close(fd)
        write_all(go[1], begin({"tables": self.head["tables"], "limits": self.head["limits"]}, []))
        os.set_blocking(go[1], False)
        listener = self._listener(result[0]) if gated else -1
        gate = Gate(listener) if listener >= 0 else None
        if gate is not None:
            self.gates.append(gate)
        said = _hear(result[0])
        made = Snapshot(pid, go[1], (result[0], out[0], err[0]), gate, "", 0, several_threads=False)
        if said != READY or not stop(pid) or (gated and gate is None):
            told = _setup_error(result[0], said)
            self._bury(made)
            return f"the first process of the session could not be set up: {told}"
        folder = f"{self.kept}/{self.next}"
        self.next += 1
        folder_copies.copy(self.isolation.folder, folder, int(self.head["limits"]["files"]), scratch.ENTRIES)
        self.snapshots[ROOT] = made._replace(folder=folder, several_threads=threads(pid) > 1)
        self.folder_of = ROOT
        return ""

    def _listener(self, result: int) -> int:
        with socket.socket(fileno=os.dup(result)) as way:
            way.settimeout(START)
            with contextlib.suppress(OSError):
                _, fds, _, _ = socket.recv_fds(way, 1, 1)
                return fds[0] if fds else -1
        return -1

    def step(self, head: Head, code: PrivateMemory, control: int) -> tuple[dict[str, object], StepWatch | None, Left]:
        """Run a step after a snapshot. ``lost`` says that the snapshot is not there or cannot be forked."""
        for number in head["drop"]:
            self._drop(number)
        after = int(head["after"])
        if after == ROOT and head["in_place"]:
            self._drop(ROOT)  # others may have been forked from it and hold its ends: a fresh one
        if after == ROOT and ROOT not in self.snapshots and (trouble := self.start(gated=self.forks)):
            return {"lost": True, "trouble": trouble}, None, NOTHING
        base = self.snapshots.get(after)
        if base is None or (not head["in_place"] and (base.gate is None or base.several_threads)):
            return {"lost": True}, None, NOTHING
        restored = self.folder_of != after
        if restored:
            self._restore(base)
        held = memory(base.pid)["RssAnon"]
        runner = self._taken(after) if head["in_place"] else self._fork(after, base)
        if runner is None:
            return {"lost": True}, None, NOTHING
        wanted = {name: head["limits"][name] for name in ("cells", "figures", "pictures")}
        text = begin({"restored": restored, "number": head["number"], **wanted}, [code.used])
        space = scratch.Space(self.work, own=self.own_space)
        watch = StepWatch(runner.pid, runner.reading, runner.go, head["limits"], space, runner.gate)
        self.folder_of = -1
        facts = watch.run(control, session_child.RUN + text if head["in_place"] else text, code)
        given = {name for table in self.head["tables"] for name in table["files"]}
        left = written_files.collect(self.isolation.folder, head["files"], given)
        facts["snapshot"] = self._keep(runner, watch, held, head) if watch.alive else -1
        if not watch.alive:
            self._close(runner)
        return {"lost": False, "threads": facts["snapshot"] == -2, **facts}, watch, left

    def _keep(self, runner: Snapshot, watch: StepWatch, held: int, head: Head) -> int:
        """The process that ended a step as a snapshot, and its number; -2 when it has threads and only replaying helps,
        -1 when its folder cannot be kept."""
        number = self.next
        self.next += 1
        folder = f"{self.kept}/{number}"
        several = threads(runner.pid) > 1
        try:
            size = folder_copies.copy(self.isolation.folder, folder, int(head["limits"]["files"]), scratch.ENTRIES)
        except (folder_copies.NoCopy, OSError):
            watch.stopped = "files"
            self._bury(runner._replace(folder=folder))
            return -1
        cost = size + max(0, memory(runner.pid)["RssAnon"] - held)
        made = runner._replace(folder=folder, cost=cost, several_threads=several)
        if several and not head["in_place_next"]:
            self._bury(made)
            return -2
        self.snapshots[number] = made
        self.folder_of = number
        self._make_room({int(head["after"]), number})
        return number

    def _make_room(self, needed: Collection[int]) -> None:
        """The oldest go when there are too many, or when all together hold more than the session may."""
        while len(self.snapshots) > MOST_SNAPSHOTS or (
            sum(one.cost for one in self.snapshots.values()) > self.head["limits"]["memory"]
        ):
            oldest = next((number for number in sorted(self.snapshots) if number not in needed), None)
            if oldest is None:
                return
            self._drop(oldest)

    def _taken(self, number: int) -> Snapshot:
        """The process of a snapshot itself, which is none from then on."""
        base = self.snapshots.pop(number)
        shutil.rmtree(base.folder, ignore_errors=True)
        os.kill(base.pid, signal.SIGCONT)
        return base._replace(folder="")

    def _fork(self, number: int, base: Snapshot) -> Snapshot | None:
        """A new process from a snapshot, which is stopped again before anything is sent to the new one. None, and the
        snapshot is gone, when it does not do as it should."""
        result, out, err, go = one_way(), os.pipe(), os.pipe(), os.pipe()
        theirs = (out[1], err[1], result[1], go[0])
        try:
            pid = self._forked(base, base.gate, theirs, result[0]) if base.gate is not None else 0
        finally:
            for fd in theirs:
                os.close(fd)
        if not pid:
            for fd in (go[1], result[0], out[0], err[0]):
                os.close(fd)
            self._drop(number)
            self._bury_unknown()
            return None
        os.set_blocking(go[1], False)
        return Snapshot(pid, go[1], (result[0], out[0], err[0]), base.gate, "", 0, several_threads=False)

    def _forked(self, base: Snapshot, gate: Gate, theirs: tuple[int, ...], result: int) -> int:
        """The number of the new process; 0 when there is none that may be used.

        Its first word only says when to look. That there is one new child of the server, made by the one fork that was
        let through, is for the kernel to say.
        """
        deadline = time.monotonic() + PATIENCE
        with contextlib.suppress(OSError):
            os.write(base.go, session_child.FORK)
        os.kill(base.pid, signal.SIGCONT)
        notice = gate.wait(lambda notice: notice.pid == base.pid, deadline)
        if notice is None or not self._let_through(gate, notice, theirs):
            return 0
        poll = select.poll()
        poll.register(result, select.POLLIN)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            return 0
        if not stop(base.pid) or os.read(result, 1) != READY:
            return 0
        new = [pid for pid in children() if pid not in self._known()]
        return new[0] if len(new) == 1 else 0

    def _let_through(self, gate: Gate, notice: Notice, theirs: tuple[int, ...]) -> bool:
        places = zip(theirs, session_child.GIVEN)  # noqa: B905 (Python 3.9)
        return all(gate.give(notice, fd, place) for fd, place in places) and gate.allow(notice)

    def _restore(self, base: Snapshot) -> None:
        scratch.empty(self.work)
        folder_copies.copy(base.folder, self.isolation.folder, 2**62, 2 * scratch.ENTRIES)

    def _known(self) -> set[int]:
        return {one.pid for one in self.snapshots.values()} | self.strangers

    def _bury_unknown(self) -> None:
        """Whatever else came to be a child of the server."""
        for pid in set(children()) - self._known():
            bury(pid)

    def _drop(self, number: int) -> None:
        if number in self.snapshots:
            self._bury(self.snapshots.pop(number))

    def _bury(self, one: Snapshot) -> None:
        bury(one.pid)
        self._close(one)

    def _close(self, one: Snapshot) -> None:
        for fd in (one.go, *one.reading):
            os.close(fd)
        if one.folder:
            shutil.rmtree(one.folder, ignore_errors=True)

    def end(self) -> None:
        """Nothing of it stays."""
        for number in list(self.snapshots):
            self._drop(number)
        self._bury_unknown()
        for gate in self.gates:
            gate.close()
        scratch.empty(self.work)
        scratch.empty(self.kept)


def children() -> list[int]:
    """The children of this process."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return []


def _hear(fd: int) -> bytes:
    """The first word of a process that has run nothing yet."""
    with socket.socket(fileno=os.dup(fd)) as way:
        way.settimeout(START)
        try:
            return way.recv(1)
        except OSError:
            return b""


def _setup_error(fd: int, said: bytes) -> str:
    os.set_blocking(fd, False)
    try:
        return (said[1:] + os.read(fd, 500)).decode("utf-8", "replace")
    except OSError:
        return ""
