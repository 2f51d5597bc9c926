"""The functions behind ``karat store``; a store may also be a file in an object store."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from karat.core.problems import UserError
from karat.core.remote.address import address_of
from karat.verbs.inputs.projects import store_here

if TYPE_CHECKING:
    from karat.store.upkeep.findings import Checked, Watch
    from karat.store.upkeep.move import Moved

T = TypeVar("T", bound=msgspec.Struct)


def check_store(
    store: str | Path = "", *, config: str | Path | None = None, watch: Watch = lambda _table, _rows: None
) -> Checked:
    """Everything that is wrong with a store: its file, its values, and what must hold between its rows.

    ``store`` is the project's store by default; it may also be the URL of a file in an object store. Nothing is
    changed.
    """
    from karat.store.upkeep.check import check_store as check

    with _local(store) as copy:
        return _as_given(check(copy or store_here(store, config), watch), "store", store)


def repair_store(
    store: str | Path = "",
    out: str | Path | None = None,
    *,
    config: str | Path | None = None,
    watch: Watch = lambda _table, _rows: None,
) -> Checked:
    """Save what can be saved of a damaged SQLite store, into the new file ``out``, or in its place: then the damaged
    file is kept beside it. A store with nothing wrong is left alone."""
    from karat.store.upkeep.repair import repair_store as repair

    for given in (store, out):
        if given and _remote(given):
            hint = "Copy the store to this machine first: karat store move URL FILE"
            raise UserError("a store at a URL cannot be repaired", hint=hint)
    return repair(store_here(store, config), None if out is None else Path(out), watch)


def move_store(source: str | Path, target: str | Path, *, watch: Watch = lambda _table, _rows: None) -> Moved:
    """Copy a whole store to an empty place: SQLite files, PostgreSQL databases, and files in an object store. Run ids
    stay; the source stays too."""
    from karat.store.upkeep.move import move_store as move

    with _local(source) as copy:
        return _as_given(move(copy or store_here(source), _target(target), watch), "source", source)


def _target(target: str | Path) -> str:
    return str(target) if _remote(target) else store_here(target)


def _remote(store: str | Path) -> bool:
    """Whether this is the URL of a file, and not of a database."""
    return bool(store) and not str(store).lower().startswith(("postgres", "sqlite")) and address_of(store) is not None


@contextmanager
def _local(store: str | Path) -> Iterator[str]:
    """The URL of a copy of a store that is a remote file; empty for any other store."""
    if not _remote(store):
        yield ""
        return
    from karat.core.remote.paths import local_path

    with tempfile.TemporaryDirectory(prefix="karat-store-") as folder:  # the copy that was fetched must not change
        copy = Path(folder) / "karat.db"
        shutil.copyfile(local_path(store), copy)
        yield f"sqlite:///{copy}"


def _as_given(found: T, name: str, store: str | Path) -> T:
    """With the URL of a remote store in place of that of its copy."""
    address = address_of(store) if _remote(store) else None
    return found if address is None else msgspec.structs.replace(found, **{name: address.shown})
