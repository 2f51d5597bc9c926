"""Copying memory before it is needed.

After a fork both sides share all memory, and the first write to a page copies it, which takes some microseconds each
time. Python writes wherever it only looks (it counts references), so that the simplest snippet copies many hundreds of
pages, and most of them are the same for all. Which ones is learned once, from children that look at themselves; a child
then copies them while it waits for its snippet. Pages that only some snippets copy are left alone: to copy one for
nothing takes as long as the fault that it was to save.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence

from .environment.libraries import is_there, numpy
from .isolation.kernel import PR_SET_DUMPABLE, Places, madvise, prctl

Stretch = tuple[int, int]
"""Where it begins, and how many bytes long it is."""

COPY_NOW = 23
"""MADV_POPULATE_WRITE. A kernel before 5.14 does not know it, and copies at the first write as ever."""
LARGE, WANT_LARGE, MAKE_LARGE = 2 * 1024**2, 14, 25
"""MADV_HUGEPAGE, and MADV_COLLAPSE, which a kernel before 6.1 does not know."""
PRESENT, OWN = 1 << 63, 1 << 56
"""In an entry of the pagemap: there is a page, and nobody else has it too."""


def learn(runs: Sequence[Callable[[], object]]) -> list[Stretch]:
    """The pages that each of these copies, in stretches; none where the kernel does not tell, or there is no numpy to
    read what it tells. One that does not get as far as telling does not count."""
    if not is_there(numpy):
        return []
    told = [pages for run in runs if (pages := set(_copied_by(run)))]
    size = os.sysconf("SC_PAGE_SIZE")
    stretches: list[Stretch] = []
    for page in sorted(set.intersection(*told) if told else ()):
        if stretches and sum(stretches[-1]) == page * size:
            stretches[-1] = stretches[-1][0], stretches[-1][1] + size
        else:
            stretches.append((page * size, size))
    return stretches


def copy(places: Places) -> None:
    """Now rather than later."""
    places.advise(COPY_NOW)


def enlarge() -> None:
    """Put this process on large pages where it can be: a fork, and the end of a child, then have fewer entries to go
    through.

    A child that writes still copies only a small one.
    """
    for start, end in _writable():
        for place in range(-(-start // LARGE) * LARGE, end // LARGE * LARGE, LARGE):
            madvise(place, LARGE, WANT_LARGE)
            madvise(place, LARGE, MAKE_LARGE)


def _copied_by(run: Callable[[], object]) -> list[int]:
    """The numbers of the pages that a child has to itself after it has done this."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            run()
            prctl(PR_SET_DUMPABLE, 1)  # else its own pagemap is closed to it; no snippet has run yet
            os.write(writing, _own_pages().tobytes())
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        data = pipe.read()
    os.waitpid(pid, 0)
    return list(memoryview(data[: len(data) // 8 * 8]).cast("q"))


def _own_pages() -> numpy.ndarray[tuple[int], numpy.dtype[numpy.int64]]:
    size = os.sysconf("SC_PAGE_SIZE")
    found = [numpy.empty(0, numpy.int64)]
    with open("/proc/self/pagemap", "rb", buffering=0) as entries:
        for start, end in _writable():
            entries.seek(start // size * 8)
            flags = numpy.frombuffer(entries.read((end - start) // size * 8), numpy.uint64)
            found.append(start // size + numpy.flatnonzero((flags & (PRESENT | OWN)) == (PRESENT | OWN)))
    return numpy.concatenate(found)


def _writable() -> list[tuple[int, int]]:
    """Where the memory that this process may write, and that is not another's too, begins and ends; the stack is left
    out."""
    with open("/proc/self/maps", "rb") as maps:
        lines = [line.split(None, 5) for line in maps.read().splitlines()]
    places = [line[0].split(b"-") for line in lines if line[1] == b"rw-p" and not line[-1].startswith(b"[stack")]
    return [(int(start, 16), int(end, 16)) for start, end in places]
