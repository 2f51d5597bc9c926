"""The nearest name to a file that is not there."""

from __future__ import annotations

from pathlib import Path

from karat.core.problems import nearest


def near_path(path: Path, otherwise: str = "", *, folder: Path | None = None) -> str:
    """The file or folder beside this one that has the nearest name, as a hint. ``folder``: where it is looked for, if
    the path is to be named without it."""
    beside = path.parent if folder is None else folder
    try:
        known = [entry.name for entry in beside.iterdir() if entry.name != path.name]
    except OSError:
        return f"There is no folder {beside} either." if not beside.exists() else otherwise
    # The endings of two files are often the same and say nothing.
    close = [name for name in nearest(path.name, known, count=5) if nearest(path.stem, [Path(name).stem])]
    return f'Did you mean "{path.parent / close[0]}"?' if close else otherwise
