"""Gold files of which only the Git LFS pointer is there: a clone without Git LFS has these few lines in place of each.

They read as a table of one column, and a submission from the same clone would equal them.
"""

from __future__ import annotations

from pathlib import Path

from karat.core.files.kinds import LFS, foreign_kind

POINTER = "Git LFS pointer in place of the gold file"
"""How the problem of a gold begins that has one."""
_LARGEST = 1024
"""Bytes that a pointer has at most, by the format's own rule."""


def is_pointer(file: str) -> bool:
    """Whether a file is only the pointer to its content."""
    path = Path(file)
    try:
        return path.stat().st_size <= _LARGEST and foreign_kind(path.read_bytes()) is LFS
    except OSError:
        return False
