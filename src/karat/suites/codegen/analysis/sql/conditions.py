"""Conditions of a query: WHERE, HAVING, QUALIFY, ON, FILTER."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from karat.suites.codegen.analysis.pandas_api import conditions as pandas
from karat.suites.codegen.analysis.reader.function_calls.calls import Call
from karat.suites.codegen.analysis.reader.masks import any_of, as_condition, combined, compared, label, negate
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import Value
from karat.suites.codegen.analysis.records import Filter, Join
from karat.suites.codegen.analysis.sql.expressions import READERS, evaluate, literal
from karat.suites.codegen.analysis.sql.rows import Rows, source_of_column

if TYPE_CHECKING:
    from sqlglot import exp

    Expression: TypeAlias = exp.Expr

_COMPARED = {
    "EQ": "==",
    "NEQ": "!=",
    "LT": "<",
    "LTE": "<=",
    "GT": ">",
    "GTE": ">=",
    "NullSafeEQ": "==",
    "NullSafeNEQ": "!=",
}


def condition_of(state: State, rows: Rows, node: Expression) -> Value:
    """What is in a place where a truth is wanted."""
    return as_condition(state, evaluate(state, rows, node))


def _comparison(state: State, rows: Rows, node: Expression) -> Value:
    keys = join_key(state, rows, node)
    left, right = evaluate(state, rows, node.this), evaluate(state, rows, node.expression)
    if keys:
        sources = tuple(dict.fromkeys((*left.sources, *right.sources)))
        return state.series((state.node(state.reach(left, right), Join("merge", sources, state.line)),))
    left, right = _single(left), _single(right)
    return compared(state, left, _COMPARED[type(node).__name__], right)


def join_key(state: State, rows: Rows, node: Expression) -> bool:
    """Whether it compares a column of one table with one of another: the key of a join."""
    from sqlglot import exp

    if not (isinstance(node, exp.EQ) and isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Column)):
        return False
    sides = {source_of_column(state, rows, side.name, side.text("table")) for side in (node.this, node.expression)}
    return len(sides) == 2 and "" not in sides and sides <= set(rows.sources)


def _single(value: Value) -> Value:
    """The only column of a query that is used as one value."""
    made = list(value.shared.made.values()) if value.kind == "frame" and value.shared is not None else []
    if len(made) != 1:
        return value
    found = made[0]
    return Value("scalar", found.node, sources=found.sources, pending=found.pending)


def _logic(state: State, rows: Rows, node: Expression) -> Value:
    from sqlglot import exp

    values = [evaluate(state, rows, one) for one in node.flatten()]
    return combined(state, values, "and" if isinstance(node, exp.And) else "or")


def _not(state: State, rows: Rows, node: Expression) -> Value:
    return negate(state, as_condition(state, evaluate(state, rows, node.this)))


def _is(state: State, rows: Rows, node: Expression) -> Value:
    return compared(state, evaluate(state, rows, node.this), "==", evaluate(state, rows, node.expression))


def _between(state: State, rows: Rows, node: Expression) -> Value:
    value = evaluate(state, rows, node.this)
    bounds = [evaluate(state, rows, node.args[name]) for name in ("low", "high")]
    return combined(state, [compared(state, value, ">=", bounds[0]), compared(state, value, "<=", bounds[1])], "and")


def _in(state: State, rows: Rows, node: Expression) -> Value:
    """``x IN (1, 2)``; ``x IN (SELECT y …)`` holds one table against another."""
    value = evaluate(state, rows, node.this)
    query = node.args.get("query")
    if query is None:
        listed = state.list_of([evaluate(state, rows, one) for one in node.expressions])
        return pandas.is_in(state, Call(value, "isin", [listed], {}))
    found = evaluate(state, rows, query)
    made = list(found.shared.made.values()) if found.kind == "frame" and found.shared is not None else []
    return pandas.is_in(state, Call(value, "isin", [made[0] if len(made) == 1 else found], {}))


def _like(state: State, rows: Rows, node: Expression) -> Value:
    """``LIKE '%a%'`` looks for a part; without a wildcard it is an equality."""
    value = evaluate(state, rows, node.this)
    known = literal(node.expression)
    text = known if isinstance(known, str) else ""
    whole = bool(text) and not set("%_") & set(text)
    parents = state.reach(value, evaluate(state, rows, node.expression))
    found = state.series(parents, value.sources)
    found.mask = (Filter(label(value), "==" if whole else "contains", text.strip("%"), state.line),)
    return found


def _matches(state: State, rows: Rows, node: Expression) -> Value:
    """``regexp_matches(x, 'a|b')``, ``contains(x, 'a')``, ``starts_with(x, 'a')``."""
    value = evaluate(state, rows, node.this)
    known = literal(node.expression)
    texts = known.split("|") if isinstance(known, str) else [""]
    found = state.series(state.reach(value), value.sources)
    found.mask = tuple(Filter(label(value), "contains", text, state.line) for text in texts[:50])
    found.links = any_of(found.mask)
    return found


def _exists(state: State, rows: Rows, node: Expression) -> Value:
    """Rows of one table by those of another: what the inner query compares with the outer one is the key."""
    found = evaluate(state, rows, node.this)
    return state.series((state.node(state.reach(found), Join("merge", (), state.line)),))


READERS.update(
    {
        **dict.fromkeys(_COMPARED, _comparison),
        **dict.fromkeys(("And", "Or"), _logic),
        **dict.fromkeys(("Like", "ILike"), _like),
        **dict.fromkeys(
            ("RegexpLike", "RegexpILike", "RegexpFullMatch", "SimilarTo", "Contains", "StartsWith", "EndsWith"),
            _matches,
        ),
        "Not": _not,
        "Is": _is,
        "Between": _between,
        "In": _in,
        "Exists": _exists,
    }
)
