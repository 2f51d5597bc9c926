"""Small changes of a query, each of which a good test database tells from the query itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from karat.suites.answers.text_to_sql.fillings.dates import neighbour_days
from karat.suites.answers.text_to_sql.fillings.text_mutants import other_texts
from karat.suites.answers.text_to_sql.queries.parsed import tree_of

if TYPE_CHECKING:
    from sqlglot import exp

MOST = 40
"""Mutants of one query."""


def mutants(sql: str, values: Mapping[str, Sequence[str]] | None = None) -> list[str]:
    """A filter dropped, another aggregate or join, a number or a day ± 1, a bound that counts or not, another text,
    DISTINCT there or not. ``values``: column → the texts that it holds. Where there are too many, some of each kind
    are kept."""
    from sqlglot.errors import SqlglotError

    kinds: dict[str, dict[str, None]] = {}
    try:
        tree = tree_of(sql, "sqlite")
        for kind, changed in _changed(tree, values or {}):
            kinds.setdefault(kind, {})[changed.sql("sqlite")] = None
    except (SqlglotError, RecursionError):
        return []
    by_turns = chain.from_iterable(zip_longest(*kinds.values()))
    found = dict.fromkeys(one for one in by_turns if one is not None and one != tree.sql("sqlite"))
    return sorted(list(found)[:MOST])


def _changed(tree: exp.Expr, values: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, exp.Expr]]:
    """Each change of one node, in a copy of the whole, with the name of its kind."""
    from sqlglot import exp

    changes: tuple[tuple[type[exp.Expr], Callable[[exp.Expr], Iterator[exp.Expr | None]]], ...] = (
        (exp.Where, _without),
        (exp.And, _left_only),
        (exp.AggFunc, _other_aggregate),
        (exp.Join, _other_join),
        (exp.Literal, _neighbours),
        (exp.Select, _other_distinct),
        (exp.Select, _other_direction),
        (exp.Select, _other_groups),
        (exp.Predicate, _other_bounds),
        (exp.Predicate, lambda node: other_texts(node, values)),
    )
    for place, node in enumerate(tree.walk()):
        for number, (kind, change) in enumerate(changes):
            for new in change(node.copy()) if isinstance(node, kind) else ():
                copy = tree.copy()
                target = next(one for at, one in enumerate(copy.walk()) if at == place)
                if new is not None:
                    yield str(number), new if target is copy else target.replace(new).root()
                elif target.parent is not None:
                    target.pop()
                    yield str(number), copy


def _without(_: exp.Expr) -> Iterator[None]:
    yield None


def _left_only(node: exp.Expr) -> Iterator[exp.Expr]:
    yield node.args["this"].copy()


def _other_aggregate(node: exp.Expr) -> Iterator[exp.Expr]:
    """The largest for the smallest, the mean for the sum, each value once; COUNT(x) also as COUNT(*)."""
    from sqlglot import exp

    inner = node.args.get("this")
    for one, other in ((exp.Max, exp.Min), (exp.Min, exp.Max), (exp.Sum, exp.Avg), (exp.Avg, exp.Sum)):
        if isinstance(node, one):
            yield other(this=inner.copy() if inner is not None else None)
    if not isinstance(node, exp.Count | exp.Sum | exp.Avg) or inner is None or isinstance(inner, exp.Star):
        return
    if isinstance(inner, exp.Distinct):
        if len(inner.expressions) == 1:
            yield type(node)(this=inner.expressions[0].copy())
    elif not isinstance(inner, exp.Literal):
        yield type(node)(this=exp.Distinct(expressions=[inner.copy()]))
        if isinstance(node, exp.Count):
            yield exp.Count(this=exp.Star())


def _other_join(node: exp.Expr) -> Iterator[exp.Expr]:
    node.set("side", "" if node.args.get("side") else "LEFT")
    node.set("kind", None)
    yield node


def _neighbours(node: exp.Expr) -> Iterator[exp.Expr]:
    """The next number and the one before; the next day and the one before."""
    from sqlglot import exp

    if node.args.get("is_string"):
        yield from map(exp.Literal.string, neighbour_days(node.name))
    elif node.name.isdigit():
        yield exp.Literal.number(int(node.name) + 1)
        if int(node.name) > 1:
            yield exp.Literal.number(int(node.name) - 1)


def _other_distinct(node: exp.Expr) -> Iterator[exp.Expr]:
    from sqlglot import exp

    node.set("distinct", None if node.args.get("distinct") is not None else exp.Distinct())
    yield node


def _other_direction(node: exp.Expr) -> Iterator[exp.Expr]:
    """The other end of what is sorted and cut."""
    order = node.args.get("order")
    if order is None or node.args.get("limit") is None or not order.expressions:
        return
    first = order.expressions[0]
    first.set("desc", not first.args.get("desc"))
    first.set("nulls_first", not first.args.get("desc"))
    yield node


def _other_groups(node: exp.Expr) -> Iterator[exp.Expr]:
    """Groups by what is selected, in the place of a key that is not."""
    from sqlglot import exp

    group = node.args.get("group")
    if group is None:
        return
    shown = [one.unalias() for one in node.expressions if isinstance(one.unalias(), exp.Column)]
    if shown and {one.sql() for one in shown} != {one.sql() for one in group.expressions}:
        group.set("expressions", [one.copy() for one in shown])
        yield node


def _other_bounds(node: exp.Expr) -> Iterator[exp.Expr]:
    """A bound that counts itself, or not."""
    from sqlglot import exp

    for one, other in ((exp.GT, exp.GTE), (exp.GTE, exp.GT), (exp.LT, exp.LTE), (exp.LTE, exp.LT)):
        if isinstance(node, one):
            yield other(this=node.this.copy(), expression=node.expression.copy())
    if isinstance(node, exp.Between):
        value, low, high = (node.args[name] for name in ("this", "low", "high"))
        for lower, upper in ((exp.GT, exp.LTE), (exp.GTE, exp.LT)):
            above = lower(this=value.copy(), expression=low.copy())
            below = upper(this=value.copy(), expression=high.copy())
            yield exp.Paren(this=exp.And(this=above, expression=below))
