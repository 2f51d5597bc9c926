"""What goes into a run and what comes out of it."""

from __future__ import annotations

from statistics import median
from typing import Literal, TypeAlias

import msgspec

from karat.sandbox.messages.values import Plain

MB = 1024**2

Status = Literal[
    "ok",  # it ran, and `result` is its answer
    "error",  # it raised: `error` says what and where
    "refused",  # it raised because the sandbox does not allow what it tried
    "timeout",  # its time was up
    "memory",  # it asked for more memory than allowed
    "output_limit",  # it printed or wrote more than it may
    "result_too_large",  # its answer has more cells, bytes or digits than may be sent
    "killed",  # it was ended by a signal: a crash, or its own doing
    "no_result",  # it ended and left no answer
    "bad_message",  # what it sent as its answer is no answer
    "server_died",  # the server behind it was lost; the next snippet gets a new one
]
"""How a snippet ended. `ok`: it ran. `error`: it raised an exception. `refused`: it tried what the sandbox forbids.
`timeout`, `memory`, `output_limit`, `result_too_large`: it exceeded a limit. `killed`: a signal ended it.
`no_result`: it ended without a result. `bad_message`: what it sent cannot be a result. `server_died`: its server was
lost; the next snippet gets a new one."""

Counter: TypeAlias = tuple[int, int]
"""An event that the kernel can count on a process, by its type and number in ``linux/perf_event.h``."""
INSTRUCTIONS: Counter = (0, 1)
"""The counter of the instructions that the processor executes."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one snippet may use: seconds, bytes, cells.

    >>> from karat import sandbox
    >>> sandbox.Limits(wall=5.0, memory=256 * 1024**2).wall
    5.0
    """

    wall: float = 10.0
    """Seconds."""
    memory: int = 1024 * MB
    """Bytes beyond what the server and the tables need."""
    output: int = 64 * 1024
    """Bytes of standard output, and as many of standard error, that are kept."""
    flood: int = 16 * MB
    """Bytes of output at which the snippet is stopped."""
    result: int = 64 * MB
    """Bytes of the result as it is sent."""
    cells: int = 2_000_000
    """Cells of the result."""
    files: int = 64 * MB
    """Bytes of files in its own folder."""
    threads: int = 16
    """Threads and processes."""
    figures: int = 0
    """How many figures are read while it draws them; 0: none."""
    pictures: int = 0
    """Whether figures are also drawn as pictures: 1 for yes."""


class SnippetError(msgspec.Struct, frozen=True, rename={"class_": "class"}):
    """An exception that the snippet raised.

    >>> from karat import sandbox
    >>> error = sandbox.SnippetError("KeyError", "'agee'", 2)
    >>> f"line {error.line}: {error.class_}: {error.message}"
    "line 2: KeyError: 'agee'"
    """

    class_: str
    """The class of the exception."""
    message: str
    """Its message."""
    line: int = 0
    """The line of the snippet, from 1; 0 if it is not known."""
    traceback: str = ""
    """The snippet's own lines; those of libraries are left out."""
    bases: tuple[str, ...] = ()
    """The classes it inherits from, nearest first."""
    errno: int = 0
    """The error number of an OSError; 0 for others."""


class WrittenFile(msgspec.Struct, frozen=True):
    """A file that a snippet left in its folder.

    >>> from karat import sandbox
    >>> sandbox.WrittenFile("totals.csv", 12).name
    'totals.csv'
    """

    name: str
    """The name of the file."""
    size: int
    """Its size in bytes."""
    problem: str = ""
    """Why it was not read: a link, a pipe, a file with holes, too large."""
    data: bytes | None = None
    """Its bytes, if it was requested and could be read."""


class Outcome(msgspec.Struct, frozen=True):
    """What became of one snippet.

    >>> from karat import sandbox
    >>> outcome = sandbox.run("result = 1 / 0", {})
    >>> outcome.status, outcome.error.class_
    ('error', 'ZeroDivisionError')
    """

    status: Status
    """How the snippet ended: ``ok``, ``error``, ``timeout`` and so on."""
    result: Plain = None
    """Its result, as plain data."""
    error: SnippetError | None = None
    """The exception that it raised; None if it raised none."""
    stdout: str = ""
    """What it printed."""
    stderr: str = ""
    """What it wrote to standard error."""
    stdout_cut: bool = False
    """Whether more was printed than ``Limits.output``: ``stdout`` is the beginning."""
    stderr_cut: bool = False
    """The same for ``stderr``."""
    wall: float = 0.0
    """Seconds until the result was complete, by the server's clock. Converting the result to plain data is part of
    it."""
    cpu: float = 0.0
    """The processor seconds of all its threads."""
    peak_memory: int = 0
    """Bytes it used beyond what it started with."""
    busy: float = 0.0
    """``wall`` without the time in which no processor was free for it or its server, and never less than what all its
    threads computed. Only from :meth:`Sandbox.over`, else 0."""
    counted: int | None = None
    """Events of the requested counter, all threads together; None if this machine has no such counter."""
    detail: str = ""
    """One sentence on a status that needs one."""
    files: tuple[WrittenFile, ...] = ()
    """What it left in its folder, requested files first; at most a hundred."""
    figures: tuple[bytes, ...] = ()
    """The figures it drew, each as JSON text from the child. Untrusted: callers must check it."""

    @property
    def ok(self) -> bool:
        return self.status == "ok"


class Measurement(msgspec.Struct, frozen=True):
    """Several runs of the same code, each in a fresh process.

    >>> from karat import sandbox
    >>> runs = sandbox.Measurement(sandbox.Outcome("ok", 3), walls=(0.2, 0.1), cpus=(0.1, 0.1), peaks=(0, 0), same=True)
    >>> min(runs.walls)
    0.1
    """

    outcome: Outcome
    """The first outcome that is not ok, else the first."""
    walls: tuple[float, ...]
    """The seconds of each run."""
    cpus: tuple[float, ...]
    """The processor seconds of each run."""
    peaks: tuple[int, ...]
    """The peak memory of each run, in bytes."""
    same: bool
    """Whether all runs gave the same result."""

    @property
    def wall(self) -> float:
        return median(self.walls) if self.walls else 0.0

    @property
    def cpu(self) -> float:
        return median(self.cpus) if self.cpus else 0.0

    @property
    def peak_memory(self) -> int:
        return int(median(self.peaks)) if self.peaks else 0


class Layer(msgspec.Struct, frozen=True):
    """One layer of the sandbox: whether it is on, how, and what to do if it is not.

    >>> from karat import sandbox
    >>> sandbox.Layer("bubblewrap", False, "not installed", "apt install bubblewrap").on
    False
    """

    name: str
    """The name of the layer."""
    on: bool
    """Whether it works on this machine."""
    detail: str
    """How it works, or why it does not."""
    install: str = ""
    """What to install or change so that it does."""
