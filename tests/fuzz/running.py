"""Running a reader over changed files, within bounds of time and memory."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from hypothesis import HealthCheck, given, seed, settings

from tests.fuzz.readers import Reader

FOUND = Path(__file__).parent / "found"
SECONDS = 20
"""Of CPU for one small file: a hang, not a slow machine."""
MEMORY = 1024**3
"""Bytes by which the process may grow over all files of a reader."""


class TooLong(Exception):
    """A reader that does not come to an end."""


@contextmanager
def within_bounds() -> Iterator[None]:
    """Stops what takes far too much CPU time, and fails what took far too much memory."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooLong(f"more than {SECONDS} s of CPU for one file")

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    old = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, old)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    assert grown < MEMORY, f"one file took {grown:,} bytes of memory"


def fuzz(reader: Reader, folder: Path, *, examples: int, start: int | None = None) -> None:
    """Try so many changed files; the same ones each time unless ``start``, a seed, is given."""

    def tried(data: bytes) -> None:
        with within_bounds():
            reader.survives(data, folder)

    quiet = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=start is None,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    run = quiet(given(reader.mutated)(tried))
    (run if start is None else seed(start)(run))()
