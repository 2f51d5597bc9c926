"""Work side by side on all processors, each with its own small matrix products.

The library behind numpy's products has threads of its own, which wait busily between two products and so take time from
whatever is done with the products. Where ``threadpoolctl`` is at hand each product is held to one thread and the work
is divided here instead; without it the products keep their threads and the rest is done by one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TypeVar

Part = TypeVar("Part")
Done = TypeVar("Done")

_SMALL = 10_000_000
"""Pairs of a question and a value that are done before threads could be of use."""


@dataclass(frozen=True)
class Begun:
    """Work that may still be going on."""

    parts: Sequence[Future[None]] = ()

    def finish(self) -> None:
        """Wait until all is done; the first error is raised."""
        for part in self.parts:
            part.result()


@dataclass(frozen=True)
class Workers:
    """How many there are, and where they take their work from."""

    count: int
    executor: Executor | None = None

    def begin(self, work: Callable[[Part], None], parts: Iterable[Part]) -> Begun:
        """Begin the work for each part, in their order."""
        if self.executor is None:
            for part in parts:
                work(part)
            return Begun()
        return Begun([self.executor.submit(work, part) for part in parts])

    def ahead(self, work: Callable[[Part], Done], parts: Iterable[Part]) -> Iterator[Done]:
        """What the work makes of each part, in order, the next one being made while the last one is used."""
        if self.executor is None:
            yield from map(work, parts)
            return
        coming: Future[Done] | None = None
        for part in parts:
            following = self.executor.submit(work, part)
            if coming is not None:
                yield coming.result()
            coming = following
        if coming is not None:
            yield coming.result()


@contextmanager
def processors(pairs: int) -> Iterator[Workers]:
    """The workers for this many pairs."""
    threads = _threads()
    try:
        limits = import_module("threadpoolctl").threadpool_limits
    except ImportError:
        limits = None
    if limits is None or threads == 1 or pairs < _SMALL:
        yield Workers(1)
        return
    with limits(limits=1, user_api="blas"), ThreadPoolExecutor(threads) as executor:
        yield Workers(threads, executor)


def _threads() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
