"""Steps that build on each other: one session in one server, its snapshots, and the steps run again where one is gone.

>>> from karat.sandbox import Sandbox
>>> with Sandbox() as box, box.session({"sales": {"price": [1, 2, 3]}}) as session:
...     first = session.step("total = df.price.sum()\\nresult = total")
...     second = session.step("result = total * 2", after=first.snapshot)
...     first.outcome.result, second.outcome.result
(6, 12)
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from types import TracebackType
from typing import Protocol

import msgspec

from karat.sandbox.messages.connection import Late
from karat.sandbox.messages.messages import NOTHING_SET
from karat.sandbox.records import Limits, Outcome
from karat.sandbox.server_process import Answered, Lost, Server
from karat.sandbox.tables import GivenTable

ROOT = 0
"""The state before the first step."""


class StepRun(msgspec.Struct, frozen=True):
    """What became of one step.

    >>> from karat import sandbox
    >>> sandbox.StepRun(sandbox.Outcome("ok", 3)).outcome.result
    3
    """

    outcome: Outcome
    """What the step did."""
    snapshot: int | None = None
    """The state that it left for the steps after it; None if it failed, which leaves no trace."""
    replayed: bool = False
    """Whether the steps before it were run again, because the state could not be forked."""
    repeatable: bool = True
    """False if they gave other results than the first time, so that this step ran on other data."""


class _State(msgspec.Struct):
    """A state as the host remembers it: enough to make it again."""

    after: int
    code: str
    limits: Limits
    digest: str
    remote: int
    """The server's number for it; -1 when it has none any more."""


class Servers(Protocol):
    """Where servers come from and go to."""

    def take(self) -> Server: ...
    def put(self, server: Server | None) -> None: ...


def _connects(code: str) -> bool:
    """Whether code may connect to DuckDB. That reads the connecting process's own ``/proc/self/cgroup`` and ends the
    process if it cannot, and no rule of Landlock can name that file for a process that is forked later."""
    return "duckdb" in code


def _crashed(outcome: Outcome) -> bool:
    """Whether a library ended the process. One that is called without its own name in the code may not work in a forked
    process, so that the step deserves a process that was never forked."""
    return outcome.status == "killed" and outcome.detail.endswith(("SIGSEGV", "SIGABRT", "SIGBUS"))


