"""Limits on one process: memory, processor time, file size, descriptors, processes, no core files."""

from __future__ import annotations

import resource
from collections.abc import Mapping

MB = 1024**2
ADDRESS_SLACK = 512 * MB
"""Addresses that are reserved and never used: stacks and arenas of threads."""


def held() -> tuple[int, int]:
    """(addresses, data) of this process in bytes. A child begins with as much, and its limit counts from there."""
    with open("/proc/self/statm", "rb") as file:
        fields = file.read().split()
    page = resource.getpagesize()
    return int(fields[0]) * page, int(fields[5]) * page


def apply(limits: Mapping[str, float], base: tuple[int, int]) -> None:
    """Put the limits on this process, soft and hard."""
    memory = int(limits["memory"])
    seconds = int(limits["wall"]) + 2
    wanted = {
        resource.RLIMIT_AS: base[0] + memory + ADDRESS_SLACK,
        resource.RLIMIT_DATA: base[1] + memory,
        resource.RLIMIT_CPU: seconds * max(1, int(limits["threads"])),
        resource.RLIMIT_FSIZE: int(limits["files"]),
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    if limits["processes"]:
        wanted[resource.RLIMIT_NPROC] = int(limits["processes"])
    for kind, value in wanted.items():
        _, hard = resource.getrlimit(kind)
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (most, most))
