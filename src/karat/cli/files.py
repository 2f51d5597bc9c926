"""Files named on the command line: one that is not there has a near name, and one that cannot be written is told before anything runs."""

from __future__ import annotations

import os
from pathlib import Path

import typer


def near_path(path: Path, otherwise: str = "") -> str:
    """The file or folder beside this one that has the nearest name, as a hint."""
    from karat.core.problems import nearest

    try:
        known = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return f"There is no folder {path.parent} either." if not path.parent.exists() else otherwise
    close = nearest(path.name, known)
    return f'Did you mean "{path.parent / close[0]}"?' if close else otherwise


def read_sheet_bytes(file: Path) -> bytes:
    """The contents of a .sheet file."""
    from karat.core.files.reading import read_bytes
    from karat.core.problems import UserError

    try:
        return read_bytes(file)
    except OSError as error:
        hint = "Give a .sheet file."
        raise UserError(
            f"{file} cannot be read: {error.strerror}", hint=hint if file.exists() else near_path(file, hint)
        ) from None


def text_output(out: str | None) -> str | None:
    """An output that is a file, or printed: ``-``."""
    if out is not None and out != "-":
        _writable(Path(out))
    return out


def file_output(out: Path | None) -> Path | None:
    """An output that is never printed: ``-`` would be a file of that name."""
    if out is not None:
        if str(out) == "-":
            raise typer.BadParameter("this output cannot be printed; give a file name.")
        _writable(out)
    return out


def _writable(path: Path) -> None:
    if path.is_dir():
        raise typer.BadParameter(f"{path} is a folder; give a file name.")
    place = next((parent for parent in path.parents if parent.exists()), None)
    if place is not None and not place.is_dir():
        raise typer.BadParameter(f"{place} is a file, not a folder; choose another path.")
    if place is not None and not os.access(place, os.W_OK | os.X_OK):
        raise typer.BadParameter(f"you do not have permission to write to {place}; choose another path.")
