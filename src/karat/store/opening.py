"""Opening a store by its URL."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from karat.store.database.address import SqliteAddress, parse_address

if TYPE_CHECKING:
    from karat.store.store import Store


def open_store(url: str, *, create: bool = True, read_only: bool = False) -> Store:
    """The store at ``sqlite:///FILE``, a plain file name, or ``postgresql://USER:PASSWORD@HOST/DATABASE``.

    It is made when it is not there (unless ``create`` is False) and upgraded when an older karat wrote it. A SQLite
    file that may not be written is opened for reading; writing to it then says why it cannot.
    """
    address = parse_address(url)

    from karat.core.files.private import make_file
    from karat.store.database.failures import explained, read_only_failure
    from karat.store.database.revision import bring_up_to_date, missing
    from karat.store.database.sqlite import make_folder, may_write, sqlite_engine
    from karat.store.store import Store

    if isinstance(address, SqliteAddress):
        there = address.path.is_file()
        if not there and (read_only or not create):
            raise missing(address)
        make_folder(address.path)
        if not may_write(address.path):
            if not there:
                raise read_only_failure(address.shown)
            read_only = True
        if not read_only:
            with suppress(OSError):  # where no file can be made, SQLite says why in its own words
                make_file(address.path)
        engine = sqlite_engine(address.path, read_only=read_only)
    else:
        from karat.store.database.postgres import postgres_engine

        engine = postgres_engine(address, read_only=read_only)
    try:
        with explained(address):
            bring_up_to_date(engine, address, create=create, read_only=read_only)
    except BaseException:
        engine.dispose()
        raise
    return Store(engine, address, read_only=read_only)
