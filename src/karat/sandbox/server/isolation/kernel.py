"""Calls to the kernel through the C library: prctl, and those that have no name in Python."""

from __future__ import annotations

import ctypes
import os

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 36, 38

_libc = ctypes.CDLL(None, use_errno=True)
_libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)  # called hundreds of times for every child


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


def madvise(start: int, size: int, advice: int) -> None:
    """Advice on memory. One that the kernel does not take changes nothing."""
    _libc.madvise(start, size, advice)


def unshare(flags: int) -> None:
    """Namespaces of its own for this process."""
    checked(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """Mount, bind or remount."""
    answer = _libc.mount(
        source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode() if data else None
    )
    checked(answer, f"mount {target}")
