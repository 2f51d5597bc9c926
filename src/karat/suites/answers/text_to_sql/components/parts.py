"""The parts of one query, each written in one way: aliases resolved, ``=`` with its sides sorted, ``BETWEEN`` split."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from karat.suites.answers.text_to_sql.components.conditions import conjuncts
from karat.suites.answers.text_to_sql.components.expression_text import text_of
from karat.suites.answers.text_to_sql.components.named_tables import DERIVED
from karat.suites.answers.text_to_sql.components.qualified import NONE_REQUIRED, Required, Schema, qualified
from karat.suites.answers.text_to_sql.queries.parsed import dialect_of, own_tree

if TYPE_CHECKING:
    from sqlglot import exp

PARTS = (
    "tables",
    "joins",
    "filters",
    "grouping",
    "having",
    "aggregates",
    "select",
    "distinct",
    "ordering",
    "limit",
    "set operation",
    "sub-queries",
)
INNER_TABLES = "inner tables"
"""Beside the parts: the tables that only sub-queries read."""
DIRECTION = "direction"
"""Beside the parts: what EXCEPT takes away, and which table an outer join leaves without a partner."""
Parts = Mapping[str, Sequence[str]]
_NUMBERED = re.compile(r" \d+$")
"""How the name of a table ends that a query reads again."""


class Unparsed(Exception):
    """Why a query cannot be taken apart."""


@lru_cache(maxsize=4096)
def parts_of(sql: str, dialect: str, schema: Schema, required: Required = NONE_REQUIRED) -> Parts:
    """The parts of a query, by their names in PARTS. Raises :class:`Unparsed`."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = qualified(own_tree(sql, dialect), sql, dialect, schema)
        if required:
            _count_rows(tree, required)
        found = _no_parts()
        if isinstance(tree, exp.SetOperation):
            found["set operation"] = [_set_name(tree)]
            if isinstance(tree, exp.Except):
                found[DIRECTION] = [f"except {text_of(tree.expression, dialect)}"]
            found["ordering"], found["limit"] = _ordering(tree, dialect), _limit(tree, dialect)
            sides = [one for one in tree.walk() if isinstance(one, exp.Select) and _side_of(one, tree)]
        else:
            sides = [tree] if isinstance(tree, exp.Select) else []
        if not sides:
            raise Unparsed("it is not a SELECT")
        for side in sides:
            for name, texts in _of_select(side, dialect).items():
                found[name] += texts
    except RecursionError:
        raise Unparsed("a condition or a sub-query is nested too deeply") from None
    except (SqlglotError, AttributeError, KeyError, ValueError) as error:
        raise Unparsed(str(error).splitlines()[0][:200] if str(error) else type(error).__name__) from None
    return {name: tuple(sorted(texts)) for name, texts in found.items()}


def _count_rows(tree: exp.Expr, required: Required) -> None:
    """COUNT of a column that holds no null is COUNT(*), unless an outer join adds rows in which it has none."""
    from sqlglot import exp

    for count in list(tree.find_all(exp.Count)):
        column = count.this
        if type(column) is not exp.Column or count.expressions:
            continue
        select = count.find_ancestor(exp.Select)
        if select is None or any(join.side for join in select.args.get("joins") or ()):
            continue
        if (_NUMBERED.sub("", column.table), column.name) in required:
            count.set("this", exp.Star())


def _no_parts() -> dict[str, list[str]]:
    return {name: [] for name in (*PARTS, INNER_TABLES, DIRECTION)}


