"""Small changes of a query, each of which a good test database tells from the query itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from karat.suites.answers.text_to_sql.queries.parsed import tree_of

if TYPE_CHECKING:
    from sqlglot import exp

MOST = 24
"""Mutants of one query."""


def mutants(sql: str) -> list[str]:
    """A filter dropped, another aggregate, another join, a number ± 1, DISTINCT there or not."""
    from sqlglot.errors import SqlglotError

    try:
        tree = tree_of(sql, "sqlite")
        found = {changed.sql("sqlite") for changed in _changed(tree)}
    except (SqlglotError, RecursionError):
        return []
    return sorted(found - {tree.sql("sqlite")})[:MOST]


def _changed(tree: exp.Expr) -> Iterator[exp.Expr]:
    from sqlglot import exp

    for place, node in enumerate(tree.walk()):
        for kind, change in (
            (exp.Where, _without),
            (exp.And, _left_only),
            (exp.Max, lambda one: exp.Min(this=one.this)),
            (exp.Min, lambda one: exp.Max(this=one.this)),
            (exp.Sum, lambda one: exp.Avg(this=one.this)),
            (exp.Avg, lambda one: exp.Sum(this=one.this)),
            (exp.Join, _other_join),
            (exp.Literal, _next_number),
            (exp.Select, _other_distinct),
        ):
            if isinstance(node, kind):
                copy = tree.copy()
                target = next(one for number, one in enumerate(copy.walk()) if number == place)
                new = change(target)
                if new is None and target.parent is not None:
                    target.pop()
                    yield copy
                elif new is not None and new is not target:
                    yield new if target is copy else target.replace(new).root()
                elif new is target:
                    yield copy


def _without(_: exp.Expr) -> None:
    return None


def _left_only(node: exp.Expr) -> exp.Expr:
    left: exp.Expr = node.args["this"]
    return left.copy()


def _other_join(node: exp.Expr) -> exp.Expr:
    node.set("side", "" if node.args.get("side") else "LEFT")
    node.set("kind", None)
    return node


def _next_number(node: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    if node.args.get("is_string") or not node.name.isdigit():
        return node
    return exp.Literal.number(int(node.name) + 1)


def _other_distinct(node: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    node.set("distinct", None if node.args.get("distinct") is not None else exp.Distinct())
    return node
