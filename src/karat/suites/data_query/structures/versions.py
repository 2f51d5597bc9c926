"""Versions of structures: which of them a reference means, and which is the newest.

A reference names one version (``1.0``), the latest (``latest``, ``*``, or none), or a range (SDMX 3.0): the sign ``+``
after a number means this version or a later one that has the same numbers before it. ``1+.2.0`` is 1.2.0 or later,
``1.2+.0`` is 1.2.0 or later in 1, and ``1.2.0+`` is 1.2.0 or later in 1.2. The sign ``~`` is read
as ``+``.
"""

from __future__ import annotations

import re

LATEST = ("", "*", "latest", "latest-stable", "~", "+")
Age = tuple[tuple[int, ...], bool]


def satisfies(version: str, wanted: str) -> bool:
    """Whether a reference to ``wanted`` may mean this version. A list without a version may be any."""
    if not version or wanted.casefold() in LATEST or version == wanted:
        return True
    numbers, open_at = _numbers(version), _open_at(wanted)
    if open_at is None:
        return numbers == _numbers(wanted) and _draft(version) == _draft(wanted)
    parts = wanted.split(".")
    if "*" in parts[open_at]:
        return numbers[:open_at] == _padded(wanted, open_at)
    return numbers[:open_at] == _padded(wanted, open_at) and numbers >= _numbers(re.sub(r"[+~]", "", wanted))


def age(version: str) -> Age:
    """What versions sort by: 2.19.0 after 2.8.0, and 1.0.0-draft before 1.0.0."""
    numbers, _, extension = version.partition("-")
    return tuple(int(n) for n in re.findall(r"\d{1,18}", numbers)), not extension


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version without zeros at its end: 1.0 and 1.0.0 are one version."""
    found = list(age(version)[0])
    while found and not found[-1]:
        found.pop()
    return (*found, *(0,) * (4 - len(found)))


def _draft(version: str) -> str:
    return version.partition("-")[2]


def _open_at(wanted: str) -> int | None:
    """The place of the number that is open; None where the reference names one version."""
    return next((place for place, part in enumerate(wanted.split(".")) if part.endswith(("+", "*", "~"))), None)


def _padded(wanted: str, length: int) -> tuple[int, ...]:
    return _numbers(re.sub(r"[+~]", "", wanted).replace("*", "0"))[:length]