def _of_select(tree: exp.Select, dialect: str) -> dict[str, list[str]]:
    from sqlglot import exp

    found = _no_parts()
    source = tree.args.get("from_") or tree.args.get("from")
    sources = [source.this] if source is not None else []
    for join in tree.args.get("joins") or ():
        sources.append(join.this)
        kind = _join_kind(join)
        optional = sources[-1]
        if kind == "right" and len(sources) == 2:  # the same as a left join the other way round
            kind, optional = "left", sources[0]
        keys, filters = _join_keys(join, dialect)
        found["joins"] += [f"{kind} {key}" for key in keys] or ([kind] if kind != "inner" else [])
        if kind == "inner":
            found["filters"] += filters
        else:  # in an outer join it decides what is a partner, and filters no rows
            found["joins"] += [f"{kind} {text}" for text in filters]
            table = optional.name.lower() if isinstance(optional, exp.Table) else DERIVED
            found[DIRECTION].append(f"{kind} join {table}")
    found["tables"] = [one.name.lower() for one in sources if isinstance(one, exp.Table)]
    for name, place in (("filters", "where"), ("filters", "qualify"), ("having", "having")):
        clause = tree.args.get(place)
        for text, is_key in _conditions(clause.this, dialect) if clause is not None else ():
            found["joins" if is_key and place == "where" else name].append(f"inner {text}" if is_key else text)
    found["filters"] = list(dict.fromkeys(found["filters"]))
    group = tree.args.get("group")
    found["grouping"] = [text_of(one, dialect) for one in (group.expressions if group is not None else ())]
    found["select"] = [text_of(one.unalias(), dialect) for one in tree.expressions]
    found["distinct"] = _distinct(tree, dialect)
    own, inner_query = list(tree.walk()), (exp.Select, exp.SetOperation)
    nested = any(isinstance(node, inner_query) for node in own[1:])
    if nested:
        found[INNER_TABLES] = [
            one.name.lower() for one in own if isinstance(one, exp.Table) and not any(one is top for top in sources)
        ]
        own = list(tree.walk(prune=lambda node: node is not tree and isinstance(node, inner_query)))
    aggregates = [_with_window(node) for node in own if isinstance(node, exp.AggFunc)]
    found["aggregates"] = sorted({text_of(node, dialect) for node in aggregates})
    found["ordering"], found["limit"] = _ordering(tree, dialect), _limit(tree, dialect)
    inner = [node for node in tree.find_all(exp.Subquery, exp.In, exp.Exists) if _holds_query(node)] if nested else []
    found["sub-queries"] = [_query_text(node, dialect) for node in inner if not _inside_query(node, tree)]
    return found


def _distinct(tree: exp.Select, dialect: str) -> list[str]:
    node = tree.args.get("distinct")
    if node is None:
        return []
    on = node.args.get("on")
    return ["distinct"] if on is None else [f"distinct on {text_of(on, dialect)}"]


def _with_window(aggregate: exp.Expr) -> exp.Expr:
    """With its FILTER and its OVER, which are part of what is computed."""
    from sqlglot import exp

    above = aggregate.parent
    while isinstance(above, exp.Filter | exp.Window | exp.IgnoreNulls) and above.this is aggregate:
        aggregate, above = above, above.parent
    return aggregate


def _holds_query(node: exp.Expr) -> bool:
    from sqlglot import exp

    if isinstance(node, exp.Subquery) and isinstance(node.parent, exp.In):
        return False  # the sentence names the IN
    return isinstance(node.args.get("query") or node.this, exp.Subquery | exp.Select)


def _query_text(node: exp.Expr, dialect: str) -> str:
    inner = node.args.get("query") or node.this
    return text_of(inner.this if inner.key == "subquery" else inner, dialect)


def _inside_query(node: exp.Expr, tree: exp.Expr) -> bool:
    """Whether a node belongs to a query inside this one."""
    from sqlglot import exp

    above = node.parent
    while above is not None and above is not tree:
        if isinstance(above, exp.Select | exp.SetOperation):
            return True
        above = above.parent
    return False


def _side_of(select: exp.Expr, tree: exp.Expr) -> bool:
    from sqlglot import exp

    above = select.parent
    while isinstance(above, exp.Subquery | exp.SetOperation) and above is not tree:
        above = above.parent
    return above is tree


