"""Expressions of a query: columns, constants, arithmetic, CASE. Conditions, aggregates and windows are read next
door."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from karat.suites.codegen.analysis.reader.choices import chosen_value
from karat.suites.codegen.analysis.reader.constants import negated
from karat.suites.codegen.analysis.reader.masks import as_condition
from karat.suites.codegen.analysis.reader.operators import operate
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import MISSING, Value, fresh
from karat.suites.codegen.analysis.sql.rows import Rows, column_in

if TYPE_CHECKING:
    from sqlglot import exp

    Expression: TypeAlias = exp.Expr
    Reader: TypeAlias = Callable[[State, Rows, Expression], Value]

READERS: dict[str, Reader] = {}
"""A function for each kind of expression, by the name of its class; the other modules add theirs."""

_ARITHMETIC: dict[str, ast.operator] = {
    "Add": ast.Add(),
    "Sub": ast.Sub(),
    "Mul": ast.Mult(),
    "Div": ast.Div(),
    "IntDiv": ast.FloorDiv(),
    "Mod": ast.Mod(),
}


def evaluate(state: State, rows: Rows, node: Expression) -> Value:
    """The value of an expression. One of an unknown kind is made of its parts."""
    state.count_step()
    kind = type(node).__name__
    if kind in _ARITHMETIC:
        left, right = evaluate(state, rows, node.this), evaluate(state, rows, node.expression)
        return operate(state, _ARITHMETIC[kind], left, right)
    read = READERS.get(kind)
    return read(state, rows, node) if read is not None else _of_parts(state, rows, node)


def _of_parts(state: State, rows: Rows, node: Expression) -> Value:
    """A function of columns: ``round(avg(x), 2)`` is still that mean, ``year(d)`` still ``d``."""
    values = [evaluate(state, rows, child) for child in node.iter_expressions()]
    made = [value for value in values if value.kind != "const"]
    others = [value for value in values if value.kind == "const"]
    if len(made) == 1:
        found = made[0] if made[0].kind != "series" else fresh(made[0], mask=(), links=())
        return state.with_fact(found, parents=state.reach(*others)) if found.kind != "frame" else found
    return state.series(state.reach(*values), [source for value in values for source in value.sources])


def _inside(state: State, rows: Rows, node: Expression) -> Value:
    return evaluate(state, rows, node.this)


def _column(state: State, rows: Rows, node: Expression) -> Value:
    from sqlglot import exp

    if isinstance(node.this, exp.Star):
        return rows.relation
    return column_in(state, rows, node.name, node.text("table"))


def _literal(state: State, _rows: Rows, node: Expression) -> Value:
    return state.const(literal(node))


def literal(node: Expression | None) -> object:
    """The constant that a node is; MISSING when it is none."""
    from sqlglot import exp

    if isinstance(node, exp.Paren | exp.Cast):
        return literal(node.this)
    if isinstance(node, exp.Neg):
        return negated(literal(node.this))
    if not isinstance(node, exp.Literal):
        return MISSING
    if node.is_string:
        return node.name
    try:
        return int(node.name)
    except ValueError:
        pass
    try:
        return float(node.name)
    except ValueError:
        return MISSING


def _truth(state: State, _rows: Rows, node: Expression) -> Value:
    return state.const(bool(node.this))


def _null(state: State, _rows: Rows, _node: Expression) -> Value:
    return state.const(None)


def _negative(state: State, rows: Rows, node: Expression) -> Value:
    value = evaluate(state, rows, node.this)
    known = negated(value.const) if value.const is not MISSING else MISSING
    if known is not MISSING:
        return state.const(known)
    found = state.with_fact(value)
    found.falling = not value.falling
    return found


def _case(state: State, rows: Rows, node: Expression) -> Value:
    """``CASE WHEN a THEN b ELSE c END``, ``CASE x WHEN 1 THEN b END``, ``if(a, b, c)``."""
    from sqlglot import exp

    ifs = node.args.get("ifs") or [node]
    tests = [exp.EQ(this=node.this.copy(), expression=one.this.copy()) if _compares(node) else one.this for one in ifs]
    conditions = [as_condition(state, evaluate(state, rows, test)) for test in tests]
    values = [evaluate(state, rows, one.args["true"]) for one in ifs]
    other = node.args.get("default") or node.args.get("false")
    return chosen_value(state, conditions, values, evaluate(state, rows, other) if other is not None else None)


def _compares(node: Expression) -> bool:
    return bool(node.args.get("ifs")) and node.args.get("this") is not None


READERS.update(
    {
        "Column": _column,
        "Literal": _literal,
        "Boolean": _truth,
        "Null": _null,
        "Neg": _negative,
        "Case": _case,
        "If": _case,
        **dict.fromkeys(("Paren", "Alias", "Cast", "TryCast", "Ordered"), _inside),
    }
)
