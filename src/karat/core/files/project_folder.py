"""Where a project is, and where Karat keeps what it can make again."""

from __future__ import annotations

from pathlib import Path

FILE = "karat.yaml"


def find_project(start: Path | None = None) -> Path | None:
    """The karat.yaml of this folder or of the nearest one above it."""
    folder = (start or Path()).resolve()
    return next((place / FILE for place in (folder, *folder.parents) if (place / FILE).is_file()), None)


def vectors_folder(sheet: Path) -> Path:
    """Where the vectors of a sheet are kept: with the project that it belongs to; in the working folder when it belongs
    to none."""
    project = find_project(sheet.parent)
    return (project.parent if project is not None else Path()) / ".karat" / "vectors"
