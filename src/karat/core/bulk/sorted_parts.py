"""Sorting more bytes than should be held."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator

from karat.core.bulk.spool import Spool

MEMORY = 32 * 1024 * 1024
"""Bytes that are sorted at a time; more are sorted in runs, and the runs merged."""
READ = 256
"""Records of a run that are read at a time."""


def in_order(parts: Iterable[bytes], memory: int = MEMORY) -> Iterator[bytes]:
    """The parts in the order that ``sorted`` gives them."""
    spool = Spool()
    starts: list[int] = []
    held: list[bytes] = []
    size = 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size >= memory:
            starts.append(len(spool))
            spool.extend(sorted(held))
            held, size = [], 0
    held.sort()
    if not starts:
        return iter(held)
    runs = zip(starts, [*starts[1:], len(spool)], strict=True)
    return heapq.merge(*(_read(spool, start, stop) for start, stop in runs), held)


def _read(spool: Spool, start: int, stop: int) -> Iterator[bytes]:
    for at in range(start, stop, READ):
        yield from spool.read(at, min(at + READ, stop))
