"""The folder of a server that has no bubblewrap, in the machine's temporary one; and those that killed callers left
there.

A caller holds a lock on its folder for as long as it lives. One that can be locked by somebody else belongs to nobody
any more.
"""

from __future__ import annotations

import os
import stat
import tempfile
import time
from pathlib import Path

import msgspec

from karat.sandbox.server import scratch

PREFIX = "karat-sandbox-"


class Folder(msgspec.Struct, frozen=True):
    """A folder, and the descriptor that holds its lock."""

    path: Path
    lock: int

    def remove(self) -> None:
        """A snippet that was running dies with its server, but not in the same instant: hence more than one try."""
        for _ in range(100):
            try:
                scratch.empty(str(self.path))
                self.path.rmdir()
                break
            except FileNotFoundError:
                break
            except OSError:
                time.sleep(0.02)
        os.close(self.lock)


def make(owner: int) -> Folder:
    """A new one, given to that user (0: it stays ours)."""
    remove_orphans()
    made = None
    while made is None:  # somebody who tidies up may take it for an orphan in the instant before it is locked
        made = _locked(Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")))
    if owner:
        os.chown(made.lock, owner, owner)
    return made


def remove_orphans() -> None:
    """What callers left that were killed. Only folders of our own, or as root those of users that root invents."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            about = path.lstat()
        except OSError:
            continue
        ours = about.st_uid == os.geteuid() or (os.geteuid() == 0 and _invented(about.st_uid))
        if stat.S_ISDIR(about.st_mode) and ours and (orphan := _locked(path)) is not None:
            orphan.remove()


def _invented(number: int) -> bool:
    from karat.sandbox.isolation.identity import DYNAMIC, HIGH

    return number in HIGH or number in DYNAMIC


def _locked(path: Path) -> Folder | None:
    """The folder with its lock; None when somebody else has it."""
    import fcntl

    try:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(fd).st_ino != path.lstat().st_ino:
            raise FileNotFoundError(path)
    except OSError:
        os.close(fd)
        return None
    return Folder(path, fd)
