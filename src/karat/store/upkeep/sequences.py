"""The next number of each table that numbers its rows. The number of a deleted run is not given out again, so it is
more than the largest that is there."""

from __future__ import annotations

import sqlite3

from sqlalchemy import Connection, Integer, Table, func, select, text
from sqlalchemy.exc import DBAPIError

from karat.store import schema


def _numbered(connection: Connection) -> list[Table]:
    tables = [table for table in schema.metadata.sorted_tables if "id" in table.primary_key.columns]
    if connection.dialect.name == "sqlite":
        return [table for table in tables if table.dialect_options["sqlite"]["autoincrement"]]
    return tables


def read_sequences(connection: Connection) -> dict[str, int]:
    """Table → the largest number that was given out."""
    found: dict[str, int] = {}
    if connection.dialect.name == "sqlite":
        try:
            rows = connection.exec_driver_sql("SELECT name, seq FROM sqlite_sequence").all()
        except (DBAPIError, sqlite3.Error):  # damaged: then the largest number that is there has to do
            return {}
        return {name: seq for name, seq in rows if name in schema.metadata.tables and isinstance(seq, int)}
    for table in _numbered(connection):
        sequence = _sequence(connection, table)
        number = connection.execute(text(f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {sequence}"))  # noqa: S608 (the server's own name)
        found[str(table.name)] = int(number.scalar_one())
    return found


def write_sequences(connection: Connection, given: dict[str, int]) -> None:
    """Go on from the largest of these and of the numbers that are there."""
    for table in _numbered(connection):
        largest = connection.execute(select(func.coalesce(func.max(table.c.id), 0).cast(Integer))).scalar_one()
        number = max(largest, given.get(table.name, 0))
        if not number:
            continue
        if connection.dialect.name == "sqlite":
            connection.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), {"name": table.name})
            statement = text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :seq)")
            connection.execute(statement, {"name": table.name, "seq": number})
        else:
            statement = text("SELECT setval(CAST(:sequence AS regclass), :number)")
            connection.execute(statement, {"sequence": _sequence(connection, table), "number": number})


def _sequence(connection: Connection, table: Table) -> str:
    return str(
        connection.execute(text("SELECT pg_get_serial_sequence(:name, 'id')"), {"name": table.name}).scalar_one()
    )