def _set_name(tree: exp.Expr) -> str:
    return f"{tree.key} all" if tree.args.get("distinct") is False else tree.key


def _join_kind(join: exp.Expr) -> str:
    words = [str(join.args.get(name) or "").lower() for name in ("method", "side", "kind")]
    named = " ".join(word for word in words if word and word not in ("outer", "inner"))
    return named if named and named != "cross" else "inner"


def _join_keys(join: exp.Expr, dialect: str) -> tuple[list[str], list[str]]:
    """Conditions between columns of two tables, and the others, which filter."""
    condition = join.args.get("on")
    found = list(_conditions(condition, dialect)) if condition is not None else []
    using = [f"{one.name.lower()} = {one.name.lower()}" for one in join.args.get("using") or ()]
    return [*using, *(text for text, is_key in found if is_key)], [text for text, is_key in found if not is_key]


def _conditions(node: exp.Expr, dialect: str) -> Iterator[tuple[str, bool]]:
    """The conditions that must all hold, each as (text, whether it joins two tables)."""
    from sqlglot import exp

    for one in conjuncts(node):
        if isinstance(one, exp.Boolean) and one.this:
            continue  # what is left of a condition that moved into a join when a sub-query was merged
        sides = (one.this, one.expression) if isinstance(one, exp.EQ) else ()
        columns = [side for side in sides if isinstance(side, exp.Column)]
        yield text_of(_without_queries(one), dialect), len(columns) == 2 and columns[0].table != columns[1].table


def _without_queries(node: exp.Expr) -> exp.Expr:
    """A condition with a mark in the place of a query inside it: sub-queries are a part of their own."""
    from sqlglot import exp

    def change(one: exp.Expr) -> exp.Expr:
        if isinstance(one, exp.In) and one.args.get("query") is not None:
            return exp.In(this=one.this, field=exp.var("(sub-query)"))
        if isinstance(one, exp.Exists):
            return exp.var("EXISTS (sub-query)")
        return exp.var("(sub-query)") if isinstance(one, exp.Subquery) else one

    return node if node.find(exp.In, exp.Exists, exp.Subquery) is None else node.transform(change)


def _ordering(tree: exp.Query, dialect: str) -> list[str]:
    """An alias is written as what it stands for: ``ORDER BY n`` after ``count(*) AS n`` orders by the count."""
    order = tree.args.get("order")
    if order is None:
        return []
    meant = {one.alias.lower(): one.unalias() for one in tree.selects if one.alias}
    found = []
    for place, one in enumerate(order.expressions):
        key = one.this
        if key.key == "column" and not key.table:
            key = meant.get(key.name.lower(), key)
        found.append(f"{place + 1}. {text_of(key, dialect)} {'desc' if one.args.get('desc') else 'asc'}")
        found[-1] += _place_of_nulls(one, dialect)
    return found


def _place_of_nulls(key: exp.Expr, dialect: str) -> str:
    """Where nulls come, if that is not where the database puts them by itself."""
    first, descending = bool(key.args.get("nulls_first")), bool(key.args.get("desc"))
    kind = dialect_of(dialect).NULL_ORDERING
    usual = descending if kind == "nulls_are_large" else kind == "nulls_are_small" and not descending
    return "" if first == usual else " nulls first" if first else " nulls last"


def _limit(tree: exp.Expr, dialect: str) -> list[str]:
    """FETCH FIRST is another way to write LIMIT, unless it keeps ties or takes a share."""
    found = []
    for name in ("limit", "offset"):
        node = tree.args.get(name)
        if node is not None and node.key == "fetch":
            count, more = node.args.get("count"), node.args.get("limit_options")
            found.append(f"limit {text_of(count, dialect) if count is not None else 1}")
            words = {"percent": "percent", "with_ties": "with ties"}
            found += [word for key, word in words.items() if more is not None and more.args.get(key)]
        elif node is not None:
            found.append(f"{name} {text_of(node.args['expression'], dialect)}")
    return [" ".join(found)] if found else []
