"""One server as the host sees it: tables go in, snippets go in, outcomes come out; the host's clock has the last
word."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Annotated

import msgspec

from karat.core.problems import UserError
from karat.sandbox.interpreter import Interpreter
from karat.sandbox.launching import SNAPSHOT_PROCESSES, start
from karat.sandbox.layers import Plan
from karat.sandbox.messages.connection import Connection, Gone, Late, read_what_is_there
from karat.sandbox.messages.messages import Facts, judge
from karat.sandbox.records import Counter, Limits, Outcome, WrittenFile
from karat.sandbox.server.frames import frame
from karat.sandbox.server.results.written_files import MOST_BYTES
from karat.sandbox.tables import GivenTable

START = 60.0
LOAD = 120.0
GRACE = 5.0
"""Seconds that a server may be late with a snippet before it is taken for lost."""
SLACK = 1024**2
PLOTS = re.compile(r"matplotlib|seaborn|pyplot|\bplt\b|\.plot\b|\.hist\(|\.boxplot\(")
"""Code that probably draws."""
LIBRARIES = re.compile(r"\b(?:duckdb|polars|seaborn|plotly|altair)\b")
"""What code may import beside pandas and numpy, and takes long to import."""
MODULES = {"plotly": "plotly.express"}
"""What is imported for a library whose name alone imports little."""


_Short = Annotated[str, msgspec.Meta(max_length=100)]


class Ready(msgspec.Struct, frozen=True):
    """The server's first word: what the results depend on."""

    python: _Short
    pandas: _Short = ""
    """Empty: the environment has none."""
    numpy: _Short = ""


class Answered(msgspec.Struct, frozen=True):
    """What a server says of a step of a session."""

    outcome: Outcome
    snapshot: int
    """The server's number for the state that it left; below 0 when there is none to fork."""
    ended: bool
    """Whether the code came to its end, so that there is a state, be it only to be made again."""
    message: bytes


class _Begun(msgspec.Struct, frozen=True):
    need: tuple[str, ...] = ()
    forks: bool = False
    trouble: str = ""


class _Loaded(msgspec.Struct, frozen=True):
    error: str


class Lost(Exception):
    """The server ended or went silent."""


