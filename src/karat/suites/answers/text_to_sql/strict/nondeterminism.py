"""What in the text of a gold query leaves its result to chance: random numbers, columns beside an aggregate that are
neither grouped nor aggregated, values that are strung together in no order, any value of a group, and windows in which
rows are tied.

SQLite and MySQL take such a bare column from any row of its group, and GROUP_CONCAT takes the rows of a group as they
come. Where all rows of each group agree, that is no chance: the query with the smallest and with the largest value in
the place of the bare column, or of the list, then gives the same rows. Beside MIN or MAX, SQLite takes the bare column
from a row that has that value, and only rows that share it leave a choice: that is found out with the rows of all
tables the other way round.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from karat.suites.answers.text_to_sql.queries.parsed import dialect_of, parsed
from karat.suites.answers.text_to_sql.strict.reversed_rows import reversed_rows

if TYPE_CHECKING:
    from sqlglot import exp

_RANDOM = re.compile(r"rand\w*|uuid\w*|gen_random_\w+|newid|generate_uuid", re.IGNORECASE)
_SAMPLE = re.compile(r"\b(?:tablesample|using\s+sample)\b", re.IGNORECASE)
BARE_COLUMNS = ("sqlite", "mysql")
"""Dialects that take a bare column from any row; the others refuse the query."""


class Chance(NamedTuple):
    """What a text leaves to chance."""

    random: bool = False
    bare: tuple[str, str] | None = None
    """Two queries that give the same rows where nothing is chance."""
    windows: str = ""
    """On SQLite, whose setting does not reach the rows of a window: the query with its tables the other way round."""


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
        bare = _bare(tree, sql, dialect) if isinstance(tree, exp.Select) else None
        may_have_windows = dialect == "sqlite" and "over" in sql.lower()
        windows = reversed_rows(sql, dialect) if may_have_windows and _ordered_windows(tree) else ""
        sampled = _SAMPLE.search(sql) is not None and any(
            not one.args.get("seed") for one in tree.find_all(exp.TableSample)
        )
        return Chance(sampled or (may_be_random and _is_random(tree)), bare, windows)
    except (SqlglotError, RecursionError, AttributeError, KeyError, ValueError):
        return Chance()


def _ordered_windows(tree: exp.Expr) -> bool:
    from sqlglot import exp

    return any(one.args.get("order") is not None for one in tree.find_all(exp.Window))


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


def _bare(tree: exp.Select, sql: str, dialect: str) -> tuple[str, str] | None:
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
    columns, lists = [], _any_of_group(aggregates)
    if dialect in BARE_COLUMNS:
        columns, lists = _bare_columns(tree, dialect), [*lists, *_lists(tree, aggregates)]
    if columns and dialect == "sqlite" and _takes_extreme(tree, aggregates):
        cut = tree.args.get("limit") is not None  # ties at the cut are no chance
        other = reversed_rows(sql, dialect) if not lists and not cut else ""
        if other:
            return sql, other
        columns = []
    nodes = [*columns, *lists]
    if not nodes:
        return None
    return _with(tree, nodes, exp.Min, dialect), _with(tree, nodes, exp.Max, dialect)


def _takes_extreme(tree: exp.Select, aggregates: list[exp.Expr]) -> bool:
    """Whether SQLite takes bare columns from the row with the smallest or largest value."""
    from sqlglot import exp

    clauses = [clause for name in ("having", "order") if (clause := tree.args.get(name)) is not None]
    everywhere = [*aggregates, *(node for one in clauses for node in _own(one))]
    return any(isinstance(one, exp.Min | exp.Max) for one in everywhere)


def _bare_columns(tree: exp.Select, dialect: str) -> list[exp.Expr]:
    from sqlglot import exp

    group = tree.args.get("group")
    keys = list(group.expressions) if group is not None else []
    names = {key.name.lower() for key in keys if isinstance(key, exp.Column)}
    if any(key.key == "literal" for key in keys) or any(one.is_star for one in tree.expressions):
        return []
    found = [
        (one, node)
        for one in tree.expressions
        if one.alias.lower() not in names
        for node in _own(one)
        if isinstance(node, exp.Column) and node.name.lower() not in names and not _aggregated(node, tree)
    ]
    if not found:  # as in most queries, so that nothing is written out
        return []
    texts = {key.sql(dialect_of(dialect)).lower() for key in keys}
    return [node for one, node in found if one.unalias().sql(dialect_of(dialect)).lower() not in texts]


def _any_of_group(aggregates: Sequence[exp.Expr]) -> list[exp.Expr]:
    """ANY_VALUE, FIRST and LAST of values in no order."""
    from sqlglot import exp

    kinds = exp.AnyValue | exp.First | exp.Last
    return [one for one in aggregates if isinstance(one, kinds) and one.find(exp.Order) is None]


def _lists(tree: exp.Select, aggregates: list[exp.Expr]) -> list[exp.Expr]:
    """Lists of values in no order. A sub-query with ORDER BY gives its rows in that order."""
    from sqlglot import exp

    lists: list[exp.Expr] = [
        one for one in aggregates if isinstance(one, exp.GroupConcat) and one.find(exp.Order) is None
    ]
    if not lists:
        return []
    source = tree.args.get("from_") or tree.args.get("from")
    names = {one.alias.lower(): one for one in tree.find_all(exp.CTE)}
    read = source.this if source is not None else None
    inner = names.get(read.name.lower(), read) if isinstance(read, exp.Table) else read
    return [] if inner is None or inner.find(exp.Order) is not None else lists


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
