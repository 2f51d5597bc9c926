"""The tables of a database with their columns and types, as far as it says."""

from __future__ import annotations

from contextlib import suppress

import msgspec

from karat.engines.embedded_file import EmbeddedEngine
from karat.engines.protocol import Engine, EngineError

MOST_TABLES = 500
MOST_COLUMNS = 5_000
"""Columns that are read of a database."""

_STANDARD = """
SELECT table_schema, table_name, column_name, data_type, is_nullable FROM information_schema.columns
WHERE lower(table_schema) NOT IN ('information_schema', 'pg_catalog', 'mysql', 'performance_schema', 'sys')
ORDER BY table_schema, table_name, ordinal_position
"""
_BIGQUERY = """
SELECT table_schema, table_name, column_name, data_type, is_nullable FROM INFORMATION_SCHEMA.COLUMNS
ORDER BY table_schema, table_name, ordinal_position
"""
_SQLITE = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
_UNNAMED = ("", "main", "public", "dbo")
"""Schemas that a query need not name."""


class TableColumns(msgspec.Struct, frozen=True):
    """A table and its columns: (name, type)."""

    name: str
    columns: tuple[tuple[str, str], ...]
    required: tuple[str, ...] = ()
    """The columns that hold no null."""


def tables_of(engine: Engine, *, timeout: float) -> tuple[TableColumns, ...]:
    """The tables of a database in the order of their names. Raises EngineError."""
    if isinstance(engine, EmbeddedEngine) and engine.dialect == "sqlite":
        return _sqlite_tables(engine, timeout)
    query = _BIGQUERY if engine.dialect == "bigquery" else _STANDARD
    found = engine.run(query, timeout=timeout, row_limit=MOST_COLUMNS)
    tables: dict[str, list[tuple[str, str]]] = {}
    required: dict[str, list[str]] = {}
    several = len({schema for schema, *_ in found.rows()}) > 1
    for schema, table, column, kind, nullable in found.rows():
        named = f"{schema}.{table}" if several and schema not in _UNNAMED else str(table)
        tables.setdefault(named, []).append((str(column), kind or ""))
        if str(nullable).upper() in ("NO", "FALSE"):
            required.setdefault(named, []).append(str(column))
    return tuple(TableColumns(name, tuple(columns), tuple(required.get(name, ()))) for name, columns in tables.items())


def _sqlite_tables(engine: EmbeddedEngine, timeout: float) -> tuple[TableColumns, ...]:
    """SQLite has no table of columns: each table is asked for its own. A view that is broken has none."""
    names = engine.run(_SQLITE, timeout=timeout, row_limit=MOST_TABLES).rows()
    tables = []
    for (name,) in names:
        quoted = str(name).replace('"', '""')
        with suppress(EngineError):
            # The guard lets no PRAGMA through; the connection itself allows this one, which only reads.
            columns = engine.unguarded(f'PRAGMA table_info("{quoted}")', timeout=timeout, row_limit=MOST_COLUMNS)
            by_name = dict(zip(columns.names, columns.columns, strict=True))
            column_names = [str(column) for column in by_name.get("name", ())]
            pairs = zip(column_names, by_name.get("type", ()), strict=True)
            declared = zip(column_names, by_name.get("notnull", ()), by_name.get("pk", ()), strict=True)
            keys = sum(_is_true(key) for key in by_name.get("pk", ()))
            # SQLite lets nulls into a key of several columns, and into a key of texts; who declares one means none.
            required = tuple(column for column, one, key in declared if _is_true(one) or (keys == 1 and _is_true(key)))
            tables.append(TableColumns(str(name), tuple((column, kind or "") for column, kind in pairs), required))
    return tuple(tables)


def _is_true(cell: str | None) -> bool:
    """A flag of a PRAGMA, which comes as text."""
    return str(cell or 0) != "0"
