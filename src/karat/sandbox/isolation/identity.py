"""An unprivileged user for a server that root starts: a number that nobody has."""

from __future__ import annotations

import os
import pwd
import random
from pathlib import Path

HIGH = range(0x70000000, 0x7FFFFFF0)
"""Far above accounts, and above the ranges that containers are given."""
DYNAMIC = range(61184, 65519)
"""What systemd sets aside for passing users; used where the higher numbers are not mapped."""


def unused_number() -> int:
    """A user (and group) number with no account and no process; 0 when this user namespace maps none."""
    pick = random.SystemRandom()
    for numbers in (HIGH, DYNAMIC):
        if not _mapped(numbers):
            continue
        for _ in range(100):
            number = pick.choice(numbers)
            if not _has_account(number) and number not in _running():
                return number
    return 0


def _mapped(numbers: range) -> bool:
    """Whether both users and groups of that range exist in this user namespace."""
    for name in ("uid_map", "gid_map"):
        try:
            lines = Path("/proc/self", name).read_text().splitlines()
        except OSError:
            return False
        spans = [(int(first), int(count)) for first, _, count in (line.split() for line in lines)]
        if not any(first <= numbers[0] and numbers[-1] < first + count for first, count in spans):
            return False
    return True


def _has_account(number: int) -> bool:
    try:
        pwd.getpwuid(number)
    except KeyError:
        return False
    return True


def _running() -> set[int]:
    """The users of all processes."""
    found = set()
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                found.add(entry.stat().st_uid)
            except OSError:
                continue
    return found
