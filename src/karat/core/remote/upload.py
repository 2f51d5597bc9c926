"""Files that are written to a URL: finished here first, then sent as a whole, so that nobody there ever reads half of
one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from karat.core.problems import UserError
from karat.core.remote import objects, web
from karat.core.remote.address import Address
from karat.core.remote.failures import with_tries


def send(address: Address, write: Callable[[Path], None]) -> None:
    """Let ``write`` fill a local file, then put it there in one step. Failure leaves what was there before."""
    if address.place.endswith("/") or "/" not in address.place:
        raise UserError(f"{address.shown} is a folder; give a file name")
    with tempfile.TemporaryDirectory(prefix="karat-send-") as folder:
        part = Path(folder) / f"part{Path(address.name).suffix}"
        write(part)
        upload = web.upload if address.kind == "web" else objects.upload
        with_tries(lambda: upload(address, part), address, "write")


def content_at(address: Address) -> bytes | None:
    """What is at a URL now; None where there is nothing."""
    read = web.content if address.kind == "web" else objects.content
    return with_tries(lambda: read(address), address)


def check_writable(address: Address) -> None:
    """Raise where it can be seen before anything runs that nothing can be written there."""
    if address.kind != "web":
        with_tries(lambda: objects.check_bucket(address), address, "write")
