"""Aggregations: ``mean()``, ``agg`` in all its forms, and what a plain sum or length comes to.

The sum of a truth value over rows is a count, its mean a share. A sum divided by a count is a mean. An aggregation is
reported where its result is read, so that one of several named ones that nobody looks at counts for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from karat.suites.codegen.analysis.pandas_api.columns import column
from karat.suites.codegen.analysis.reader.constants import texts_of
from karat.suites.codegen.analysis.reader.masks import label
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import Node, Value, fresh, reach, rows_of
from karat.suites.codegen.analysis.records import Aggregation, Order

FUNCTIONS = frozenset(
    [
        "mean",
        "sum",
        "max",
        "min",
        "count",
        "size",
        "nunique",
        "median",
        "std",
        "var",
        "sem",
        "first",
        "last",
        "idxmax",
        "idxmin",
        "prod",
        "quantile",
        "mode",
        "skew",
        "kurt",
        "kurtosis",
        "any",
        "all",
        "describe",
        "corr",
        "cov",
        "nth",
    ]
)
OTHER_NAMES = {"average": "mean", "fmean": "mean", "amax": "max", "amin": "min", "argmax": "idxmax", "argmin": "idxmin"}
_STILL_TABLES = frozenset({"describe", "mode", "quantile", "corr", "cov"})
_ROWS_ONLY = frozenset({"size"})
KEYS_ARE_COLUMNS = "as_index=False"
"""The name of groups whose keys become columns of what is aggregated."""


def function_name(name: str) -> str:
    """The name of an aggregation under its plain name: ``nanmean`` and ``average`` are ``mean``."""
    name = name.removeprefix("nan") if name.removeprefix("nan") in {*FUNCTIONS, *OTHER_NAMES} else name
    return OTHER_NAMES.get(name, name)


def aggregate(state: State, value: Value, function: str) -> Value:
    """One aggregation of a series, a frame or groups."""
    function = function_name(function)
    if value.kind == "groups" and value.inner is not None:
        return _of_groups(state, value, value.inner, function)
    if value.mask and value.kind == "series" and function in ("sum", "mean"):
        function = "count" if function == "sum" else "share"
    if value.kind == "frame":
        found = Value("series", state.node(_read(state, value, function)), inner=value)
        if function in _STILL_TABLES:
            found = fresh(value, node=state.node((value.node,)))
    else:
        parents = state.reach(value)
        still = function in _STILL_TABLES or (value.inner is not None and value.inner.kind == "frame")
        found = Value("series" if still else "scalar", state.node(parents))
    subject = _subject(value)
    found.sources = subject.sources
    found.pending = (Aggregation(function, label(subject), state.line),)
    return found


def _subject(value: Value) -> Value:
    """What is aggregated: the only column of a frame that has but one."""
    if value.kind == "frame" and value.shared is not None and len(value.shared.columns or ()) == 1:
        return next(iter(value.shared.made.values()), value)
    return value


def _of_groups(state: State, groups: Value, inner: Value, function: str) -> Value:
    parents = (groups.node, *_read(state, inner, function))
    if function in ("sum", "mean") and inner.mask:
        function = "count" if function == "sum" else "share"
    told = Aggregation(function, label(_subject(inner)), state.line)
    how = groups.sort or inner.sort
    if function in ("first", "last") and how is not None:  # of rows that are in order
        kind: Literal["head", "tail"] = "head" if function == "first" else "tail"
        parents = (*parents, state.node((groups.node,), Order(kind, how.columns, how.ascending, 1, state.line)))
    found: Value
    if inner.kind == "frame" and function != "size":
        found = fresh(inner, node=state.node((groups.node, *parents[2:], rows_of(inner, state.line)), told))
        found.sort = None
    else:
        found = state.series(parents, inner.sources if function != "size" else ())
        found.pending = (told,)
    found.index = groups.index
    if found.kind == "series" and groups.name == KEYS_ARE_COLUMNS:
        name = "size" if function == "size" else inner.sources[0] if len(inner.sources) == 1 else "<values>"
        return state.new_frame(state.node((found.node,)), tuple(dict.fromkeys((*groups.index, name))), {name: found})
    return found


def _read(state: State, value: Value, function: str) -> tuple[Node, ...]:
    return (rows_of(value, state.line),) if function in _ROWS_ONLY else state.reach(value)


def by_rule(state: State, value: Value, rule: Value) -> Value:
    """An aggregation by whatever ``agg`` takes: a name, a function, a lambda, a list, a dict of columns."""
    if isinstance(rule.const, str):
        return aggregate(state, value, rule.const) if function_name(rule.const) in FUNCTIONS else state.with_fact(value)
    if rule.kind == "name":
        name = "size" if rule.name == "len" else rule.name
        return aggregate(state, value, name) if function_name(name) in FUNCTIONS else state.with_fact(value)
    if rule.kind == "function":
        return applied(state, value, rule)
    shared = rule.shared
    if shared is not None and shared.pairs is not None:
        return _by_column(state, value, {str(name): rules for name, rules in shared.pairs.items()})
    if shared is not None and shared.items is not None:
        made = {_rule_name(item): _one(state, value, item) for item in shared.items}
        return _frame(state, value, made)
    return state.with_fact(value, parents=state.reach(rule))


def by_name(state: State, value: Value, named: dict[str, Value]) -> Value:
    """``agg(total=("sales", "sum"))``: each name is a column of its own."""
    made = {}
    for name, rule in named.items():
        parts = rule.shared.items if rule.shared is not None and rule.kind == "list" else None
        if parts is not None and len(parts) == 2:
            made[name] = _one(state, _chosen(state, value, texts_of(parts[0])), parts[1])
        else:
            made[name] = _one(state, value, rule)
    return _frame(state, value, made)


def applied(state: State, value: Value, function: Value) -> Value:
    """``apply(f)`` on a series, a frame's rows or groups: what f makes of one of them, for all."""
    inner = value.inner if value.kind == "groups" and value.inner is not None else value
    one = state.with_fact(inner, parents=(value.node,))
    result = state.apply(function, [one])
    if result.kind in ("scalar", "const", "unknown"):
        result = fresh(result, kind="series", const=result.const)
    found = state.with_fact(result, parents=(value.node,))
    found.index = value.index
    return found


