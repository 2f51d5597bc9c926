"""Files named by somebody else, held inside one folder.

A submission names its own files, and so does a gold row. A name may lead only to a regular file under its folder: not
by ``..``, not by an absolute path, not through a link, not to a device that never ends.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from karat.core.files.reading import kind_of
from karat.core.remote.address import url_inside

_DRIVE = re.compile(r"[A-Za-z]:")


class OutsideFolder(Exception):
    """A name that does not lead to a regular file inside its folder."""


def inside(root: Path, relative: str, *, under: str = "") -> Path:
    """The absolute path of a file under ``root``, or under a folder of it. Raises :class:`OutsideFolder`.

    The file need not be there; what is there must be a regular file. Both names are somebody else's, and both are held.
    """
    parts = [*(_parts(under) if under else ()), *_parts(relative)]
    # os.path and strings: a gold set has thousands of files, and each Path costs more than its lstat.
    base = os.path.realpath(root)
    path = base
    for number, part in enumerate(parts, start=1):
        path = os.path.join(path, part)  # noqa: PTH118 (see above)
        try:
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                path = _followed(path, base, relative)
                mode = os.lstat(path).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return _missing(Path(base, *parts), relative)
        except (OSError, ValueError) as error:  # a name too long or not UTF-8, a folder that may not be entered
            raise _unknown(relative, error) from error
        if number == len(parts) and not stat.S_ISREG(mode):
            kind = kind_of(mode)
            raise OutsideFolder(f'"{_shown(relative)}" is {kind}, not a file')
    return Path(path)


def _missing(path: Path, relative: str) -> Path:
    """A file that is not there, if one could be: the path as a whole may be too long where each part is not."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return path
    except (OSError, ValueError) as error:
        raise _unknown(relative, error) from error
    return path


def _unknown(relative: str, error: OSError | ValueError) -> OutsideFolder:
    why = error.strerror if isinstance(error, OSError) else "not a valid file name"
    return OutsideFolder(f'"{_shown(relative)}" cannot be looked up: {why}')


def _parts(relative: str) -> list[str]:
    shown = _shown(relative)
    if not relative.strip():
        raise OutsideFolder("the path is empty")
    if any(ord(character) < 32 for character in relative):
        raise OutsideFolder(f'"{shown}" contains a control character')
    if url := url_inside(relative):
        raise OutsideFolder(f'"{url}" is a URL: a file must be named by a path relative to its folder')
    if "\\" in relative:
        raise OutsideFolder(f'"{shown}" contains a backslash: use "/" between folders')
    if relative.startswith("/") or _DRIVE.match(relative):
        raise OutsideFolder(f'"{shown}" is an absolute path: it must be relative to its folder')
    parts = [part for part in relative.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise OutsideFolder(f'"{shown}" leaves its folder with ".."')
    if not parts:
        raise OutsideFolder(f'"{shown}" is a folder, not a file')
    return parts


def _followed(path: str, base: str, relative: str) -> str:
    """Where a link leads, when that lies inside too."""
    try:
        target = os.path.realpath(path, strict=True)
    except OSError as error:  # leads nowhere, or round in a circle
        raise OutsideFolder(f'"{_shown(relative)}" is a link that cannot be followed: {error.strerror}') from error
    if target != base and not target.startswith(base.rstrip(os.sep) + os.sep):
        raise OutsideFolder(f'"{_shown(relative)}" is a link that points outside its folder')
    return target


def _shown(relative: str) -> str:
    text = relative if len(relative) <= 80 else f"{relative[:80]}…"
    return "".join(character if character.isprintable() else "?" for character in text)
