"""What karat keeps for itself, ``.karat`` and all in it, is for its owner alone: folders 0700, files 0600, whatever the
umask.

Answers, cases and settings of runs lie there. A wider ``.karat`` of ours, made by an earlier version or by hand, is
tightened when it is used.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

FOLDER = ".karat"
FOLDER_MODE = 0o700
FILE_MODE = 0o600
OTHERS = 0o077


def is_private(path: Path) -> bool:
    """Whether a path lies in a folder of karat's own."""
    return FOLDER in path.absolute().parts


def make_folder(folder: Path) -> None:
    """The folder with those above it; what of it is ``.karat``, or in one, is private."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=FOLDER_MODE if is_private(place) else 0o777, exist_ok=True)
    if is_private(folder):
        own = next(place for place in (folder, *folder.absolute().parents) if place.name == FOLDER)
        tighten(own, FOLDER_MODE)
        tighten(folder, FOLDER_MODE)


def make_file(path: Path) -> None:
    """An empty private file, unless there is one already; one in ``.karat`` is tightened. What SQLite puts beside it
    takes its mode."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, FILE_MODE))
        path.chmod(FILE_MODE)
    except FileExistsError:
        if is_private(path):
            for file in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal"))):
                tighten(file, FILE_MODE)


def tighten(path: Path, mode: int) -> None:
    """Take from others what they may do, where the file is ours to change."""
    with suppress(OSError):
        if path.stat().st_mode & OTHERS:
            path.chmod(mode)
