"""Files in which the kernel says how much of the machine a process may use.

DuckDB looks at them when it connects. If such a file is there and cannot be opened, it ends the whole process with
SIGABRT. So a child may read those of its own cgroup: a few numbers, the same for every snippet.
"""

from __future__ import annotations

import os

OWN = "/proc/self/cgroup"
"""Which cgroups a process is in. It is another file for every process."""
ROOT = "/sys/fs/cgroup"
NAMES = ("cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us", "memory.max", "memory.high", "memory.limit_in_bytes")


def files() -> list[str]:
    """The limits of this process, in its cgroups and those above them; none where they cannot be seen."""
    try:
        with open(OWN) as lines:
            groups = [line.rstrip("\n").split(":", 2)[1:] for line in lines]
    except OSError:
        return []
    folders: dict[str, None] = {ROOT: None}
    for controllers, path in groups:
        place = os.path.join(ROOT, controllers)
        folders[place] = None
        for part in path.strip("/").split("/"):
            place = os.path.join(place, part)
            folders[place] = None
    found = (os.path.join(folder, name) for folder in folders for name in NAMES)
    return [path for path in found if os.path.isfile(path)]
