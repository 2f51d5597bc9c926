"""Files that other files name."""

from __future__ import annotations

import errno
from pathlib import Path


def file_named(folder: Path, text: str) -> Path | None:
    """The path that a text names, seen from a folder, resolved. The file need not be there.

    None where no file can have such a name: it is too long, has a null character or half a character, or its links lead
    in a circle.
    """
    try:
        path = (folder / text).resolve()
        path.lstat()
    except (ValueError, RuntimeError):
        return None
    except OSError as error:
        return None if error.errno == errno.ENAMETOOLONG else path
    return path
