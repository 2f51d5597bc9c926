"""The folder that a snippet works in: empty before it, gone after it, however it was left.

A snippet may nest folders deeper than a path can say or take away their modes. So emptying never descends: what lies in
a folder is first lifted up beside it. Links are removed, never followed. Nothing else may be running in the folder
meanwhile.
"""

from __future__ import annotations

import os


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
