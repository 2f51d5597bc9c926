"""Copying a store to another database: every table, row by row, with its ids; all of it or nothing.

What was written is read back and compared before it counts: the number of rows of each table, and a checksum over
their values that does not depend on their order.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any  # Any: rows are copied, whatever their table holds

import msgspec
from sqlalchemy import Connection, Table, func, insert, select

from karat.core.files.atomic import write_atomically
from karat.core.files.private import FILE_MODE
from karat.core.problems import UserError, count_of
from karat.core.remote.address import address_of
from karat.store import schema
from karat.store.codec import to_text
from karat.store.database.address import SqliteAddress, parse_address
from karat.store.leases.lease_parts import refuse_any_live
from karat.store.opening import open_store
from karat.store.store import Store
from karat.store.upkeep.findings import Watch
from karat.store.upkeep.reading import CHUNK
from karat.store.upkeep.sequences import read_sequences, write_sequences

_WHOLE = 1 << 128


class Moved(msgspec.Struct, frozen=True):
    """What was copied: rows by table."""

    source: str
    target: str
    tables: dict[str, int]


class _Sum(msgspec.Struct):
    rows: int = 0
    total: int = 0

    def add(self, row: Any) -> None:
        self.rows += 1
        values = [to_text(value) if isinstance(value, str) else value for value in row]
        value = blake2b(msgspec.msgpack.encode(values), digest_size=16).digest()
        self.total = (self.total + int.from_bytes(value, "big")) % _WHOLE


def move_store(source: str, target: str, watch: Watch = lambda _table, _rows: None) -> Moved:
    """Copy a store. The source stays as it is, apart from an upgrade of its tables. ``target`` is a store's URL, or the
    URL of a file in an object store."""
    remote = address_of(target) if "postgres" not in target.partition("://")[0] else None
    address = None if remote else parse_address(target)
    with open_store(source, create=False) as opened:
        _refuse_live_runs(opened)
        if remote is not None:
            from karat.core.remote.upload import content_at

            if content_at(remote) is not None:
                raise _not_empty(remote.shown, "an object")
            found: dict[str, int] = {}
            write_atomically(Path(target), lambda part: found.update(_to_file(opened, part, watch)))
            return Moved(opened.shown, remote.shown, found)
        assert address is not None  # noqa: S101 (one of the two is)
        if isinstance(address, SqliteAddress):
            _refuse_same(source, address)
            if address.path.exists():
                with open_store(target, create=False) as there:
                    _refuse_rows(there)
            written: dict[str, int] = {}
            write_atomically(address.path, lambda part: written.update(_to_file(opened, part, watch)))
            address.path.chmod(FILE_MODE)
            return Moved(opened.shown, address.shown, written)
        with open_store(target) as there:
            _refuse_rows(there)
            return Moved(opened.shown, there.shown, _copy(opened, there, watch))


def _to_file(source: Store, part: Path, watch: Watch) -> dict[str, int]:
    with open_store(str(part)) as target:
        return _copy(source, target, watch)


def _copy(source: Store, target: Store, watch: Watch) -> dict[str, int]:
    found: dict[str, int] = {}
    with source._reading() as reading:
        if reading.dialect.name == "postgresql":
            reading.execution_options(isolation_level="REPEATABLE READ")  # one moment of all tables
        with target._writing() as writing:
            for table in schema.copied_tables():
                sent = _Sum()
                for rows in _chunks(reading, table):
                    for row in rows:
                        sent.add(row)
                    writing.execute(insert(table), [dict(row._mapping) for row in rows])
                    watch(table.name, sent.rows)
                arrived = _Sum()
                for rows in _chunks(writing, table):
                    for row in rows:
                        arrived.add(row)
                if sent != arrived:
                    what = (
                        f"{count_of(sent.rows, 'row')} were sent and {arrived.rows:,} arrived, or their values differ"
                    )
                    hint = "Nothing was stored there. Please report it: the two databases disagree about a value."
                    raise UserError(f"the table {table.name} was not copied exactly: {what}", hint=hint)
                found[str(table.name)] = sent.rows
            write_sequences(writing, read_sequences(reading))
    return found


def _chunks(connection: Connection, table: Table) -> Iterator[Any]:
    query = select(table).order_by(*table.primary_key.columns)
    options = {"stream_results": True, "yield_per": CHUNK}
    return connection.execute(query, execution_options=options).partitions()


def _refuse_live_runs(store: Store) -> None:
    with store._reading() as connection:
        for run_id in connection.execute(select(schema.leases.c.run_id)).scalars().all():
            refuse_any_live(connection, run_id, "is being run, so the store cannot be moved now")


def _refuse_rows(store: Store) -> None:
    with store._reading() as connection:
        for table in schema.copied_tables():
            rows = connection.execute(select(func.count()).select_from(table)).scalar_one()
            if rows:
                raise _not_empty(store.shown, count_of(rows, f"row of {table.name}", f"rows of {table.name}"))


def _refuse_same(source: str, target: SqliteAddress) -> None:
    given = parse_address(source)
    if isinstance(given, SqliteAddress) and given.path.resolve() == target.path.resolve():
        raise UserError("source and destination are the same file")


def _not_empty(shown: str, what: str) -> UserError:
    hint = "A store is copied only to where none is, so that no run is lost. Choose another destination."
    return UserError(f"the destination {shown} is not empty: it has {what}", hint=hint)
