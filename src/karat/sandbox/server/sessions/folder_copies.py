"""A copy of a snapshot's working folder, outside of what any snippet can reach, and back again.

Nothing may be running in the folder meanwhile. Only plain files, folders and the server's own links to tables are
copied; links are never followed. What is too much, too deep or of another kind is no copy at all.
"""

from __future__ import annotations

import os
import stat

DEPTH = 32
CHUNK = 1024**2


class NoCopy(Exception):
    """The folder cannot be kept."""


def copy(source: str, target: str, most_bytes: int, most_entries: int) -> int:
    """Copy all of a folder into a new one; the bytes that it took. Files count by their whole size, holes too."""
    os.mkdir(target)
    total, entries = 0, 0
    waiting = [(source, target, 0)]
    while waiting:
        here, there, depth = waiting.pop()
        if depth > DEPTH:
            raise NoCopy("folders nested too deep")
        with os.scandir(here) as found:
            for entry in found:
                entries += 1
                if entries > most_entries:
                    raise NoCopy("too many files")
                place = f"{there}/{entry.name}"
                if entry.is_symlink():
                    os.symlink(os.readlink(entry.path), place)
                elif entry.is_dir(follow_symlinks=False):
                    os.mkdir(place)
                    waiting.append((entry.path, place, depth + 1))
                else:
                    total += _file(entry.path, place, most_bytes - total)
    return total


def _file(source: str, target: str, most: int) -> int:
    try:
        given = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as problem:
        raise NoCopy(f"a file that cannot be opened: {problem.strerror}") from None
    try:
        about = os.fstat(given)
        if not stat.S_ISREG(about.st_mode):
            raise NoCopy("not a plain file")
        if about.st_size > most:
            raise NoCopy("too many bytes")
        made = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            left = about.st_size
            while left and (count := os.sendfile(made, given, None, min(left, CHUNK))):
                left -= count
        finally:
            os.close(made)
        return about.st_size
    finally:
        os.close(given)
