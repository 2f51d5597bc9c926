"""A URL as a path of this machine. Unchanged files are not fetched again, changed ones are; what changes while it is
read is read once more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, TypeVar

from karat.core.problems import UserError
from karat.core.remote import objects, web
from karat.core.remote.address import Address
from karat.core.remote.cache import Kept, Seen, blob, is_kept, keep, last_seen, remember, tree_of
from karat.core.remote.companion_files import names_in
from karat.core.remote.failures import Changed, with_tries
from karat.core.remote.fetch_limits import Room, displayed
from karat.core.remote.names import safe_parts

A = TypeVar("A")
B = TypeVar("B")

AT_ONCE = 16
"""Files of a folder that are fetched at the same time."""


def fetched(address: Address) -> Path:
    """The local, read-only copy of what is at a URL now."""
    done: dict[tuple[str, str], Kept] = {}  # what has come stays when the rest is tried again
    with displayed(address.shown) as watch:
        try:
            seen, folder = with_tries(lambda: _now(address, Room(address.shown, watch), done), address)
            tree = tree_of(folder, seen)
        except OSError as error:
            if isinstance(error, UserError):
                raise
            raise UserError(f"cannot keep a copy of {address.shown}: {error.strerror or error}") from error
    if seen != last_seen(address):
        remember(address, seen)
    return tree


def _now(address: Address, room: Room, done: dict[tuple[str, str], Kept]) -> tuple[Seen, Address]:
    """What is there, fetched as far as it is new, and the folder that its names are relative to."""
    before = last_seen(address)
    if address.kind == "web":
        if "/" not in address.place.rstrip("/"):
            raise UserError(f"{address.shown} names no file", hint=f"For example {address.scheme}://server/cases.yaml")
        page = _page(address, before.files[0] if before else None, room)
        return Seen(address.shown, (page,)), address
    found = objects.listing(address)
    known = {one.name: one for one in before.files} if before else {}
    files = _new(found.folder, found.items, known, room, done)
    if found.file:
        names = names_in(blob(files[0]))
        beside = objects.items_beside(found.folder, names) if names else []
        files += _new(found.folder, [item for item in beside if item.name != found.file], known, room, done)
    return Seen(address.shown, tuple(files), found.file), found.folder


def _new(
    folder: Address,
    items: Sequence[objects.Item],
    known: dict[str, Kept],
    room: Room,
    done: dict[tuple[str, str], Kept],
) -> list[Kept]:
    """The files of these objects: those that are not known yet, or not in this version, are fetched."""
    room.check([item.size for item in items])
    for item in items:
        safe_parts(item.name, folder.shown)
    known = known | {item.name: done[key] for item in items if (key := (item.place, item.version)) in done}
    wanted = [item for item in items if not _is_same(known.get(item.name), item)]
    room.expect(sum(item.size for item in wanted))

    def fetch(item: objects.Item) -> Kept:
        at = Address(folder.kind, folder.scheme, item.place)
        done[item.place, item.version] = with_tries(lambda: _object(at, item, room), at, passing=(Changed,))
        return done[item.place, item.version]

    new = {one.name: one for one in _each(fetch, wanted)}
    return [new.get(item.name) or known[item.name] for item in items]


def _each(action: Callable[[A], B], given: Sequence[A]) -> list[B]:
    """The action on each, several at once; the first that fails ends it."""
    if len(given) < 2:
        return [action(one) for one in given]
    with ThreadPoolExecutor(AT_ONCE) as threads:
        tasks = [threads.submit(action, one) for one in given]
        try:
            return [task.result() for task in tasks]
        except BaseException:
            threads.shutdown(cancel_futures=True)
            raise


def _is_same(kept: Kept | None, item: objects.Item) -> bool:
    return kept is not None and bool(item.version) and kept.version == item.version and is_kept(kept)


def _object(address: Address, item: objects.Item, room: Room) -> Kept:
    digest, size = keep(lambda out: objects.download(address, item, out, room))
    return Kept(item.name, item.version, size, digest)


def _page(address: Address, before: Kept | None, room: Room) -> Kept:
    usable = before if before is not None and before.version and is_kept(before) else None
    answered: list[str] = []

    def fill(out: IO[bytes]) -> None:
        version = web.download(address, usable.version if usable else "", out, room)
        if version is None:
            raise _Unchanged
        answered.append(version)

    try:
        digest, size = keep(fill)
    except _Unchanged:
        assert usable is not None  # noqa: S101 (only a version that was sent can be unchanged)
        return usable
    return Kept("", answered[-1], size, digest)


class _Unchanged(Exception):
    """The server has nothing newer."""
