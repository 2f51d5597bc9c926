"""Operators on values: what is known of both sides is computed, and the rest keeps where it came from."""

from __future__ import annotations

import ast

from karat.suites.codegen.analysis.constants import fold
from karat.suites.codegen.analysis.masks import combined
from karat.suites.codegen.analysis.pandas_api.aggregates import over_mean
from karat.suites.codegen.analysis.state import State
from karat.suites.codegen.analysis.values import MISSING, Value, unknown


def operate(state: State, operator: ast.operator, left: Value, right: Value) -> Value:
    """``left + right`` and the like."""
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
    kind = next((kind for kind in ("frame", "series", "scalar") if kind in (left.kind, right.kind)), "unknown")
    sources = tuple(dict.fromkeys((*left.sources, *right.sources)))
    first = left if left.kind == kind else right
    if kind == "frame":
        return state.with_fact(first, parents=state.reach(left, right))
    found = Value("unknown", state.node(state.reach(left, right)), sources=sources, index=first.index, sort=first.sort)
    found.kind = "series" if kind == "series" else "scalar" if kind == "scalar" else "unknown"
    return found
