"""The folder that a snippet works in: empty before it, gone after it, however it was left.

A snippet may nest folders deeper than a path can say or take away their modes. So emptying never descends: what lies in
a folder is first lifted up beside it. Links are removed, never followed. Nothing else may be running in the folder
meanwhile.

The folder usually lies on a file system in memory, of its own. What a snippet keeps in files is then memory that no
process holds, so it is measured here.
"""

from __future__ import annotations

import os

ENTRIES = 5_000


def empty(folder: str) -> None:
    """Remove everything in the folder, not the folder itself."""
    number = 0
    folders = _drop_files(folder)
    while folders:
        inner = folders.pop()
        os.chmod(inner, 0o700)
        for nested in _drop_files(inner):
            number += 1
            lifted = os.path.join(folder, f".lifted-{os.getpid()}-{number}")
            os.chmod(nested, 0o700)
            os.rename(nested, lifted)
            folders.append(lifted)
        os.rmdir(inner)


def _drop_files(folder: str) -> list[str]:
    """Unlink all that is not a folder; the folders that remain."""
    with os.scandir(folder) as entries:
        found = [(entry.path, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for path, is_folder in found:
        if not is_folder:
            os.unlink(path)
    return [path for path, is_folder in found if is_folder]


def size(folder: str, most_entries: int) -> tuple[int, int]:
    """Bytes on the disk and number of entries, counted no further than that many entries. A moving target is no
    error."""
    total, count, waiting = 0, 0, [folder]
    while waiting and count <= most_entries:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    count += 1
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    if count > most_entries:
                        break
        except OSError:
            continue
    return total, count


def is_own(folder: str, wanted: int) -> bool:
    """Whether the folder lies on the file system that was made for the server: one of exactly this many bytes."""
    try:
        about = os.statvfs(folder)
    except OSError:
        return False
    return 0 <= about.f_blocks * about.f_frsize - wanted < about.f_frsize


class Space:
    """What the files of one snippet take, from the moment it is let go.

    On a file system of its own all of it counts, also files that have no name any more. Else the folder is gone
    through.
    """

    def __init__(self, folder: str, *, own: bool) -> None:
        self.folder, self.own = folder, own
        self._before = 0
        self.most = 0
        """The most bytes that were seen."""

    def begin(self) -> None:
        """What is there now does not count."""
        self._before, self.most = self._taken(), 0

    def look(self) -> int:
        """Bytes now."""
        now = max(0, self._taken() - self._before)
        self.most = max(self.most, now)
        return now

    def _taken(self) -> int:
        if not self.own:
            return size(self.folder, ENTRIES)[0]
        try:
            about = os.statvfs(self.folder)
        except OSError:
            return 0
        return (about.f_blocks - about.f_bfree) * about.f_frsize
