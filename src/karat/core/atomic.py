"""Files that are either the old one or the new one, never half of each."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from karat.core.private import FILE_MODE, is_private, make_folder
from karat.core.problems import UserError


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Let ``write`` fill a file beside ``path``, make it durable, then put it in place in one step.

    Failure leaves what was there before. A full disk or a folder that may not be written is a :class:`UserError`.
    """
    try:
        make_folder(path.parent)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror or error}") from error
    os.close(handle)
    part = Path(name)
    try:
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
    finally:
        part.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes) -> None:
    """The whole file at once."""
    write_atomically(path, lambda part: _write(part, data))


def _write(part: Path, data: bytes) -> None:
    part.write_bytes(data)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
