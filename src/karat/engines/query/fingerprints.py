"""Which database it was: a hash of a file's content, or of what names a server and a database on it."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

_known: dict[tuple[str, int, int, int], str] = {}
_lock = threading.Lock()


def file_fingerprint(*paths: Path) -> str:
    """Digest and size of the files that are there: two files with the same content are the same database. A file is
    read again only when its size or time has changed."""
    return "+".join(_one(path) for path in paths if path.exists())


def _one(path: Path) -> str:
    found = path.stat()
    key = (str(path.resolve()), found.st_ino, found.st_size, found.st_mtime_ns)
    with _lock:
        if key not in _known:
            with path.open("rb") as file:
                _known[key] = hashlib.file_digest(file, "sha256").hexdigest()
        return f"{_known[key]}:{found.st_size}"


def server_fingerprint(*parts: object) -> str:
    """A hash of what names the database; the parts themselves stay unseen."""
    return hashlib.sha256("\x00".join(str(part) for part in parts).encode()).hexdigest()
