"""What the text of a gold query says of its rows: whether they are ordered, by what, and where they are cut.

Where order or ties must be settled, two more queries are made of it: the same with its sort keys as further columns
(``keyed``), and that without its LIMIT (``uncut``). Both are only used where their rows agree with those of the gold
itself.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from karat.suites.answers.text_to_sql.queries.parsed import dialect_of, parsed

if TYPE_CHECKING:
    from sqlglot import exp


class WithKeys(msgspec.Struct, frozen=True):
    """A gold query with its sort keys as columns; without text where that cannot be written."""

    keyed: str = ""
    uncut: str = ""
    places: tuple[int, ...] = ()
    """Where the sort keys are in the rows of ``keyed``; negative ones are hidden columns at the end."""
    hidden: int = 0


class GoldQuery(msgspec.Struct, frozen=True):
    """A gold query, read."""

    ordered: bool = False
    """Whether the outermost query has ORDER BY."""
    limit: int | None = None
    offset: int = 0
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
        tree = _outermost(sql, dialect)
    except (SqlglotError, RecursionError):
        return GoldQuery(ordered=re.search(r"\border\s+by\b[^)]*$", sql, re.IGNORECASE) is not None, readable=False)
    if tree is None:
        return GoldQuery()
    limit, offset = _number(tree.args.get("limit")), _number(tree.args.get("offset"))
    order = tree.args.get("order")
    if order is None or all(isinstance(one.this, exp.Rand) for one in order.expressions):
        return GoldQuery(limit=limit, offset=offset or 0, cut_unordered=limit is not None)
    keys = [column for one in order.expressions for column in one.find_all(exp.Column)]
    return GoldQuery(True, limit, offset or 0, tuple(column.name for column in keys if not _grouped(tree, column)))


def _outermost(sql: str, dialect: str) -> exp.Query | None:
    """The query without brackets around it; None where it is none that can be ordered."""
    from sqlglot import exp

    tree = parsed(sql, dialect)
    while isinstance(tree, exp.Subquery | exp.Paren):
        tree = tree.this
    return tree if isinstance(tree, exp.Select | exp.SetOperation) else None


def _number(node: exp.Expr | None) -> int | None:
    """The number of LIMIT, OFFSET or FETCH FIRST; None where none is written out. FETCH … WITH TIES cuts no ties."""
    if node is None:
        return None
    if node.key == "fetch":
        how = node.args.get("limit_options")
        if how is not None and (how.args.get("with_ties") or how.args.get("percent")):
            return None
        value = node.args.get("count")
        return 1 if value is None else _written(value)
    return _written(node.args.get("expression"))


def _written(value: exp.Expr | None) -> int | None:
    return int(value.name) if value is not None and value.name.isdigit() else None


@lru_cache(maxsize=1024)
def with_keys(sql: str, dialect: str) -> WithKeys:
    """The further forms of a gold that has ORDER BY. Most answers need none of them."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = _outermost(sql, dialect)
    except (SqlglotError, RecursionError):
        return WithKeys()
    order = tree.args.get("order") if tree is not None else None
    if tree is None or order is None:
        return WithKeys()
    outputs = [one.alias_or_name.lower() for one in tree.selects]
    texts = [one.unalias().sql(dialect_of(dialect)).lower() for one in tree.selects]
    star = any(isinstance(one, exp.Star) or (isinstance(one, exp.Column) and one.is_star) for one in tree.selects)
    places: list[int | exp.Expr] = []
    for one in order.expressions:
        key = one.this if isinstance(one, exp.Ordered) else one
        place = _place(key, outputs, texts, dialect, star)
        places.append(key if place is None else place)
    added = [key for key in places if isinstance(key, exp.Expr)]
    if added and (not isinstance(tree, exp.Select) or tree.args.get("distinct") is not None):
        return WithKeys()  # another column would change what is distinct
    keyed = tree.copy()
    if isinstance(keyed, exp.Select):
        for number, key in enumerate(added):
            keyed = keyed.select(exp.alias_(key.copy(), f"karat_key_{number}"), copy=False)
    text, uncut = keyed.sql(dialect_of(dialect)), ""
    if _number(tree.args.get("limit")) is not None:
        keyed.set("limit", None)
        keyed.set("offset", None)
        uncut = keyed.sql(dialect_of(dialect))
    counted = iter(range(-len(added), 0))
    found = tuple(place if isinstance(place, int) else next(counted) for place in places)
    return WithKeys(text, uncut, found, len(added))


@lru_cache(maxsize=1024)
def without_cut(sql: str, dialect: str) -> str:
    """A gold without its outermost LIMIT and OFFSET; empty where it cannot be read."""
    from sqlglot.errors import SqlglotError

    try:
        tree = _outermost(sql, dialect)
    except (SqlglotError, RecursionError):
        return ""
    if tree is None:
        return ""
    whole = tree.copy()
    whole.set("limit", None)
    whole.set("offset", None)
    return whole.sql(dialect_of(dialect))


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
