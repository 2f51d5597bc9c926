"""Files that are either the old one or the new one, never half of each.

A writer holds a lock on the file that it fills. One that nobody holds was left by a writer that was killed, and the
next one to write the same file removes it.
"""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from karat.core.files.private import FILE_MODE, is_private, make_folder
from karat.core.problems import UserError
from karat.core.remote.address import address_of
from karat.core.remote.display_names import is_copy


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Let ``write`` fill a file beside ``path``, make it durable, then put it in place in one step.

    Failure leaves what was there before. A full disk or a folder that may not be written is a :class:`UserError`.
    A URL is written too: the file is finished here and sent as a whole. So is a pipe or a terminal, such as
    ``/dev/stdout``, and ``/dev/null``: nothing may be put in their place.
    """
    address = address_of(path)
    if address is not None:
        from karat.core.remote.upload import send

        send(address, write)
        return
    if is_copy(path):
        hint = "Copy the files to this machine and change them there."
        raise UserError(f"cannot write {path}: it is a remote file that was read, and is not changed there", hint=hint)
    try:
        if _takes_bytes(path):
            _pour(path, write)
            return
        make_folder(path.parent)
        _remove_orphans(path)
        with _part(path) as part:
            write(part)
            with part.open("rb+") as written:
                os.fsync(written.fileno())
            if is_private(path):
                mode = FILE_MODE
            else:
                mode = path.stat().st_mode if path.exists() else 0o666 & ~_umask()
            part.chmod(mode)
            part.replace(path)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror or error}") from error


def write_bytes(path: Path, data: bytes) -> None:
    """The whole file at once."""
    write_atomically(path, lambda part: _write(part, data))


def _takes_bytes(path: Path) -> bool:
    """Whether the path is no file of its own but takes what is written to it, as a pipe or a device does, or
    ``/dev/stdout`` where the output goes to a file."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    folder = os.path.realpath(path.parent)
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode) or folder == "/dev" or folder.startswith("/proc/")


def _pour(path: Path, write: Callable[[Path], None]) -> None:
    with tempfile.TemporaryDirectory(prefix="karat-") as folder:
        part = Path(folder) / path.name
        write(part)
        with part.open("rb") as finished, path.open("ab") as target:
            shutil.copyfileobj(finished, target)


@contextlib.contextmanager
def _part(path: Path) -> Iterator[Path]:
    """A new file beside the path, locked while it is being filled; gone afterwards unless it has been put in place."""
    while True:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        part = Path(name)
        if _lock(handle) != "held" and part.exists():
            break
        os.close(handle)  # another writer has taken it for an orphan in the instant before it was locked
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)
        os.close(handle)


def _remove_orphans(path: Path) -> None:
    """What killed writers of the same file have left beside it."""
    for part in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        with contextlib.suppress(OSError):
            handle = os.open(part, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
            try:
                if _lock(handle) == "ours":
                    part.unlink()
            finally:
                os.close(handle)


def _lock(handle: int) -> Literal["ours", "held", "none"]:
    """Take the lock, which goes with the process however that ends; "none" where the system has no such locks."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return "held"
    except (ImportError, OSError):
        return "none"
    return "ours"


def _write(part: Path, data: bytes) -> None:
    part.write_bytes(data)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
