"""The nearest name to a file that is not there."""

from __future__ import annotations

from pathlib import Path

from karat.core.problems import nearest


def near_path(path: Path, otherwise: str = "") -> str:
    """The file or folder beside this one that has the nearest name, as a hint."""
    try:
        known = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return f"There is no folder {path.parent} either." if not path.parent.exists() else otherwise
    close = nearest(path.name, known)
    return f'Did you mean "{path.parent / close[0]}"?' if close else otherwise