class Server:
    """Started by its construction; used by one thread at a time."""

    def __init__(self, plan: Plan, python: Interpreter, limits: Limits) -> None:
        self._plan = plan
        self._limits = limits
        self._started = start(plan, python, limits)
        process = self._started.process
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise AssertionError("the server was started without its pipes")
        self.pid = process.pid
        self.used = time.monotonic()
        """When it last had work."""
        self._connection = Connection(process.stdout.fileno(), process.stdin.fileno())
        self._memory_kills = 0
        self._draws = False
        self._imported: set[str] = set()
        try:
            head, _ = self._connection.receive(time.monotonic() + START, 0)
            self.ready = msgspec.json.decode(head, type=Ready)
        except (Gone, Late, msgspec.DecodeError) as error:
            said = read_what_is_there(process.stderr.fileno())
            self.close()
            late = isinstance(error, Late)
            silent = f"it said nothing for {START:g} seconds" if late else "it ended without a message"
            why = said.splitlines()[-1][:300] if said else silent
            hint = "" if not late else "The machine may be too busy: try again with fewer workers. "
            hint += (
                f"{python.command} and its packages must be readable for an unprivileged user. "
                "`karat doctor` shows the layers."
            )
            raise UserError(f"the sandbox's server did not start: {why}", hint=hint) from error

    def close(self) -> None:
        self._started.end()

    def run(
        self,
        code: str,
        tables: Sequence[GivenTable],
        limits: Limits,
        files: Sequence[str] = (),
        counter: Counter | None = None,
        timed: bool = False,
    ) -> Outcome:
        """One snippet, and the bytes of these files that it wrote. :class:`Lost` when the server is of no more use."""
        wire, asked = self._wire(limits), _asked(tables)
        head = {
            "do": "run",
            "tables": asked,
            "limits": wire,
            "mentions_csv": "csv" in code.lower(),
            "files": list(files),
            "counter": counter,
            "timed": timed,
        }
        request = frame(head, code.encode("utf-8", "replace"))
        self._prepare(code, draws=bool(limits.figures))
        most = 2 * limits.output + limits.result + SLACK + (MOST_BYTES if files else 0)
        for _ in range(2):
            facts, body = self._ask(request, limits.wall + GRACE, most)
            if not facts.need:
                return self._outcome(facts, body, limits)
            self._send_tables([table for table in tables if table.digest in facts.need], tables)
        raise Lost("the server keeps requesting tables that it already has")

    def _prepare(self, code: str, *, draws: bool = False) -> None:
        """Import once, in the server, what code seems to need: in every child it would take longer than most snippets
        may."""
        if not self._draws and (draws or PLOTS.search(code)):
            self._prepare_drawing()
        wanted = {MODULES.get(name, name) for name in LIBRARIES.findall(code)} - self._imported
        if wanted:
            self._import(sorted(wanted))

    def begin_session(self, tables: Sequence[GivenTable], limits: Limits, code: str, *, fork: bool) -> bool:
        """A session over these tables; whether its states can be forked. :class:`Lost` when there is none.

        ``code``: what is known of the code that will run, to make ready what it needs.
        """
        self._prepare(code, draws=bool(limits.figures))
        head = {
            "do": "session",
            "tables": _asked(tables),
            "limits": self._wire(limits, SNAPSHOT_PROCESSES),
            "mentions_csv": True,
            "fork": fork,
        }
        for _ in range(2):
            deadline = time.monotonic() + START
            try:
                self._connection.send(frame(head), deadline)
                begun = msgspec.json.decode(self._connection.receive(deadline, SLACK)[0], type=_Begun)
            except (Gone, Late, msgspec.DecodeError) as error:
                raise Lost("the server died while opening a session") from error
            if begun.trouble:
                raise UserError(f"the sandbox could not open a session: {begun.trouble[:300]}")
            if not begun.need:
                return begun.forks
            self._send_tables([table for table in tables if table.digest in begun.need], tables)
        raise Lost("the server keeps requesting tables that it already has")

    def step(
        self,
        code: str,
        limits: Limits,
        *,
        after: int,
        number: int,
        drop: Sequence[int] = (),
        in_place: bool = False,
        goes_on: bool = False,
        files: Sequence[str] = (),
    ) -> Answered | None:
        """One step after a snapshot of the session, and the bytes of these files as it left them; None when the
        snapshot is not there or cannot be forked.

        ``in_place`` uses the snapshot up; ``goes_on``: another step will be run in the same process.
        """
        head = {
            "do": "step",
            "limits": self._wire(limits),
            "after": after,
            "number": number,
            "drop": list(drop),
            "in_place": in_place,
            "in_place_next": goes_on,
            "files": list(files),
        }
        most = 2 * limits.output + limits.result + SLACK + (MOST_BYTES if files else 0)
        facts, body = self._ask(frame(head, code.encode("utf-8", "replace")), limits.wall + GRACE + START, most)
        if facts.lost:
            return None
        outcome = self._outcome(facts, body, limits)
        return Answered(outcome, facts.snapshot, facts.ended, body[sum(facts.parts[:2]) : sum(facts.parts[:3])])

    def end_session(self) -> None:
        """Nothing of it stays in the server."""
        deadline = time.monotonic() + GRACE
        try:
            self._connection.send(frame({"do": "end"}), deadline)
            self._connection.receive(deadline, SLACK)
        except Gone as error:
            raise Lost("the server died while ending a session") from error

    def _wire(self, limits: Limits, more_processes: int = 0) -> dict[str, object]:
        processes = limits.threads + 8 + more_processes if self._plan.own_user else 0
        return {**msgspec.to_builtins(limits), "processes": processes}

    def _ask(self, request: bytes, seconds: float, most: int) -> tuple[Facts, bytes]:
        began = time.monotonic()
        deadline = began + seconds
        try:
            self._connection.send(request, deadline)
            head, body = self._connection.receive(deadline, most)
            facts = msgspec.json.decode(head, type=Facts)
        except (Gone, msgspec.DecodeError) as error:
            raise Lost("the server died while running this") from error
        if sum(facts.parts) != len(body) or min(facts.parts, default=0) < 0:
            raise Lost("the server sent an unknown message")
        if facts.wall > time.monotonic() - began:
            raise Lost("the server reports more time than has passed")
        return facts, body

    def _outcome(self, facts: Facts, body: bytes, limits: Limits) -> Outcome:
        if len(facts.parts) != 3 + sum(file.read for file in facts.files):
            raise Lost("the server sent an unknown message")
        ends = list(accumulate(facts.parts, initial=0))
        out, err, message, *contents = (body[start:end] for start, end in pairwise(ends))
        if not facts.begun and message[:1] == b"E":
            raise UserError(f"the sandbox could not set up its isolation: {message[1:300].decode(errors='replace')}")
        kills = self._started.cgroup.kills() if facts.signal else self._memory_kills
        out_of_memory, self._memory_kills = kills > self._memory_kills, kills
        outcome = judge(facts, out, err, message, limits, out_of_memory=out_of_memory)
        left = iter(contents)
        files = [
            WrittenFile(file.name, file.size, file.problem, next(left) if file.read else None) for file in facts.files
        ]
        return msgspec.structs.replace(outcome, files=tuple(files))

    def _prepare_drawing(self) -> None:
        """Import matplotlib in the server, once: in every child it would take longer than most snippets may."""
        self._request({"do": "drawing"}, "importing matplotlib")
        self._draws = True

    def _import(self, names: Sequence[str]) -> None:
        """Import libraries in the server, once."""
        self._request({"do": "import", "names": list(names)}, f"importing {', '.join(names)}")
        self._imported.update(names)

    def _request(self, head: dict[str, object], what: str) -> None:
        """A request that is answered with a bare word."""
        deadline = time.monotonic() + LOAD
        try:
            self._connection.send(frame(head), deadline)
            self._connection.receive(deadline, SLACK)
        except (Gone, Late) as error:
            raise Lost(f"the server died while {what}") from error

    def _send_tables(self, missing: Sequence[GivenTable], all_of_them: Sequence[GivenTable]) -> None:
        keep = [table.digest for table in all_of_them]
        for table in missing:
            deadline = time.monotonic() + LOAD
            head: dict[str, object] = {"do": "table", "digest": table.digest, "kind": table.kind, "keep": keep}
            try:
                self._connection.send(frame(head, table.bytes()), deadline)
                answer, _ = self._connection.receive(deadline, SLACK)
                loaded = msgspec.json.decode(answer, type=_Loaded)
            except (Gone, Late, msgspec.DecodeError) as error:
                raise Lost(f'the server was lost while reading the table "{table.name}"') from error
            if loaded.error:
                raise UserError(f'the table "{table.name}" cannot be read: {loaded.error}')


def _asked(tables: Sequence[GivenTable]) -> list[dict[str, object]]:
    return [{"name": t.name, "digest": t.digest, "kind": t.kind, "files": t.files} for t in tables]
