"""Output files named on the command line. A path that cannot be written is reported before anything runs."""

from __future__ import annotations

import os
from pathlib import Path

import typer

from karat.core.remote.address import address_of, is_url


def text_output(out: str | None) -> str | None:
    """An output that is a file, or printed: ``-``."""
    if out is not None and out != "-":
        _writable(Path(out))
    return str(Path(out)) if out is not None and is_url(out) else out


def file_output(out: Path | None) -> Path | None:
    """An output that is never printed: ``-`` would be a file of that name."""
    if out is not None:
        if str(out) == "-":
            raise typer.BadParameter("this output cannot be printed; give a file name.")
        _writable(out)
    return out


def _writable(path: Path) -> None:
    address = address_of(path)
    if address is not None:
        from karat.core.remote.upload import check_writable

        check_writable(address)
        return
    if path.is_dir():
        raise typer.BadParameter(f"{path} is a folder; give a file name.")
    place = next((parent for parent in path.parents if parent.exists()), None)
    if place is not None and not place.is_dir():
        raise typer.BadParameter(f"{place} is a file, not a folder; choose another path.")
    if place is not None and not os.access(place, os.W_OK | os.X_OK):
        raise typer.BadParameter(f"you do not have permission to write to {place}; choose another path.")
