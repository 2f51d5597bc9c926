"""The files that a snippet left in its folder, looked at after it has ended and nothing of it runs any more.

All are listed. Those that are wanted are read, if they are plain files: no links, pipes, devices or files with holes.
The bytes only ever lie in memory that no later child inherits.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..isolation.private_memory import PrivateMemory

MOST_LISTED = 100
MOST_READ = 20
MOST_BYTES = 32 * 1024**2
PAGE = 4096
"""A file of one page may take no block of its own."""


class Left(NamedTuple):
    """The files that the code left: the entries that the host receives, and, in the same order, the contents of those
    that were read."""

    entries: list[dict[str, object]]
    contents: list[PrivateMemory]


def collect(folder: str, wanted: Sequence[str], given: Collection[str]) -> Left:
    """The files of the folder. ``given`` are those that the server put there: not listed while they are still its own
    links."""
    try:
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:  # it took its own folder away
        return Left([], [])
    try:
        return _collect(place, wanted, given)
    finally:
        os.close(place)


def _collect(place: int, wanted: Sequence[str], given: Collection[str]) -> Left:
    found: list[tuple[str, os.stat_result]] = []
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                about = entry.stat(follow_symlinks=False)
                if entry.name in given and (stat.S_ISLNK(about.st_mode) or entry.name not in wanted):
                    continue
                if entry.name in wanted or len(found) < MOST_LISTED:
                    found.append((entry.name, about))
    except OSError:
        return Left([], [])
    found.sort(key=lambda one: (one[0] not in wanted, one[0]))
    listed: list[dict[str, object]] = []
    contents: list[PrivateMemory] = []
    left = MOST_BYTES
    for name, about in found:
        problem = _problem(name, about)
        read = False
        if name in wanted and not problem:
            if about.st_size > left or len(contents) >= MOST_READ:
                problem = f"more than {MOST_READ} files or {MOST_BYTES:,} bytes"
            else:
                content = _content(place, name, about)
                problem = "" if content is not None else "it cannot be opened"
                if content is not None:
                    contents.append(content)
                    left -= content.used
                    read = True
        shown = name.encode("utf-8", "backslashreplace").decode()[:255]
        listed.append({"name": shown, "size": about.st_size, "problem": problem, "read": read})
    return Left(listed, contents)


def _problem(name: str, about: os.stat_result) -> str:
    """Why it is not read; empty: it may be."""
    mode = about.st_mode
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISLNK(mode) or about.st_nlink > 1:
        return "a link"
    if not stat.S_ISREG(mode):
        return "not a plain file"
    if about.st_size > max(PAGE, about.st_blocks * 512):
        return "a file with holes"
    return "" if name.isprintable() else "its name has characters that cannot be shown"


def _content(place: int, name: str, seen: os.stat_result) -> PrivateMemory | None:
    """The bytes; None when it is no longer the file that was looked at."""
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=place)
    except OSError:
        return None
    try:
        about = os.fstat(fd)
        if not stat.S_ISREG(about.st_mode) or (about.st_ino, about.st_size) != (seen.st_ino, seen.st_size):
            return None
        content = PrivateMemory(about.st_size)
        while content.used < about.st_size:
            if not content.read(fd, about.st_size - content.used):
                return None
        return content
    except OSError:
        return None
    finally:
        os.close(fd)
