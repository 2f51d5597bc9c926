"""The one call for every place where a path comes in: a URL becomes the path of its copy, a path stays what it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any  # Any: what is no path or URL stays what its caller gave

from karat.core.remote.address import address_of


def local_path(given: str | Path, root: Path | None = None) -> Path:
    """The path of a file or folder that was named by a path, below ``root`` where it is relative, or by a URL."""
    address = address_of(given)
    if address is None:
        return Path(given) if root is None else root / given
    from karat.core.remote.fetch import fetched

    return fetched(address)


def local_input(given: object) -> Any:
    """The same for whatever a verb was given: a path or URL, several, or something that is neither and stays as it
    is."""
    if isinstance(given, str | Path):
        return local_path(given) if address_of(given) is not None else given
    if isinstance(given, list) and given and all(isinstance(one, str | Path) for one in given):
        return [local_input(one) for one in given]
    return given


def local_tables(tables: Mapping[str, str | Path]) -> dict[str, Path]:
    """The same for tables by their names."""
    return {name: local_path(file) for name, file in tables.items()}


def rooted_text(given: str, root: Path) -> str:
    """A path below ``root`` where it is relative; a URL stays as it is, to be fetched when it is opened."""
    return given if address_of(given) is not None else str(root / given)
