"""Notes of a run in and out of their table: one row per name, with any JSON value."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, delete, insert, select

from karat.core.json_types import JsonMapping, JsonObject
from karat.core.run_notes.notes import EVERY_SUITE
from karat.store.codec import pack, to_json, unpack
from karat.store.schema import notes

OF_A_SUITE = notes.c.name.not_in(EVERY_SUITE)
"""Whether a note is one that a suite declares."""


def insert_notes(connection: Connection, run_id: int, given: JsonMapping, now: str, *, replace: bool) -> None:
    """Keep notes of a run. One of the same name gives way with ``replace``, and stays without."""
    own = notes.c.run_id == run_id
    if replace:
        connection.execute(delete(notes).where(own, notes.c.name.in_(given)))
    there = set(connection.execute(select(notes.c.name).where(own)).scalars())
    rows = []
    for name, value in given.items():
        if name not in there:
            codec, data = pack(to_json(value))
            rows.append({"run_id": run_id, "name": name, "codec": codec, "data": data, "created": now})
    if rows:
        connection.execute(insert(notes), rows)


def any_notes(connection: Connection) -> bool:
    """Whether a run has one that its suite declares."""
    return connection.execute(select(notes.c.run_id).where(OF_A_SUITE).limit(1)).first() is not None


def read_notes(connection: Connection, run_id: int) -> JsonObject:
    """The notes of a run, by name."""
    query = select(notes.c.name, notes.c.codec, notes.c.data).where(notes.c.run_id == run_id).order_by(notes.c.name)
    return {name: msgspec.json.decode(unpack(codec, data)) for name, codec, data in connection.execute(query)}
