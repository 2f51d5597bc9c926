"""Landlock: which folders a process can still open, enforced by the kernel for the rest of its life."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Sequence
from typing import NamedTuple

from .kernel import checked, syscall

CREATE, ADD, RESTRICT = 444, 445, 446

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
REMOVE_DIR, REMOVE_FILE, MAKE_DIR, MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
MAKE_LINK, REFER, TRUNCATE = 1 << 12, 1 << 13, 1 << 14

LOOK = READ_FILE | READ_DIR
CHANGE = LOOK | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER | TRUNCATE
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
_FILE_RIGHTS_BY_VERSION = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
KNOWS_TRUNCATE = 3
"""The first version with a right to shorten files. An open for writing that empties the file needs the right to write
in all of them."""
_ALL_TCP, _ABSTRACT_SOCKETS_AND_SIGNALS = 3, 3


class Rules(NamedTuple):
    """What a process may open: paths with their rights, and the kernel's version of Landlock."""

    allowed: Sequence[tuple[str, int]]
    version: int


def version() -> int:
    """The kernel's version of Landlock; 0 when it has none."""
    return max(0, syscall(CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1)))


def ruleset(allowed: Sequence[tuple[str, int]], here: int) -> int:
    """A descriptor of rules: everything is denied but these rights below these paths; TCP and signals to outside too,
    where known.

    ``here`` is the kernel's version. Before the third, no rule keeps a file from being emptied: the filter of system
    calls has to.
    """
    handled = _FILE_RIGHTS_BY_VERSION[min(here, 5)]
    fields = [handled, _ALL_TCP if here >= 4 else 0, _ABSTRACT_SOCKETS_AND_SIGNALS if here >= 6 else 0]
    data = struct.pack("<QQQ", *fields)[: 24 if here >= 6 else 16 if here >= 4 else 8]
    rules = checked(syscall(CREATE, data, ctypes.c_size_t(len(data)), ctypes.c_uint32(0)), "landlock_create_ruleset")
    for path, rights in allowed:
        _allow(rules, path, rights & handled)
    return rules


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not os.path.isdir(path):
            rights &= ON_FILES
        rule = struct.pack("<Qi", rights, place)
        checked(
            syscall(ADD, ctypes.c_int(rules), ctypes.c_int(1), rule, ctypes.c_uint32(0)), f"landlock rule for {path}"
        )
    finally:
        os.close(place)


def restrict(rules: int) -> None:
    """Put the rules on this process. Needs no_new_privs."""
    checked(syscall(RESTRICT, ctypes.c_int(rules), ctypes.c_uint32(0)), "landlock_restrict_self")
