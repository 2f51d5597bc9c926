"""Whether the file of a store is still the one that was opened.

A process can write to a file that somebody has removed, and nothing fails: it is all gone when the process ends. So
every transaction looks whether the name still leads to the same file.
"""

from __future__ import annotations

from karat.core.problems import UserError
from karat.store.database.address import Address, SqliteAddress

Identity = tuple[int, int] | None
"""Device and number of a file; None for a store that is not a file."""


def file_of(address: Address) -> Identity:
    """The file behind an address now."""
    if not isinstance(address, SqliteAddress):
        return None
    try:
        found = address.path.stat()
    except OSError:
        return (0, 0)
    return found.st_dev, found.st_ino


def check_file(address: Address, opened: Identity) -> None:
    """An error when the file that was opened is gone, or another is in its place."""
    if opened is None or file_of(address) == opened:
        return
    there = file_of(address) != (0, 0)
    what = "another file is in its place" if there else "its file was removed or moved"
    hint = "Everything stored in it is gone. Put the file back and resume the run, or start the run again."
    raise UserError(f"the store {address.shown} disappeared while it was in use: {what}", hint=hint)
