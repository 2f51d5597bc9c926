"""The one call for every place where a path comes in: a URL becomes the path of its copy, a path stays what it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any  # Any: what is no path or URL stays what its caller gave

from karat.core.problems import UserError
from karat.core.remote.address import address_of


def local_path(given: str | Path, root: Path | None = None) -> Path:
    """The path of a file or folder that was named by a path, below ``root`` where it is relative, or by a URL."""
    address = address_of(given)
    if address is None:
        refuse_nul(given)
        return Path(given) if root is None else root / given
    from karat.core.remote.fetch import fetched

    return fetched(address)


def refuse_nul(given: str | Path) -> None:
    """Raise for a path that no file can have: YAML reads ``"data\\01.yaml"`` as a NUL character and ``1.yaml``."""
    if "\0" in str(given):
        shown = str(given).replace("\0", "\\0")
        hint = "Between double quotes, YAML reads \\0 as that character: use / or single quotes."
        raise UserError(f"the path {shown} contains a NUL character", hint=hint)


def local_input(given: object) -> Any:
    """The same for whatever a verb was given: a path or URL, several, or something that is neither and stays as it
    is. ``./cases.yaml`` is ``cases.yaml`` for every verb, from Python as from the command line."""
    if isinstance(given, str | Path):
        return local_path(given)
    if isinstance(given, list) and given and all(isinstance(one, str | Path) for one in given):
        return [local_path(one) if address_of(one) is not None else one for one in given]
    return given


def local_tables(tables: Mapping[str, str | Path]) -> dict[str, Path]:
    """The same for tables by their names."""
    return {name: local_path(file) for name, file in tables.items()}


def rooted_text(given: str, root: Path) -> str:
    """A path below ``root`` where it is relative; a URL stays as it is, to be fetched when it is opened."""
    if address_of(given) is not None:
        return given
    refuse_nul(given)
    return str(root / given)
