"""What the text of a gold query says of its rows: whether they are ordered, by what, and where they are cut.

Two more queries are made of it: the same with its sort keys as further columns (``keyed``), and that without its LIMIT
(``uncut``). Both are only used where their rows agree with those of the gold itself.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from karat.suites.answers.text_to_sql.queries.parsed import dialect_of, parsed

if TYPE_CHECKING:
    from sqlglot import exp


class GoldQuery(msgspec.Struct, frozen=True):
    """A gold query, read."""

    ordered: bool = False
    """Whether the outermost query has ORDER BY."""
    limit: int | None = None
    offset: int = 0
    keyed: str = ""
    uncut: str = ""
    places: tuple[int, ...] = ()
    """Where the sort keys are in the rows of ``keyed``; negative ones are hidden columns at the end."""
    hidden: int = 0
    free_keys: tuple[str, ...] = ()
    """The names of columns that it orders by and does not group by."""
    cut_unordered: bool = False
    """LIMIT without ORDER BY: which rows are left is chance."""
    readable: bool = True


@lru_cache(maxsize=8192)
def read_gold(sql: str, dialect: str) -> GoldQuery:
    """The query, read once. Of one that sqlglot cannot read, only the text is known."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = parsed(sql, dialect)
    except (SqlglotError, RecursionError):
        return GoldQuery(ordered=re.search(r"\border\s+by\b[^)]*$", sql, re.IGNORECASE) is not None, readable=False)
    while isinstance(tree, exp.Subquery | exp.Paren):
        tree = tree.this
    if not isinstance(tree, exp.Select | exp.SetOperation):
        return GoldQuery()
    limit, offset = _number(tree.args.get("limit")), _number(tree.args.get("offset"))
    order = tree.args.get("order")
    if order is None:
        return GoldQuery(limit=limit, offset=offset or 0, cut_unordered=limit is not None)
    return _ordered(tree, order, limit, offset or 0, dialect)


def _number(node: exp.Expr | None) -> int | None:
    value = node.args.get("expression") if node is not None else None
    return int(value.name) if value is not None and value.name.isdigit() else None


def _ordered(tree: exp.Query, order: exp.Expr, limit: int | None, offset: int, dialect: str) -> GoldQuery:
    from sqlglot import exp

    outputs = [one.alias_or_name.lower() for one in tree.selects]
    texts = [one.unalias().sql(dialect_of(dialect)).lower() for one in tree.selects]
    star = any(isinstance(one, exp.Star) or (isinstance(one, exp.Column) and one.is_star) for one in tree.selects)
    places: list[int | exp.Expr] = []
    for one in order.expressions:
        key = one.this if isinstance(one, exp.Ordered) else one
        place = _place(key, outputs, texts, dialect, star)
        places.append(key if place is None else place)
    names = tuple(
        column.name for one in order.expressions for column in one.find_all(exp.Column) if not _grouped(tree, column)
    )
    plain = GoldQuery(True, limit, offset, free_keys=names)
    added = [key for key in places if isinstance(key, exp.Expr)]
    if added and (not isinstance(tree, exp.Select) or tree.args.get("distinct") is not None):
        return plain  # another column would change what is distinct
    keyed = tree.copy()
    if isinstance(keyed, exp.Select):
        for number, key in enumerate(added):
            keyed = keyed.select(exp.alias_(key.copy(), f"karat_key_{number}"), copy=False)
    uncut = keyed.copy()
    uncut.set("limit", None)
    uncut.set("offset", None)
    hidden = len(added)
    counted = iter(range(-hidden, 0))
    found = tuple(place if isinstance(place, int) else next(counted) for place in places)
    return GoldQuery(
        True,
        limit,
        offset,
        keyed.sql(dialect_of(dialect)),
        uncut.sql(dialect_of(dialect)) if limit is not None else "",
        found,
        hidden,
        names,
    )


def _place(key: exp.Expr, outputs: list[str], texts: list[str], dialect: str, star: bool) -> int | None:
    """Which column of the result a key is; None where it is none of them."""
    if key.name.isdigit() and key.key == "literal":
        return int(key.name) - 1
    if star:
        return None
    text = key.sql(dialect_of(dialect)).lower()
    if text in texts:
        return texts.index(text)
    if key.key == "column" and not key.args.get("table") and key.name.lower() in outputs:
        return outputs.index(key.name.lower())
    return None


def _grouped(tree: exp.Expr, column: exp.Expr) -> bool:
    group = tree.args.get("group")
    return group is not None and any(one.name.lower() == column.name.lower() for one in group.expressions)