class BoxSession:
    """Steps of code that build on each other, one after the other, each in the state that the last one left.

    Use it with ``with``. It holds one server for itself: no other code runs there meanwhile.

    >>> from karat import sandbox
    >>> with sandbox.Sandbox() as box, box.session({}) as session:
    ...     first = session.step("x = 20")
    ...     session.step("result = x + 1", first.snapshot).outcome.result
    21
    """

    def __init__(
        self, servers: Servers, tables: Sequence[GivenTable], limits: Limits, *, fork: bool = True, code: str = ""
    ) -> None:
        self._servers, self._tables, self._limits = servers, tables, limits
        self._fork, self._code = fork and not _connects(code), code
        self._server: Server | None = None
        self._states: dict[int, _State] = {}
        self._next = ROOT + 1
        self._to_drop: list[int] = []
        self.forks = False
        """Whether states are forked here; else every step is run after a replay of those before it."""

    def __enter__(self) -> BoxSession:
        self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        server, self._server = self._server, None
        if server is None:
            return
        kept: Server | None = None
        try:
            server.end_session()
            kept = server
        except (Late, Lost):
            kept = None
        finally:
            if kept is None:
                server.close()
            self._servers.put(kept)

    def step(
        self,
        code: str,
        after: int | None = ROOT,
        *,
        limits: Limits | None = None,
        keep: bool = True,
        files: Sequence[str] = (),
    ) -> StepRun:
        """Run code after a state. ``keep``: whether the state that it leaves is wanted. ``files``: those in its folder
        whose bytes are."""
        if after is None or (after != ROOT and after not in self._states):
            raise ValueError("a step needs a state that an earlier step left")
        limits = limits or self._limits
        try:
            return self._step(code, after, limits, files, keep=keep)
        except Late:
            self._lose()
            return StepRun(Outcome("timeout", wall=limits.wall, detail="stopped together with its server"))
        except Lost as lost:
            self._lose()
            return StepRun(Outcome("server_died", detail=str(lost)))

    def _open(self) -> Server:
        if self._server is None:
            server = self._servers.take()
            try:
                self.forks = server.begin_session(self._tables, self._limits, self._code, fork=self._fork)
            except BaseException:
                server.close()
                self._servers.put(None)
                raise
            self._server = server
        return self._server

    def _lose(self) -> None:
        """The server with all states is gone; they are made again when they are needed."""
        if self._server is not None:
            self._server.close()
            self._servers.put(None)
            self._server = None
        for state in self._states.values():
            state.remote = -1

    def _step(self, code: str, after: int, limits: Limits, files: Sequence[str], *, keep: bool) -> StepRun:
        if self._fork and _connects(code):
            self._fork = False
            self._lose()
        server = self._open()
        remote = ROOT if after == ROOT else self._states[after].remote
        number = self._depth(after) + 1
        drop, self._to_drop = self._to_drop, []
        if self.forks and remote >= 0:
            answered = server.step(code, limits, after=remote, number=number, drop=drop, files=files)
            if answered is not None and not _crashed(answered.outcome):
                return self._kept(code, after, limits, answered, keep=keep)
            drop = []
            if answered is not None:
                self._fork = False
                self._lose()
                return self._replayed(self._open(), code, after, limits, drop, files, keep=keep)
            if after != ROOT:
                self._states[after].remote = -1
        return self._replayed(server, code, after, limits, drop, files, keep=keep)

    def _replayed(
        self,
        server: Server,
        code: str,
        after: int,
        limits: Limits,
        drop: Sequence[int],
        files: Sequence[str],
        *,
        keep: bool,
    ) -> StepRun:
        """All steps up to this one in one fresh process, one after the other."""
        remote, repeatable, dropped = ROOT, True, list(drop)
        path = self._path(after)
        for number, state in enumerate(path, start=1):
            answered = server.step(
                state.code, state.limits, after=remote, number=number, drop=dropped, in_place=True, goes_on=True
            )
            dropped = []
            if answered is None or answered.snapshot < 0:
                return self._not_again(number, answered)
            repeatable = repeatable and _digest(answered.message) == state.digest
            remote = answered.snapshot
        answered = server.step(
            code, limits, after=remote, number=len(path) + 1, drop=dropped, in_place=True, files=files
        )
        if answered is None:
            raise Lost("the server does not start a session")
        found = self._kept(code, after, limits, answered, keep=keep)
        return msgspec.structs.replace(found, replayed=bool(path), repeatable=repeatable)

    def _not_again(self, number: int, answered: Answered | None) -> StepRun:
        if answered is None:
            raise Lost("the server does not start a session")
        detail = f"step {number} ran the first time and not when it was run again: {answered.outcome.status}"
        return StepRun(Outcome("killed", detail=detail), replayed=True, repeatable=False)

    def _kept(self, code: str, after: int, limits: Limits, answered: Answered, *, keep: bool) -> StepRun:
        outcome = answered.outcome
        good = answered.ended and (outcome.ok or outcome.status == "output_limit" or outcome.detail == NOTHING_SET)
        if not good or not keep:
            if answered.snapshot >= 0:
                self._to_drop.append(answered.snapshot)
            if not good:
                return StepRun(outcome)
        number = self._next
        self._next += 1
        remote = answered.snapshot if keep else -1
        self._states[number] = _State(after, code, limits, _digest(answered.message), remote)
        return StepRun(outcome, number)

    def _path(self, state: int) -> list[_State]:
        found: list[_State] = []
        while state != ROOT:
            found.append(self._states[state])
            state = found[-1].after
        return found[::-1]

    def _depth(self, state: int) -> int:
        return len(self._path(state))


def _digest(message: bytes) -> str:
    return hashlib.sha256(message).hexdigest()
