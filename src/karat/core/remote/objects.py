"""Object stores through fsspec: S3, Google Cloud Storage, Azure. Credentials come from where the store's own tools look
for them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple  # Any: a file system of fsspec, which has no types

from karat.core.files.limits import MIB
from karat.core.installed.extras import require
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import UserError, nearest
from karat.core.remote.address import Address
from karat.core.remote.failures import Changed
from karat.core.remote.fetch_limits import Room

BLOCK = 8 * MIB
_SETTINGS: dict[str, JsonObject] = {
    "s3": {"config_kwargs": {"connect_timeout": 10, "read_timeout": 60, "retries": {"max_attempts": 1}}},
    "gs": {},
    "az": {},
}


class Item(NamedTuple):
    """An object of a listing. ``version`` changes whenever its content does."""

    name: str
    place: str
    size: int
    version: str


class Listing(NamedTuple):
    """What is at a URL: all below a prefix, or one object, then ``file`` is its name. Names are relative to
    ``folder``."""

    folder: Address
    items: tuple[Item, ...]
    file: str = ""


def listing(address: Address) -> Listing:
    """What is there now."""
    store, place = _store(address), address.place.rstrip("/")
    try:
        about = store.info(place)
    except FileNotFoundError:
        raise _nothing_there(store, address) from None
    if about.get("type") == "file" and not address.place.endswith("/"):
        return Listing(address.parent, (_item(address.name, about),), address.name)
    items = _below(store, address)
    if not items:
        raise _nothing_there(store, address)
    return Listing(address, items)


def items_beside(folder: Address, names: Sequence[str]) -> list[Item]:
    """The objects in the folder, and in those below it, that have one of these names; a name without a folder is met in
    any.

    A case file names a result by itself where the result lies in a folder of its case. Who may not list the folder gets
    what is there by its whole name.
    """
    wanted = {*names, *(name.rpartition("/")[2] for name in names)}
    try:
        return [
            item
            for item in _below(_store(folder), folder)
            if item.name in wanted or item.name.rpartition("/")[2] in wanted
        ]
    except PermissionError:
        found = (_item_named(folder, name) for name in names)
        return [item for item in found if item is not None]


def _below(store: Any, folder: Address) -> tuple[Item, ...]:
    place = folder.place.rstrip("/")
    items = []
    for name, one in store.find(place, detail=True).items():
        below = str(name)[len(place) :].removeprefix("/")
        if one.get("type") == "directory" or not below or (below.endswith("/") and not one.get("size")):
            continue  # an empty object that stands for a folder
        items.append(_item(below, one))
    return tuple(sorted(items))


def _item_named(folder: Address, name: str) -> Item | None:
    try:
        about = _store(folder).info(f"{folder.place.rstrip('/')}/{name}")
    except (FileNotFoundError, PermissionError):
        return None
    return _item(name, about) if about.get("type") == "file" else None


def download(address: Address, item: Item, out: IO[bytes], room: Room) -> None:
    """The content of an object; :class:`Changed` when it is not the version that was listed."""
    store = _store(address)
    size = 0
    try:
        with store.open(item.place, "rb", block_size=BLOCK, cache_type="readahead") as source:
            while data := source.read(BLOCK):
                size += len(data)
                room.take(len(data))
                out.write(data)
    except Exception as error:
        room.take(-size)
        if type(error).__name__ == "FileExpired":  # what s3fs calls an object that was replaced between two blocks
            raise Changed(item.place) from error
        raise
    if size != item.size or (size > BLOCK and _version(store.info(item.place)) != item.version):
        raise Changed(item.place)


def content(address: Address) -> bytes | None:
    """An object as a whole; None where there is none."""
    try:
        data: bytes = _store(address).cat_file(address.place)
    except FileNotFoundError:
        return None
    return data


def upload(address: Address, file: Path) -> None:
    """Put a finished file there. It is to be seen when it is complete, and not before."""
    _store(address).put_file(str(file), address.place)


def check_bucket(address: Address) -> None:
    """Raise when nothing can be written there, as far as that is seen without writing."""
    try:
        _store(address).info(address.bucket)
    except FileNotFoundError:
        raise _no_bucket(address) from None
    except PermissionError:
        return  # one may be allowed to write without being allowed to look


def _store(address: Address) -> Any:
    require(["remote"], f"{address.scheme}://")
    import fsspec

    # The listing is requested each time: what was there a minute ago says nothing about now.
    return fsspec.filesystem(address.scheme, use_listings_cache=False, **_SETTINGS[address.kind])


def _item(name: str, about: JsonMapping) -> Item:
    return Item(name, str(about["name"]), int(about.get("size") or 0), _version(about))


def _version(about: JsonMapping) -> str:
    """What the store knows a version by: its ETag and whatever else tells of a change."""
    keys = ("ETag", "etag", "generation", "VersionId", "LastModified", "last_modified", "mtime", "updated")
    found = [str(about[key]) for key in keys if about.get(key)]
    return " ".join([*found, str(about.get("size"))]) if found else ""


def _nothing_there(store: Any, address: Address) -> Exception:
    """An error that names what is missing, and the nearest thing that is not."""
    try:
        store.info(address.bucket)
    except FileNotFoundError:
        return _no_bucket(address)
    except Exception:
        return FileNotFoundError(address.place)
    parent, _, name = address.place.rstrip("/").rpartition("/")
    try:
        known = [
            str(entry).rstrip("/").rpartition("/")[2] for entry in store.ls(parent or address.bucket, detail=False)
        ]
    except Exception:
        known = []
    close = nearest(name, known[:10_000])
    hint = f'Did you mean "{address.scheme}://{parent}/{close[0]}"?' if close else "Check the URL."
    return UserError(f"cannot read {address.shown}: there is nothing there (404)", hint=hint)


def _no_bucket(address: Address) -> UserError:
    noun = "container" if address.kind == "az" else "bucket"
    return UserError(f'{address.shown}: there is no {noun} "{address.bucket}"', hint=f"Check the name of the {noun}.")
