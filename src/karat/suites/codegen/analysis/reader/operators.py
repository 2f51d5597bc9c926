"""Operators on values: what is known of both sides is computed, and the rest keeps where it came from."""

from __future__ import annotations

import ast

from karat.suites.codegen.analysis.pandas_api.aggregates import over_mean
from karat.suites.codegen.analysis.polars_api.deferred import lifted
from karat.suites.codegen.analysis.polars_api.selectors import operated_columns
from karat.suites.codegen.analysis.reader.constants import fold
from karat.suites.codegen.analysis.reader.masks import combined
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import MISSING, Value, unknown


def operate(state: State, operator: ast.operator, left: Value, right: Value) -> Value:
    """``left + right`` and the like."""
    if "expr" in (left.kind, right.kind):
        chosen = operated_columns(state, operator, left, right)
        return chosen or lifted(state, [left, right], lambda both: operate(state, operator, both[0], both[1]))
    if left.const is not MISSING and right.const is not MISSING:
        known = fold(operator, left.const, right.const)
        return state.const(known) if known is not MISSING else unknown(state.reach(left, right), state.line)
    if isinstance(operator, ast.BitAnd | ast.BitOr) and "series" in (left.kind, right.kind):
        return combined(state, [left, right], "and" if isinstance(operator, ast.BitAnd) else "or")
    if isinstance(operator, ast.Mult | ast.Add) and left.mask and right.mask and left.kind == right.kind == "series":
        return combined(state, [left, right], "and" if isinstance(operator, ast.Mult) else "or")
    if isinstance(operator, ast.Div):
        mean = over_mean(state, left, right)
        if mean is not None:
            return mean
    if isinstance(operator, ast.Add) and left.kind == right.kind == "list" and left.shared and right.shared:
        return state.list_of([*(left.shared.items or ()), *(right.shared.items or ())])
    both = _set_of(state, operator, left, right)
    if both is not None:
        return both
    kind = next((kind for kind in ("frame", "series", "scalar") if kind in (left.kind, right.kind)), "unknown")
    sources = tuple(dict.fromkeys((*left.sources, *right.sources)))
    first = left if left.kind == kind else right
    if kind == "frame":
        return state.with_fact(first, parents=state.reach(left, right))
    found = Value("unknown", state.node(state.reach(left, right)), sources=sources, index=first.index, sort=first.sort)
    found.kind = "series" if kind == "series" else "scalar" if kind == "scalar" else "unknown"
    return found


def _set_of(state: State, operator: ast.operator, left: Value, right: Value) -> Value | None:
    """``a | b``, ``a & b``, ``a - b`` of lists of constants; None for any other values."""
    sides = [
        value.shared.items if value.kind == "list" and value.shared is not None else None for value in (left, right)
    ]
    first, second = sides
    if first is None or second is None or not isinstance(operator, ast.BitOr | ast.BitAnd | ast.Sub):
        return None
    names = [item.const for item in second]
    if isinstance(operator, ast.BitOr):
        return state.list_of([*first, *(item for item in second if item.const not in [one.const for one in first])])
    return state.list_of([item for item in first if (item.const in names) == isinstance(operator, ast.BitAnd)])
