"""Memory of the server that no child inherits.

A forked child could search the whole memory of the server for the code and the answer of the snippet before it, which
may be the reference. So both only ever lie in pages that the kernel leaves out of a fork, and go back to it when they
have been passed on.
"""

from __future__ import annotations

import mmap
import os

DO_NOT_FORK = 10


class PrivateMemory:
    """Room for ``size`` bytes, filled from descriptors."""

    def __init__(self, size: int) -> None:
        self._pages = mmap.mmap(-1, max(1, size), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._pages.madvise(getattr(mmap, "MADV_DONTFORK", DO_NOT_FORK))
        self.used = 0

    def read(self, fd: int, most: int) -> int:
        """Up to this many bytes behind those that are there; how many came."""
        count = os.readv(fd, [memoryview(self._pages)[self.used : self.used + most]])
        self.used += count
        return count

    def add(self, data: bytes) -> None:
        """A few bytes behind those that are there."""
        self._pages[self.used : self.used + len(data)] = data
        self.used += len(data)

    def view(self, start: int = 0) -> memoryview:
        """What is there, from that byte on, without a copy."""
        return memoryview(self._pages)[start : max(start, self.used)]
