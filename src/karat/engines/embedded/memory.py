"""How much memory a query may take: sizes as people write them, what a process uses, and the ceiling of its addresses.

What counts is the memory that a child really has (its resident set), which the parent looks at while it waits. The
limit on addresses is a second one, far above it: it refuses at once what could never fit.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from karat.core.problems import UserError

_UNITS = {"": 1, "b": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "t": 1000**4}
ROOM = 512 * 1024**2
"""Bytes beside the query's own: Python and the driver themselves, the rows as Python objects and as texts."""
ADDRESSES = 4 * 1024**3
"""Addresses beside the query's own: allocators reserve more than they use."""


def size_of(text: str, place: str) -> int:
    """``500MB``, ``2 GiB``: bytes."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", text.lower())
    if match is None or float(match[1]) <= 0:
        raise UserError(f'{place} is "{text}", which is not a size', hint="Write a number and a unit: 500MB, 2GB.")
    number, unit, binary = match.groups()
    base = 1024 ** "bkmgt".index(unit or "b") if binary else _UNITS[unit]
    return int(float(number) * base)


def resident(pid: int) -> int:
    """Bytes of memory that a process has; 0 where that cannot be known."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def set_ceiling(memory: int) -> None:
    """No allocation of this process succeeds far beyond this much. Without such a limit on this system, nothing
    happens."""
    size = memory + ADDRESSES
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = size if hard == resource.RLIM_INFINITY else min(size, hard)
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
