"""Where output may go: a file that can be written, and a different one for each output. Both are known before anything
runs."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from karat.core.problems import UserError
from karat.core.remote.address import address_of


def why_not_writable(path: Path) -> str:
    """Why no file can be written there, as far as can be seen without writing it; empty where one can."""
    if "\0" in str(path):
        return "the name of the file contains a NUL character; choose another name."
    if path.is_dir():
        return f"{path} is a folder; give a file name."
    place = next((parent for parent in path.parents if parent.exists()), None)
    if place is not None and not place.is_dir():
        return f"{place} is a file, not a folder; choose another path."
    if place is not None and not os.access(place, os.W_OK | os.X_OK):
        return f"you do not have permission to write to {place}; choose another path."
    return ""


def refuse_unwritable(*paths: str | Path | None) -> None:
    """Raise for the first of these outputs that cannot be written, and where two would be the same file."""
    given = [Path(path) for path in paths if path is not None]
    for path in given:
        if address_of(path) is None and (why := why_not_writable(path)):
            raise UserError(why.removesuffix("."))
    refuse_same(given)


def refuse_same(paths: Iterable[str | Path]) -> None:
    """Raise where two outputs are the same file, however it is written: the second would replace the first."""
    seen: set[str] = set()
    for path in paths:
        place = str(path) if address_of(path) is not None else os.path.realpath(path)
        if place in seen and not _takes_both(place):
            raise UserError("two outputs have the same destination", hint="Give each its own file.")
        seen.add(place)


def _takes_both(place: str) -> bool:
    """A pipe or a device, such as ``/dev/null``, takes one output after the other."""
    try:
        mode = Path(place).stat().st_mode
    except OSError:
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)
