"""Queries as trees. Several parts of a verdict read the same gold, one after the other: it is parsed once."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp


@lru_cache(maxsize=256)
def parsed(sql: str, dialect: str) -> exp.Expr:
    """The tree of a query, to be read only: copy it to change it. Raises SqlglotError or RecursionError."""
    import sqlglot

    return sqlglot.parse_one(sql, dialect=dialect)
