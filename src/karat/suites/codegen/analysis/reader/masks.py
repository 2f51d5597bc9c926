"""Truth values over rows, as the conditions they stand for: ``df.age > 30`` is ``age > 30``, and ``~`` of it ``age <=
30``.

``&`` and ``|`` leave the conditions side by side, with a link for each two that says how they are joined; ``~`` turns
the links round as well.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import combinations, islice
from typing import Literal

from karat.suites.codegen.analysis.reader.constants import as_text, compare, texts_of
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import MISSING, GroupKey, Value, fresh
from karat.suites.codegen.analysis.records import Filter, Link, Order

OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "!=",
    ast.Is: "==",
    ast.IsNot: "!=",
}
METHODS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NEGATED = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
    "in": "!=",
    "isnull": "notnull",
    "notnull": "isnull",
}
MOST_LINKS = 200
"""Links of one condition that are reported."""
MOST_CONDITIONS = 1_000
"""Conditions of one truth value that are kept, each once: ``m = m & m`` must not grow without end."""
MOST_VALUES = 50
"""Values of one ``isin`` that are reported one by one."""


def label(value: Value) -> str:
    """The column that a condition on this value is about; empty when it is made of several."""
    return value.sources[0] if len(value.sources) == 1 else ""


def negate(state: State, value: Value) -> Value:
    """``~mask``; a bare column under ``~`` is one that must be false."""
    mask = value.mask
    if not mask and value.kind == "series" and not value.pending:
        mask = (Filter(label(value), "==", "True", state.line),)
    return fresh(value, mask=tuple(map(_opposite, mask)), links=tuple(map(_turned, value.links)), pending=())


def _turned(link: Link) -> Link:
    """Not (a and b) is not a, or not b."""
    return Link("or" if link.word == "and" else "and", _opposite(link.first), _opposite(link.second))


def linked(word: Literal["and", "or"], *masks: Sequence[Filter]) -> tuple[Link, ...]:
    """Every condition of one with every condition of another."""
    pairs = ((one, other) for first, second in combinations(masks, 2) for one in first for other in second)
    return tuple(Link(word, one, other) for one, other in islice(pairs, MOST_LINKS))


def _opposite(condition: Filter) -> Filter:
    if condition.operator == "==" and condition.value in ("True", "False"):
        return Filter(condition.column, "==", "False" if condition.value == "True" else "True", condition.line)
    return Filter(condition.column, _NEGATED.get(condition.operator, "other"), condition.value, condition.line)


def compared(state: State, left: Value, operator: str, right: Value, negative: bool = False) -> Value:
    """``left operator right`` as a truth value."""
    if left.mask and isinstance(right.const, bool) and operator in ("==", "!="):
        return left if right.const == (operator == "==") else negate(state, left)
    nodes = (*state.reach(left), *state.reach(right))
    by_row = "series" in (left.kind, right.kind)
    if operator in ("==", "!=", "in") and set(left.sources) & {*left.distinct, *right.distinct} & set(right.sources):
        keys = tuple(GroupKey(column) for column in left.sources)
        return Value("series", state.node(nodes, *keys))  # one value of a column after the other: a group made by hand
    if left.ranked is not None and (count := _first_places(operator, right)) is not None:
        told = Order("head", left.ranked.columns, left.ranked.ascending, count, state.line)
        return Value("series", state.node(nodes, told))  # the first of the rows, by a number that follows their order
    conditions = tuple(_conditions(state, left, operator, right))
    links = any_of(conditions)
    if negative:
        conditions, links = tuple(map(_opposite, conditions)), tuple(map(_turned, links))
    sources = left.sources if left.kind == "series" else right.sources
    return Value("series" if by_row else "scalar", state.node(nodes), sources=sources, mask=conditions, links=links)


def _first_places(operator: str, right: Value) -> int | None:
    """How many of the first places a condition on a rank takes: ``<= 3``, ``< 4``, ``== 1``."""
    if isinstance(right.const, bool) or not isinstance(right.const, int):
        return None
    count = {"<=": right.const, "<": right.const - 1}.get(operator)
    return 1 if operator == "==" and right.const == 1 else count


def any_of(conditions: Sequence[Filter]) -> tuple[Link, ...]:
    """The links of a list of values: one of them is enough, or, when they are excluded, none may be."""
    excluded = any(condition.operator == "!=" for condition in conditions)
    return linked("and" if excluded else "or", *([condition] for condition in conditions))


def _conditions(state: State, left: Value, operator: str, right: Value) -> list[Filter]:
    line = state.line
    if operator == "in":
        if left.kind == "const" and right.kind == "series":
            return [Filter(label(right), "contains", as_text(left.const), line)]  # "x" in row["name"]
        return in_values(state, left, right)
    if right.kind == "const" and right.const is None:
        return [Filter(label(left), "isnull" if operator == "==" else "notnull", "", line)]
    if right.shared is not None and right.kind == "list" and operator in ("==", "!="):
        found = in_values(state, left, right)
        return found if operator == "==" else [_opposite(condition) for condition in found]
    if left.kind != "series" and right.kind == "series":
        left, right, operator = right, left, _FLIPPED.get(operator, operator)
    value = "" if right.const is MISSING else as_text(right.const)
    return [Filter(label(left), operator, value, line)]


def in_values(state: State, left: Value, right: Value) -> list[Filter]:
    """``isin``: one condition a value."""
    if right.shared is not None and right.shared.items is not None:
        values = [as_text(item.const) for item in right.shared.items[:MOST_VALUES]]
    else:
        values = texts_of(right)
    return [Filter(label(left), "in", value, state.line) for value in dict.fromkeys(values)] or [
        Filter(label(left), "in", "", state.line)
    ]


def comparison(state: State, left: Value, operators: Sequence[ast.cmpop], rights: Sequence[Value]) -> Value:
    """A comparison of the code, also a chain such as ``10 < x < 20``."""
    found: list[Value] = []
    for operator, right in zip(operators, rights, strict=True):
        if left.const is not MISSING and right.const is not MISSING:
            known = compare(operator, left.const, right.const)
            found.append(
                state.const(known) if known is not MISSING else Value("unknown", state.node(state.reach(left, right)))
            )
        elif (held := _held(left, right)) is not None and isinstance(operator, ast.In | ast.NotIn):
            found.append(state.const(held == isinstance(operator, ast.In)))
        else:
            name = OPERATORS[type(operator)]
            if isinstance(operator, ast.NotIn):
                found.append(compared(state, left, "in", right, negative=True))
            else:
                found.append(compared(state, left, name, right))
        left = right
    return found[0] if len(found) == 1 else combined(state, found, "and")


def _held(left: Value, right: Value) -> bool | None:
    """Whether a constant is in a list of constants; None when one of them is none."""
    items = right.shared.items if right.kind == "list" and right.shared is not None else None
    if left.const is MISSING or items is None or right.shared is None or right.shared.node is not None:
        return None
    known = [item.const for item in items]
    return left.const in known if MISSING not in known else None


def combined(state: State, values: Sequence[Value], word: Literal["and", "or"]) -> Value:
    """Truth values put together by ``&`` and ``and``, or by ``|`` and ``or``."""
    by_row = any(value.kind == "series" for value in values)
    bare = [as_condition(state, value) for value in values]
    sources = tuple(dict.fromkeys(source for value in values for source in value.sources))
    mask = tuple(dict.fromkeys(condition for value in bare for condition in value.mask))[:MOST_CONDITIONS]
    inner = [link for value in bare for link in value.links]
    links = tuple(dict.fromkeys((*inner, *linked(word, *(value.mask for value in bare)))))[:MOST_LINKS]
    nodes = [node for value in bare for node in state.reach(fresh(value, mask=(), links=()))]
    return Value("series" if by_row else "scalar", state.node(nodes), sources=sources, mask=mask, links=links)


def as_condition(state: State, value: Value) -> Value:
    """A value in a place where a truth is wanted: a bare column must be true."""
    if value.kind == "series" and not value.mask and not value.pending and value.sources:
        return fresh(value, mask=(Filter(label(value), "==", "True", state.line),))
    return value


def filtered(state: State, value: Value, mask: Value) -> Value:
    """The rows of a value for which the mask is true. What they fulfilled before, they still do."""
    condition = as_condition(state, mask)
    both = linked("and", value.kept, condition.mask)
    return fresh(
        state.with_fact(value, *both, parents=state.reach(condition)), kept=(*value.kept, *condition.mask)[:MOST_VALUES]
    )