def _by_column(state: State, value: Value, rules: dict[str, Value]) -> Value:
    return _frame(
        state, value, {name: _one(state, _chosen(state, value, [name]), rule) for name, rule in rules.items()}
    )


def _chosen(state: State, value: Value, names: Sequence[str]) -> Value:
    if not names or value.kind == "series":
        return value
    if value.kind == "groups" and value.inner is not None:
        inner = value.inner if value.inner.kind != "frame" else column(state, value.inner, names[0])
        return fresh(value, inner=inner)
    return column(state, value, names[0]) if value.kind == "frame" else value


def _one(state: State, value: Value, rule: Value) -> Value:
    """The result of one rule as a column."""
    found = by_rule(state, value, rule)
    return found if found.kind == "series" else fresh(Value("series", reach(found, state.line)), sources=found.sources)


def _rule_name(rule: Value) -> str:
    return rule.const if isinstance(rule.const, str) else (rule.name or f"<{id(rule)}>")


def _frame(state: State, value: Value, made: dict[str, Value]) -> Value:
    """The frame of the results, with the group's keys beside them."""
    inner = value.inner if value.kind == "groups" and value.inner is not None else value
    rows = state.node((value.node, rows_of(inner, state.line)))
    names = (*value.index, *made)
    found = state.new_frame(rows, tuple(dict.fromkeys(names)), made)
    found.index = value.index
    return found


def over_mean(state: State, left: Value, right: Value) -> Value | None:
    """``total / count`` is a mean: of the rows that were added up."""
    if len(left.pending) != 1 or len(right.pending) != 1:
        return None
    if left.pending[0].function != "sum" or right.pending[0].function not in ("count", "size", "len"):
        return None
    by_row = "series" in (left.kind, right.kind)
    found = Value(
        "series" if by_row else "scalar", state.node((left.node, right.node)), sources=left.sources, index=left.index
    )
    found.pending = (Aggregation("mean", left.pending[0].column, state.line),)
    return found
