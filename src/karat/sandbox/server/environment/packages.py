"""The environment's packages, let in only now: Python was started without them (-S).

What packages put into the start of a Python (``.pth`` files, ``sitecustomize``) is code like any other. It runs here,
in a process that is nobody, can read no more than a snippet can, and can change nothing but its own folders.
"""

from __future__ import annotations

import os
import site

from ..isolation import landlock, machine_limits
from ..isolation.privileges import Settings


def enter(settings: Settings) -> None:
    """Enclose the server, then do what Python does at its start."""
    for folder in folders(settings):
        os.makedirs(folder, exist_ok=True)
    _enclose(settings)
    site.main()


def folders(settings: Settings) -> tuple[str, str, str]:
    """Where snippets work, where the tables lie, and where copies of working folders are kept."""
    root = settings["scratch"]
    return f"{root}/work", f"{root}/tables", f"{root}/snapshots"


def readable(settings: Settings) -> list[tuple[str, int]]:
    """What server and snippets may read."""
    return [
        *((path, landlock.LOOK) for path in settings["readable"]),
        (os.devnull, landlock.LOOK | landlock.WRITE_FILE),
        *((path, landlock.READ_FILE) for path in machine_limits.files()),
    ]


def _enclose(settings: Settings) -> None:
    """The server may change its own folders, and otherwise reads no more than its children."""
    version = settings["landlock"]
    if version > 1:  # the first version allows no renames between folders, which tidying up needs
        change = landlock.CHANGE | landlock.MAKE_LINK
        more = [("/proc", landlock.LOOK | landlock.WRITE_FILE), *((folder, change) for folder in folders(settings))]
        rules = landlock.ruleset([*readable(settings), *more], version)
        landlock.restrict(rules)
        os.close(rules)
