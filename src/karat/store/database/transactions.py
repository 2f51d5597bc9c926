"""The transactions of an open store: each is seen as a whole or not at all, and its failures are said in words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine

from karat.core.problems import UserError
from karat.store.database.address import Address
from karat.store.database.commits import committing
from karat.store.database.failures import explained
from karat.store.database.file_identity import check_file, file_of
from karat.store.database.retrying import Patience


class Transactions:
    """Opens connections to one database, each for one transaction."""

    def __init__(self, engine: Engine, address: Address, patience: Patience, *, read_only: bool) -> None:
        self.writer = engine.execution_options(writes=True)
        # A reader sees one state of the store, as it does in a file: rows that move into blocks are seen once.
        postgres = engine.dialect.name == "postgresql"
        self._reader = engine.execution_options(isolation_level="REPEATABLE READ") if postgres else engine
        self._engine = engine
        self._address = address
        self._file = file_of(address)
        self._patience = patience
        self._read_only = read_only
        self._closed = False

    def close(self) -> None:
        """Give back the connections."""
        self._closed = True
        self._engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that reads."""
        check_file(self._address, self._file)
        with explained(self._address, self._damage):
            try:
                with self._reader.connect() as connection:
                    yield connection
            finally:
                if self._closed:  # a result that was not read to its end
                    self._engine.dispose()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that writes; what it wrote is on the disk when it is over."""
        shown = self._address.shown
        if self._read_only:
            hint = "Make the file and its folder writable, or open it without read-only."
            raise UserError(f"the store {shown} is open read-only", hint=hint)
        check_file(self._address, self._file)
        with explained(self._address, self._damage), committing(self.writer, self._patience, shown) as connection:
            yield connection
        check_file(self._address, self._file)

    def _damage(self) -> UserError | None:
        from karat.store.database.damage import damage

        return damage(self._engine, self._address.shown)
