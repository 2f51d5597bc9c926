"""What in the text of a gold query leaves its result to chance: random numbers, columns beside an aggregate that are
neither grouped nor aggregated, and values that are strung together in no order.

SQLite takes such a bare column from any row of its group, and GROUP_CONCAT takes the rows of a group as they come.
Where all rows of each group agree, that is no chance: the query with the smallest and with the largest value in the
place of the bare column, or of the list, then gives the same rows.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from karat.suites.answers.text_to_sql.queries.parsed import dialect_of, parsed

if TYPE_CHECKING:
    from sqlglot import exp

_RANDOM = re.compile(r"rand\w*|uuid\w*|gen_random_\w+|newid|generate_uuid", re.IGNORECASE)
_TODAY = re.compile(
    r"'(?:now|today)'|\bcurrent_(?:date|time|timestamp)\b|\b(?:now|curdate|getdate|today|sysdate)\s*\(\s*\)",
    re.IGNORECASE,
)
BARE_COLUMNS = ("sqlite",)
"""Dialects that take a bare column from any row; the others refuse the query."""


class Chance(NamedTuple):
    """What a text leaves to chance."""

    random: bool = False
    bare: tuple[str, str] | None = None
    """The query with the smallest and with the largest value for its bare columns and lists."""


@lru_cache(maxsize=8192)
def depends_on_today(sql: str) -> bool:
    """Whether the query asks what day or what time it is."""
    return _TODAY.search(sql) is not None


@lru_cache(maxsize=8192)
def chance_in(sql: str, dialect: str) -> Chance:
    """Nothing is known of a query that sqlglot cannot read."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    may_be_random = _RANDOM.search(sql) is not None
    try:
        tree = parsed(sql, dialect)
        while isinstance(tree, exp.Subquery | exp.Paren):
            tree = tree.this
        bare = _bare(tree, dialect) if dialect in BARE_COLUMNS and isinstance(tree, exp.Select) else None
        return Chance(may_be_random and _is_random(tree), bare)
    except (SqlglotError, RecursionError, AttributeError, KeyError, ValueError):
        return Chance()


def _is_random(tree: exp.Expr) -> bool:
    """Rows in a random order are the same rows, as long as none are cut off."""
    from sqlglot import exp

    found = [one for one in tree.find_all(exp.Func) if _RANDOM.fullmatch(_called(one))]
    order = tree.args.get("order")
    if order is None or tree.args.get("limit") is not None or tree.args.get("offset") is not None:
        return bool(found)
    ordering = set(map(id, order.find_all(exp.Func)))
    return any(id(one) not in ordering for one in found)


def _called(function: exp.Func) -> str:
    return function.name if function.key == "anonymous" else function.sql_name()


def _bare(tree: exp.Select, dialect: str) -> tuple[str, str] | None:
    from sqlglot import exp

    aggregates: list[exp.Expr] = [
        node
        for one in tree.expressions
        for node in _own(one)
        if isinstance(node, exp.AggFunc) and not _aggregated(node, tree)
    ]
    group = tree.args.get("group")
    if group is None and not aggregates:
        return None
    nodes = [*_bare_columns(tree, aggregates, dialect), *_lists(tree, aggregates)]
    if not nodes:
        return None
    return _with(tree, nodes, exp.Min, dialect), _with(tree, nodes, exp.Max, dialect)


def _bare_columns(tree: exp.Select, aggregates: list[exp.Expr], dialect: str) -> list[exp.Expr]:
    from sqlglot import exp

    clauses = [clause for name in ("having", "order") if (clause := tree.args.get(name)) is not None]
    everywhere = [*aggregates, *(node for one in clauses for node in _own(one))]
    if any(isinstance(one, exp.Min | exp.Max) for one in everywhere):
        return []  # SQLite takes bare columns from the row with the smallest or largest value
    group = tree.args.get("group")
    keys = list(group.expressions) if group is not None else []
    names = {key.name.lower() for key in keys if isinstance(key, exp.Column)}
    if any(key.key == "literal" for key in keys) or any(one.is_star for one in tree.expressions):
        return []
    texts = {key.sql(dialect_of(dialect)).lower() for key in keys}
    return [
        node
        for one in tree.expressions
        if one.unalias().sql(dialect_of(dialect)).lower() not in texts and one.alias.lower() not in names
        for node in _own(one)
        if isinstance(node, exp.Column) and node.name.lower() not in names and not _aggregated(node, tree)
    ]


def _lists(tree: exp.Select, aggregates: list[exp.Expr]) -> list[exp.Expr]:
    """Lists of values in no order. A sub-query with ORDER BY gives its rows in that order."""
    from sqlglot import exp

    source = tree.args.get("from_") or tree.args.get("from")
    names = {one.alias.lower(): one for one in tree.find_all(exp.CTE)}
    read = source.this if source is not None else None
    inner = names.get(read.name.lower(), read) if isinstance(read, exp.Table) else read
    if inner is None or inner.find(exp.Order) is not None:
        return []
    return [one for one in aggregates if isinstance(one, exp.GroupConcat) and one.find(exp.Order) is None]


def _own(node: exp.Expr) -> list[exp.Expr]:
    """The nodes of an expression, without those of queries inside it."""
    from sqlglot import exp

    return [one for one in node.walk(prune=lambda one: isinstance(one, exp.Query)) if not isinstance(one, exp.Query)]


def _aggregated(column: exp.Expr, tree: exp.Expr) -> bool:
    """Whether it is inside an aggregate or a window."""
    from sqlglot import exp

    above = column.parent
    while above is not None and above is not tree:
        if isinstance(above, exp.AggFunc | exp.Window):
            return True
        above = above.parent
    return False


def _with(tree: exp.Select, columns: list[exp.Expr], function: type[exp.Func], dialect: str) -> str:
    """The query with an aggregate around some columns of its select list."""
    marked = set(map(id, columns))
    changed = tree.copy()
    for ours, copied in zip(tree.expressions, changed.expressions, strict=True):
        places = [place for place, node in enumerate(ours.walk()) if id(node) in marked]
        nodes = list(copied.walk())
        for place in places:
            nodes[place].replace(function(this=_value(nodes[place]).copy()))
    return changed.sql(dialect_of(dialect))


def _value(node: exp.Expr) -> exp.Expr:
    """A column itself, or what a list is made of."""
    from sqlglot import exp

    inner = node if isinstance(node, exp.Column) else node.this
    return inner.expressions[0] if isinstance(inner, exp.Distinct) else inner
