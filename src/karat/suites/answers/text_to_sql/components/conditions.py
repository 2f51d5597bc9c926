"""A condition as the list of what must all hold, each written in one way: NOT moved inside, BETWEEN as two bounds, and
OR between values of one column as IN."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp


def conjuncts(node: exp.Expr) -> list[exp.Expr]:
    """The conditions of a clause. The clause stays as it is."""
    from sqlglot import exp
    from sqlglot.optimizer.normalize import normalize

    if node.find(exp.Or, exp.Xor, exp.Not) is not None:
        node = normalize(_chosen(_not_inside(node.copy())))
    return [bound for one in _split(node) for bound in _bounds(one)]


def _split(node: exp.Expr) -> list[exp.Expr]:
    from sqlglot import exp

    if isinstance(node, exp.Paren):
        return _split(node.this)
    return [*_split(node.left), *_split(node.right)] if isinstance(node, exp.And) else [node]


def _bounds(node: exp.Expr) -> list[exp.Expr]:
    from sqlglot import exp

    if not isinstance(node, exp.Between) or node.args.get("symmetric"):
        return [node]
    kinds = ((exp.GTE, node.args["low"]), (exp.LTE, node.args["high"]))
    return [kind(this=node.this.copy(), expression=bound.copy()) for kind, bound in kinds]


def _not_inside(node: exp.Expr) -> exp.Expr:
    """NOT before a comparison turns it round, and before AND and OR it goes to both sides."""
    from sqlglot import exp

    opposite: dict[type[exp.Expr], type[exp.Expr]] = {
        exp.EQ: exp.NEQ,
        exp.NEQ: exp.EQ,
        exp.GT: exp.LTE,
        exp.LTE: exp.GT,
        exp.LT: exp.GTE,
        exp.GTE: exp.LT,
    }

    def change(one: exp.Expr) -> exp.Expr:
        inner = one.this.unnest() if isinstance(one, exp.Not) else None
        if inner is None:
            return one
        if isinstance(inner, exp.Not):
            return change(inner.this.unnest())
        if isinstance(inner, exp.And | exp.Or):
            other = exp.Or if isinstance(inner, exp.And) else exp.And
            sides = [change(exp.Not(this=side.unnest())) for side in (inner.left, inner.right)]
            return exp.Paren(this=other(this=sides[0], expression=sides[1]))
        if type(inner) in opposite:
            return opposite[type(inner)](this=inner.this, expression=inner.expression)
        return one

    return node.transform(change, copy=False)


def _chosen(node: exp.Expr) -> exp.Expr:
    """``a = 1 OR a = 2`` is ``a IN (1, 2)``."""
    from sqlglot import exp

    def change(one: exp.Expr) -> exp.Expr:
        if not isinstance(one, exp.Or) or isinstance(one.parent, exp.Or):
            return one
        found = [_values(side.unnest()) for side in one.flatten()]
        if any(side is None for side in found) or len({column.sql() for column, _ in filter(None, found)}) != 1:
            return one
        column = next(filter(None, found))[0]
        return exp.In(this=column, expressions=[value for _, values in filter(None, found) for value in values])

    return node.transform(change, copy=False)


def _values(node: exp.Expr) -> tuple[exp.Expr, list[exp.Expr]] | None:
    """A column and the literals that it may equal; None for other conditions."""
    from sqlglot import exp

    column: exp.Expr | None
    if isinstance(node, exp.EQ):
        sides = (node.this, node.expression)
        column = next((side for side in sides if isinstance(side, exp.Column)), None)
        values = [side for side in sides if isinstance(side, exp.Literal)]
    elif isinstance(node, exp.In):
        column, values = node.this, [one for one in node.expressions if isinstance(one, exp.Literal)]
        if len(values) < len(node.expressions):
            return None
    else:
        return None
    return (column, list(values)) if isinstance(column, exp.Column) and values else None
