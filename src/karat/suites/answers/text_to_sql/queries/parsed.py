"""Queries as trees. Several parts of a verdict read the same gold, one after the other: it is parsed once."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.dialects.dialect import Dialect


@lru_cache(maxsize=256)
def parsed(sql: str, dialect: str) -> exp.Expr:
    """The tree of a query, to be read only: copy it to change it. Raises SqlglotError or RecursionError."""
    return fresh_tree(sql, dialect)


@lru_cache(maxsize=16)
def dialect_of(name: str) -> Dialect:
    """sqlglot looks a dialect up by its name each time, which costs as much as to write a short query."""
    from sqlglot.dialects.dialect import Dialect

    return Dialect.get_or_raise(name)


def fresh_tree(sql: str, dialect: str) -> exp.Expr:
    """The tree of a query that is looked at once. Raises SqlglotError or RecursionError.

    Only names in quotes know their place in the text. To copy the places of all others would take longer than to copy
    the tree.
    """
    import sqlglot
    from sqlglot import exp

    tree = sqlglot.parse_one(sql, dialect=dialect_of(dialect))
    for name in tree.find_all(exp.Identifier):
        if not name.args.get("quoted"):
            name.meta.clear()
    return tree
