"""Blocks in and out of their tables. A run and a scoring each have blocks of several kinds; those of one kind follow
one another, and are never changed once they are written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any  # Any: the columns of a query are chosen by its caller

import msgspec
from sqlalchemy import Connection, Integer, Select, Table, bindparam, insert, select

from karat.store.blocks.block import Block, pack_block
from karat.store.database.commits import allow_for_block

PAGE = 16
"""Blocks that are fetched at once where all of them are read."""


class Stored(msgspec.Struct, frozen=True, gc=False):
    """A block, and the position of its first row among all rows of its kind."""

    first: int
    block: Block

    @property
    def end(self) -> int:
        """The position after its last row."""
        return self.first + self.block.rows


def end_of(connection: Connection, table: Table, owner: int, kind: str) -> int:
    """How many rows of a kind there are."""
    row = connection.execute(_newest(table), {"owner": owner, "kind": kind}).first()
    return 0 if row is None else int(row[0] + row[1])


def append_block(
    connection: Connection,
    table: Table,
    owner: int,
    kind: str,
    first: int,
    items: Sequence[bytes],
    rows: int | None = None,
) -> None:
    """One more block; ``rows`` where the items are columns."""
    allow_for_block(connection, sum(map(len, items)))
    block = pack_block(items, rows)
    place = {table.c[0].name: owner, "kind": kind, "first": first, "rows": block.rows}
    connection.execute(insert(table), {**place, "checksum": block.checksum, "data": block.data})


def blocks_from(
    connection: Connection, table: Table, owner: int, kind: str, begin: int = 0, page: int = PAGE
) -> Iterator[Stored]:
    """All blocks from the one that begins at ``begin``, a few at a time."""
    while rows := connection.execute(_from(table), {"owner": owner, "kind": kind, "begin": begin, "most": page}).all():
        for row in rows:
            yield _stored(row)
        begin = rows[-1].first + 1


def block_at(connection: Connection, table: Table, owner: int, kind: str, position: int) -> Stored | None:
    """The block that holds a position; None past the end."""
    row = connection.execute(_at(table), {"owner": owner, "kind": kind, "position": position}).first()
    return None if row is None or row.first + row.rows <= position else _stored(row)


# Statements are made once: making one takes longer than reading a small block.


@cache
def _newest(table: Table) -> Select[Any]:
    return _query(table, table.c.first, table.c.rows).order_by(table.c.first.desc()).limit(1)


@cache
def _from(table: Table) -> Select[Any]:
    query = _all(table).where(table.c.first >= bindparam("begin"))
    return query.order_by(table.c.first).limit(bindparam("most", type_=Integer))


@cache
def _at(table: Table) -> Select[Any]:
    query = _all(table).where(table.c.first <= bindparam("position"))
    return query.order_by(table.c.first.desc()).limit(1)


def _query(table: Table, *columns: Any) -> Select[Any]:
    return select(*columns).where(table.c[0] == bindparam("owner"), table.c.kind == bindparam("kind"))


def _all(table: Table) -> Select[Any]:
    return _query(table, table.c.first, table.c.rows, table.c.checksum, table.c.data)


def _stored(row: Any) -> Stored:
    return Stored(row.first, Block(row.rows, row.checksum, bytes(row.data)))
