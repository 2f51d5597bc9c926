"""Queries as trees. Several parts of a verdict read the same gold, one after the other: it is parsed once."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.dialects.dialect import Dialect

MOST_TREES = 256
MOST_CHARACTERS = 50_000
"""Of a query that is taken apart: a longer one takes seconds for each look at it, and runs all the same."""


class _Trees(threading.local):
    """The trees that this thread has read last."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], exp.Expr] = {}


_trees = _Trees()


def parsed(sql: str, dialect: str) -> exp.Expr:
    """The tree of a query, to be read only: copy it to change it. Raises SqlglotError or RecursionError."""
    kept = _trees.kept
    tree = kept.get((sql, dialect))
    if tree is None:
        if len(kept) >= MOST_TREES:
            kept.pop(next(iter(kept)))
        tree = kept[sql, dialect] = tree_of(sql, dialect)
    return tree


def own_tree(sql: str, dialect: str) -> exp.Expr:
    """The tree of a query, for the caller alone: a later reader of the query parses it again, which takes little
    longer than a copy. Raises SqlglotError or RecursionError."""
    tree = _trees.kept.pop((sql, dialect), None)
    return tree_of(sql, dialect) if tree is None else tree


@lru_cache(maxsize=16)
def dialect_of(name: str) -> Dialect:
    """sqlglot looks a dialect up by its name each time, which costs as much as to write a short query."""
    from sqlglot.dialects.dialect import Dialect

    return Dialect.get_or_raise(name)


def tree_of(sql: str, dialect: str) -> exp.Expr:
    """The tree of a query, parsed now. Raises SqlglotError or RecursionError."""
    import sqlglot
    from sqlglot.errors import ParseError

    if len(sql) > MOST_CHARACTERS:
        raise ParseError(f"it has {len(sql):,} characters, and at most {MOST_CHARACTERS:,} are taken apart")
    return sqlglot.parse_one(sql, dialect=dialect_of(dialect))
