"""The text of a query as a tree, in DuckDB's dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from sqlglot import exp

    Expression: TypeAlias = exp.Expr

DIALECT = "duckdb"
LONGEST = 50_000
"""Characters of a query that is read."""


def statements_of(text: str) -> list[Expression]:
    """The statements of a text; none when it cannot be read, or sqlglot is not installed."""
    if len(text) > LONGEST:
        return []
    try:
        import sqlglot
        from sqlglot.errors import SqlglotError
    except ModuleNotFoundError:
        return []
    try:
        return [one for one in sqlglot.parse(text, dialect=DIALECT) if one is not None]
    except (SqlglotError, RecursionError):
        return []
