"""The tables of a database with their columns and types, as far as it says. One query for each dialect."""

from __future__ import annotations

import msgspec

from karat.engines.protocol import Engine

MOST_COLUMNS = 5_000
"""Columns that are read of a database."""

_STANDARD = """
SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns
WHERE lower(table_schema) NOT IN ('information_schema', 'pg_catalog', 'mysql', 'performance_schema', 'sys')
ORDER BY table_schema, table_name, ordinal_position
"""
_QUERIES = {
    "sqlite": """
SELECT '' AS s, m.name AS t, c.name AS n, c.type AS k FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, c.cid
""",
    "bigquery": """
SELECT table_schema, table_name, column_name, data_type FROM INFORMATION_SCHEMA.COLUMNS
ORDER BY table_schema, table_name, ordinal_position
""",
}
_UNNAMED = ("", "main", "public", "dbo")
"""Schemas that a query need not name."""


class TableColumns(msgspec.Struct, frozen=True):
    """A table and its columns: (name, type)."""

    name: str
    columns: tuple[tuple[str, str], ...]


def tables_of(engine: Engine, *, timeout: float) -> tuple[TableColumns, ...]:
    """The tables of a database in the order of their names. Raises EngineError."""
    found = engine.run(_QUERIES.get(engine.dialect, _STANDARD), timeout=timeout, row_limit=MOST_COLUMNS)
    tables: dict[str, list[tuple[str, str]]] = {}
    several = len({schema for schema, *_ in found.rows()}) > 1
    for schema, table, column, kind in found.rows():
        named = f"{schema}.{table}" if several and schema not in _UNNAMED else str(table)
        tables.setdefault(named, []).append((str(column), kind or ""))
    return tuple(TableColumns(name, tuple(columns)) for name, columns in tables.items())
