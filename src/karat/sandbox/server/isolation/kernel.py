"""Calls to the kernel through the C library: prctl, and those that have no name in Python."""

from __future__ import annotations

import ctypes
import os
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 36, 38

PROCESS_MADVISE = 440
MOST_PLACES = 1024
"""As many as the kernel takes in one call."""

_libc = ctypes.CDLL(None, use_errno=True)
_libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


def checked(answer: int, what: str) -> int:
    """The answer of a call; a negative one is an OSError that says which call it was."""
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return answer


def prctl(option: int, value: int) -> None:
    """One setting of this process. All five arguments are given: some options insist on zeros."""
    zero = ctypes.c_ulong(0)
    checked(_libc.prctl(option, ctypes.c_ulong(value), zero, zero, zero), f"prctl({option})")


def syscall(number: int, *arguments: object) -> int:
    """A system call by its number; -1 with errno set when it fails."""
    return int(_libc.syscall(ctypes.c_long(number), *arguments))


def set_filter(program: object) -> None:
    """Seccomp: from here on every system call of this process passes through the program."""
    zero = ctypes.c_ulong(0)
    checked(_libc.prctl(PR_SET_SECCOMP, ctypes.c_ulong(2), program, zero, zero), "prctl(PR_SET_SECCOMP)")


def madvise(start: int, size: int, advice: int) -> bool:
    """Advice on memory; whether the kernel took it. One that it does not take changes nothing."""
    return int(_libc.madvise(start, size, advice)) == 0


class Places:
    """Stretches of memory as the kernel takes them: put together once, used by every child."""

    def __init__(self, stretches: Sequence[tuple[int, int]]) -> None:
        self._stretches = stretches
        self._ends = list(accumulate(size for _, size in stretches))
        pairs = [number for stretch in stretches for number in stretch]
        self._wire = (ctypes.c_size_t * len(pairs))(*pairs)

    def advise(self, advice: int) -> None:
        """The same advice on all of them, a thousand in one call.

        A kernel before 6.13 takes such advice for one stretch at a time. A stretch that is no longer there is left out.
        """
        me = _own_pidfd() if self._stretches else -1
        place, together = 0, me >= 0
        while place < len(self._stretches):
            done = self._advise_together(me, place, advice) if together else 0
            place += done
            if done < MOST_PLACES and place < len(self._stretches):
                taken = madvise(*self._stretches[place], advice)
                together = together and not (taken and not done)
                place += 1
        if me >= 0:
            os.close(me)

    def _advise_together(self, me: int, first: int, advice: int) -> int:
        """How many stretches from this one on the kernel took, up to the first that it did not."""
        count = min(MOST_PLACES, len(self._stretches) - first)
        offset = 2 * first * ctypes.sizeof(ctypes.c_size_t)
        where, flags = ctypes.byref(self._wire, offset), ctypes.c_uint(0)
        taken = syscall(PROCESS_MADVISE, ctypes.c_int(me), where, ctypes.c_size_t(count), ctypes.c_int(advice), flags)
        before = self._ends[first - 1] if first else 0
        return bisect_right(self._ends, before + taken) - first if taken > 0 else 0


def _own_pidfd() -> int:
    """This process as a descriptor; -1 where there is none."""
    try:
        return os.pidfd_open(os.getpid())
    except (AttributeError, OSError):  # an interpreter or a kernel without it
        return -1


def unshare(flags: int) -> None:
    """Namespaces of its own for this process."""
    checked(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """Mount, bind or remount."""
    answer = _libc.mount(
        source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode() if data else None
    )
    checked(answer, f"mount {target}")
