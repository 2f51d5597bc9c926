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


Counter: TypeAlias = tuple[int, int]
"""An event that the kernel can count on a process, by its type and number in ``linux/perf_event.h``."""
INSTRUCTIONS: Counter = (0, 1)
"""Instructions of the processor."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much one snippet may have: seconds, bytes, cells."""

    wall: float = 10.0
    memory: int = 1024 * MB
    """Bytes beyond what the server and the tables hold."""
    output: int = 64 * 1024
    """Bytes of standard output (and as many of standard error) that are kept."""
    flood: int = 16 * MB
    """Bytes of output at which the snippet is stopped."""
    result: int = 64 * MB
    """Bytes of the answer as it is sent."""
    cells: int = 2_000_000
    """Cells of the answer."""
    files: int = 64 * MB
    """Bytes of files in its own folder."""
    threads: int = 16
    figures: int = 0
    """Figures that are read while it draws them; 0: none is looked at."""
    pictures: int = 0
    """Whether these are drawn as pictures too: 1 for yes."""


class SnippetError(msgspec.Struct, frozen=True, rename={"class_": "class"}):
    """An exception of the snippet. ``line`` counts from 1 in the snippet, 0 when it is not known."""

    class_: str
    message: str
    line: int = 0
    traceback: str = ""
    """Only the snippet's own lines, the libraries' left out."""
    bases: tuple[str, ...] = ()
    """The classes it inherits from, nearest first."""
    errno: int = 0


class WrittenFile(msgspec.Struct, frozen=True):
    """A file that a snippet left in its folder. ``data`` are its bytes if it was asked for and could be read."""

    name: str
    size: int
    problem: str = ""
    """Why it is not read: a link, a pipe, a file with holes, too large."""
    data: bytes | None = None


class Outcome(msgspec.Struct, frozen=True):
    """What became of one snippet."""

    status: Status
    result: Plain = None
    error: SnippetError | None = None
    stdout: str = ""
    stderr: str = ""
    stdout_cut: bool = False
    """More was printed than ``Limits.output``: ``stdout`` is its beginning."""
    stderr_cut: bool = False
    """The same of ``stderr``."""
    wall: float = 0.0
    """Seconds from the server's word to begin until the answer is closed, by the server's clock; making plain data of
    the answer is part of it."""
    cpu: float = 0.0
    """The same in seconds of the processor, all its threads together."""
    peak_memory: int = 0
    """Bytes it held beyond what it began with."""
    busy: float = 0.0
    """``wall`` without the time in which no processor was free for it or its server, and never less than what all its
    threads computed. Only from :meth:`Sandbox.over`, else 0."""
    counted: int | None = None
    """Events of the counter that was asked for, all threads together; None where this machine has no such counter."""
    detail: str = ""
    """One sentence on a status that needs one."""
    files: tuple[WrittenFile, ...] = ()
    """What it left in its folder, those that were asked for first; the first hundred."""
    figures: tuple[bytes, ...] = ()
    """The figures it drew, each as JSON text from the child. Untrusted: callers must check it."""

    @property
    def ok(self) -> bool:
        return self.status == "ok"


class Measurement(msgspec.Struct, frozen=True):
    """The same code several times, each in a fresh child. ``outcome`` is the first that differs from ok, else the
    first."""

    outcome: Outcome
    walls: tuple[float, ...]
    cpus: tuple[float, ...]
    peaks: tuple[int, ...]
    same: bool
    """Whether all repeats gave the same answer."""

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
    """One layer of the sandbox: whether it is on, how, and what to do if it is not."""

    name: str
    on: bool
    detail: str
    install: str = ""
