"""Folders are small enough to read as a table of contents: about 15 files each, with one exception."""

from __future__ import annotations

from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "karat"
MOST = 16
EXCEPTIONS = {
    "web/templates": (34, "one template per page or part of a page; the names begin with the page"),
}
"""Folder → how many files it may have, and why."""
FOLDERS = sorted(path for path in SOURCE.rglob("*") if path.is_dir() and path.name != "__pycache__")


def files(folder: Path) -> list[str]:
    """What somebody sees who opens a folder, without what every folder has and what Python puts there."""
    return sorted(path.name for path in folder.iterdir() if path.is_file() and path.name != "__init__.py")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(SOURCE)))
def test_a_folder_has_few_files(folder: Path) -> None:
    most, _ = EXCEPTIONS.get(str(folder.relative_to(SOURCE)), (MOST, ""))
    found = files(folder)
    assert len(found) <= most, f"{len(found)} files: put those that belong together into a folder of their own"


def test_every_exception_is_still_needed() -> None:
    assert [name for name in EXCEPTIONS if len(files(SOURCE / name)) <= MOST] == []
