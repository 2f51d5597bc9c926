"""The sandbox as it is used: one server or several, kept warm, replaced when lost."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType

import msgspec

from karat.core.problems import UserError
from karat.sandbox.idle import make_room, watch
from karat.sandbox.interpreter import interpreter
from karat.sandbox.known_answers import Unclear, trouble
from karat.sandbox.layers import Name, plan
from karat.sandbox.messages.connection import Late
from karat.sandbox.records import Counter, Layer, Limits, Measurement, Outcome
from karat.sandbox.server_process import Lost, Ready, Server
from karat.sandbox.session import BoxSession
from karat.sandbox.tables import GivenTable, Shelf, TableSource


class Job(msgspec.Struct, frozen=True):
    """One snippet for :meth:`Sandbox.run_many`.

    >>> from karat import sandbox
    >>> job = sandbox.Job("result = df.price.sum()", {"sales": {"price": [1, 2]}})
    >>> list(job.tables)
    ['sales']
    """

    code: str
    """The snippet."""
    tables: Mapping[str, TableSource] = {}
    """Name → the table it gets under that name."""
    limits: Limits | None = None
    """Its limits; by default those of the sandbox."""


def _measurement(outcomes: Sequence[Outcome]) -> Measurement:
    good = [outcome for outcome in outcomes if outcome.ok]
    return Measurement(
        outcome=next((outcome for outcome in outcomes if not outcome.ok), outcomes[0]),
        walls=tuple(outcome.wall for outcome in good),
        cpus=tuple(outcome.cpu for outcome in good),
        peaks=tuple(outcome.peak_memory for outcome in good),
        same=len(good) == len(outcomes) and all(outcome.result == good[0].result for outcome in good),
    )


class Sandbox:
    """Warm, isolated servers. Use it with ``with``; several threads may use it at once.

    ``python`` names another interpreter. ``unsafe`` runs code although too few sandbox layers work. ``without`` leaves
    layers out, which is for tests of the others. ``environment`` is the name by which people know the interpreter.
    Servers without work for ``idle`` seconds are stopped, and started again when there is some; None: they stay.
    ``verify`` has each server that starts compute what the host knows, and raises UserError where it comes out wrong.

    >>> from karat import sandbox
    >>> with sandbox.Sandbox() as box:
    ...     [box.run(f"result = {number} ** 2", {}).result for number in (2, 3)]
    [4, 9]
    """

    def __init__(
        self,
        *,
        workers: int = 1,
        limits: Limits | None = None,
        python: str = "",
        unsafe: bool = False,
        without: Collection[Name] = (),
        environment: str = "",
        idle: float | None = None,
        verify: bool = False,
    ) -> None:
        self.limits = limits or Limits()
        self.environment, self.idle = environment, idle
        self.workers = max(1, workers)
        self._without, self._unsafe, self._verify = tuple(without), unsafe, verify
        self.layers: tuple[Layer, ...] = plan(self._without, unsafe=unsafe).layers
        self._python = interpreter(python)
        self._foreign = bool(python)
        self._wrong: UserError | None = None
        self._beside: Sandbox | None = None
        self._making = threading.Lock()
        self._shelf = Shelf()
        self._servers: queue.LifoQueue[Server | None] = queue.LifoQueue()
        for _ in range(self.workers):
            self._servers.put(None)
        self._open = True
        self._ready: Ready | None = None
        watch(self)

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all servers. Waits for snippets that are running."""
        if self._open:
            self._open = False
            for _ in range(self.workers):
                server = self._servers.get()
                if server is not None:
                    server.close()
            if self._beside is not None:
                self._beside.close()

    def apart(self) -> Sandbox:
        """Servers of the same environment that run what is trusted: references and hidden tests. Its packages can carry
        nothing from there to an answer. Karat's own Python needs none: this sandbox itself."""
        if not self._foreign:
            return self
        with self._making:
            if self._beside is None:
                self._beside = Sandbox(
                    workers=self.workers,
                    limits=self.limits,
                    python=self._python.command,
                    unsafe=self._unsafe,
                    without=self._without,
                    environment=self.environment,
                    idle=self.idle,
                    verify=self._verify,
                )
                self._beside._beside = self._beside  # what runs there may ask for what runs there
            return self._beside

    def run(
        self,
        code: str,
        tables: Mapping[str, TableSource] | None = None,
        *,
        limits: Limits | None = None,
        files: Sequence[str] = (),
    ) -> Outcome:
        """One snippet over these tables. Whatever the code does is in the outcome; only a mistake of the caller
        raises. ``files`` are names of files it may write whose bytes are wanted."""
        return self._run(code, self._shelf.tables(tables or {}), limits or self.limits, tuple(files))

    def run_many(self, jobs: Iterable[Job]) -> Iterator[Outcome]:
        """All of them, spread over the servers, the outcomes in the order of the jobs."""
        with ThreadPoolExecutor(self.workers) as threads:
            yield from threads.map(lambda job: self.run(job.code, job.tables, limits=job.limits), jobs)

    def measure(
        self,
        code: str,
        tables: Mapping[str, TableSource] | None = None,
        *,
        repeats: int = 5,
        limits: Limits | None = None,
    ) -> Measurement:
        """The same code several times on one server, for medians.

        Every repeat is a child of its own with the tables as they were: code cannot remember its answer from the time
        before, and the clock is the server's, not the code's.
        """
        given = self._shelf.tables(tables or {})
        return _measurement([self._run(code, given, limits or self.limits) for _ in range(repeats + 1)][1:])

    def over(
        self,
        tables: Mapping[str, TableSource] | None = None,
        *,
        limits: Limits | None = None,
        counter: Counter | None = None,
    ) -> Callable[[str], Outcome]:
        """A function that runs code over these tables, for measurements: the tables are looked at only once, and
        :attr:`Outcome.busy` is filled in.

        ``counter``: what the kernel is to count while the code runs, see :attr:`Outcome.counted`.
        """
        given, kept = self._shelf.tables(tables or {}), limits or self.limits
        return lambda code: self._run(code, given, kept, counter=counter, timed=True)

    def session(
        self,
        tables: Mapping[str, TableSource] | None = None,
        *,
        limits: Limits | None = None,
        fork: bool = True,
        code: str = "",
    ) -> BoxSession:
        """Steps over these tables that build on each other, see :class:`BoxSession`. It takes one server to itself.

        ``fork``: keep states as sleeping processes where this machine allows it; without it, steps are run again.
        ``code``: what is known of the code that will run, so that the libraries it needs are imported before.
        """
        return BoxSession(self, self._shelf.tables(tables or {}), limits or self.limits, fork=fork, code=code)

    def versions(self) -> Ready:
        """Python, pandas and numpy of the servers: results depend on them."""
        if self._ready is None:
            self._servers.put(self.take())
        if self._ready is None:
            raise AssertionError("a server that has started has said what it is")
        return self._ready

    def release_idle(self, since: float) -> int:
        """Stop the servers that have had no work since then; how many they were."""
        held: list[Server | None] = []
        with contextlib.suppress(queue.Empty):
            while True:
                held.append(self._servers.get_nowait())
        released = 0
        for server in reversed(held):
            if server is not None and server.used <= since:
                server.close()
                released += 1
                self._servers.put(None)
            else:
                self._servers.put(server)
        return released

    def server_pids(self) -> tuple[int, ...]:
        """The outermost process of each server that is running and idle."""
        return tuple(server.pid for server in list(self._servers.queue) if server is not None)

    def take(self) -> Server:
        """A server for one user; :meth:`put` gives it back."""
        if not self._open:
            raise RuntimeError("the sandbox is closed")
        server = self._servers.get()
        if server is not None:
            return server
        try:
            if self._wrong is not None:
                raise self._wrong
            make_room(self)
            started = Server(plan(self._without, unsafe=self._unsafe), self._python, self.limits)
            self._ready = started.ready
            if self._verify:
                self._check(started)
            return started
        except BaseException:
            self._servers.put(None)
            raise

    def _check(self, server: Server) -> None:
        """Raises UserError where the server does not compute what it is asked."""
        name = f'the environment "{self.environment}"' if self.environment else self._python.command
        try:
            wrong = trouble(server.run, self.limits, pandas=bool(server.ready.pandas))
        except UserError as error:
            wrong = f"a table came out as an error: {error.message}"
        except (Late, Lost, Unclear) as error:
            server.close()
            hint = "The machine may be too busy: try again with fewer workers."
            raise UserError(f"{name} could not be checked: it took too long", hint=hint) from error
        if wrong:
            server.close()
            self._wrong = UserError(
                f"{name} gives wrong results: {wrong}",
                hint="One of its packages changes Python or pandas. Look at its .pth files and its sitecustomize.",
            )
            raise self._wrong

    def put(self, server: Server | None) -> None:
        """Give a server back; None when it was lost."""
        if server is not None:
            server.used = time.monotonic()
        self._servers.put(server)

    def _run(
        self,
        code: str,
        tables: tuple[GivenTable, ...],
        limits: Limits,
        files: tuple[str, ...] = (),
        counter: Counter | None = None,
        timed: bool = False,
    ) -> Outcome:
        server = self.take()
        kept: Server | None = None
        try:
            outcome = server.run(code, tables, limits, files, counter, timed)
            kept = server
        except Late:
            outcome = Outcome(
                "timeout", wall=limits.wall, detail="stopped together with its server, which stopped responding"
            )
        except UserError:  # a table that cannot be read: the server is as good as before
            kept = server
            raise
        except Lost as lost:
            outcome = Outcome("server_died", detail=str(lost))
        finally:
            if kept is None:
                server.close()
            self.put(kept)
        return outcome


def run(
    code: str,
    tables: Mapping[str, TableSource] | None = None,
    *,
    limits: Limits | None = None,
    python: str = "",
    unsafe: bool = False,
) -> Outcome:
    """Run one snippet in a sandbox of its own, which takes about a second to start. To run several, keep a
    :class:`Sandbox` open.

    >>> from karat import sandbox
    >>> sandbox.run("result = df.price.sum()", {"sales": {"price": [1, 2, 3]}}).result
    6
    """
    with Sandbox(limits=limits, python=python, unsafe=unsafe) as box:
        return box.run(code, tables)
