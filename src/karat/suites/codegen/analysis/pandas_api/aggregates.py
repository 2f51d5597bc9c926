"""Aggregations: ``mean()``, ``agg`` in all its forms, and what a plain sum or length comes to.

The sum of a truth value over rows is a count, its mean a share. A sum divided by a count is a mean. An aggregation is
told where its result is read, so that one of several named ones that nobody looks at counts for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.suites.codegen.analysis.constants import texts_of
from karat.suites.codegen.analysis.masks import label
from karat.suites.codegen.analysis.pandas_api.columns import column
from karat.suites.codegen.analysis.run import Run
from karat.suites.codegen.analysis.values import Node, Value, fresh, reach, rows_of
from karat.suites.codegen.records import Aggregation

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


def function_name(name: str) -> str:
    """The name of an aggregation under its plain name: ``nanmean`` and ``average`` are ``mean``."""
    name = name.removeprefix("nan") if name.removeprefix("nan") in {*FUNCTIONS, *OTHER_NAMES} else name
    return OTHER_NAMES.get(name, name)


def aggregate(run: Run, value: Value, function: str) -> Value:
    """One aggregation of a series, a frame or groups."""
    function = function_name(function)
    if value.kind == "groups" and value.inner is not None:
        return _of_groups(run, value, value.inner, function)
    if value.mask and value.kind == "series" and function in ("sum", "mean"):
        function = "count" if function == "sum" else "share"
    if value.kind == "frame":
        found = Value("series", run.node(_read(run, value, function)), inner=value)
        if function in _STILL_TABLES:
            found = fresh(value, node=run.node((value.node,)))
    else:
        parents = run.reach(value)
        still = function in _STILL_TABLES or (value.inner is not None and value.inner.kind == "frame")
        found = Value("series" if still else "scalar", run.node(parents))
    subject = _subject(value)
    found.sources = subject.sources
    found.pending = (Aggregation(function, label(subject), run.line),)
    return found


def _subject(value: Value) -> Value:
    """What is aggregated: the only column of a frame that has but one."""
    if value.kind == "frame" and value.shared is not None and len(value.shared.columns or ()) == 1:
        return next(iter(value.shared.made.values()), value)
    return value


def _of_groups(run: Run, groups: Value, inner: Value, function: str) -> Value:
    parents = (groups.node, *_read(run, inner, function))
    if function in ("sum", "mean") and inner.mask:
        function = "count" if function == "sum" else "share"
    told = Aggregation(function, label(_subject(inner)), run.line)
    found: Value
    if inner.kind == "frame" and function != "size":
        found = fresh(inner, node=run.node((groups.node, rows_of(inner, run.line)), told))
        found.sort = None
    else:
        found = run.series(parents, inner.sources if function != "size" else ())
        found.pending = (told,)
    found.index = groups.index
    return found


def _read(run: Run, value: Value, function: str) -> tuple[Node, ...]:
    return (rows_of(value, run.line),) if function in _ROWS_ONLY else run.reach(value)


def by_rule(run: Run, value: Value, rule: Value) -> Value:
    """An aggregation by whatever ``agg`` takes: a name, a function, a lambda, a list, a dict of columns."""
    if isinstance(rule.const, str):
        return aggregate(run, value, rule.const) if function_name(rule.const) in FUNCTIONS else run.with_fact(value)
    if rule.kind == "name":
        name = "size" if rule.name == "len" else rule.name
        return aggregate(run, value, name) if function_name(name) in FUNCTIONS else run.with_fact(value)
    if rule.kind == "function":
        return applied(run, value, rule)
    shared = rule.shared
    if shared is not None and shared.pairs is not None:
        return _by_column(run, value, {str(name): rules for name, rules in shared.pairs.items()})
    if shared is not None and shared.items is not None:
        made = {_rule_name(item): _one(run, value, item) for item in shared.items}
        return _frame(run, value, made)
    return run.with_fact(value, parents=run.reach(rule))


def by_name(run: Run, value: Value, named: dict[str, Value]) -> Value:
    """``agg(total=("sales", "sum"))``: each name is a column of its own."""
    made = {}
    for name, rule in named.items():
        parts = rule.shared.items if rule.shared is not None and rule.kind == "list" else None
        if parts is not None and len(parts) == 2:
            made[name] = _one(run, _chosen(run, value, texts_of(parts[0])), parts[1])
        else:
            made[name] = _one(run, value, rule)
    return _frame(run, value, made)


def applied(run: Run, value: Value, function: Value) -> Value:
    """``apply(f)`` on a series, a frame's rows or groups: what f makes of one of them, for all."""
    inner = value.inner if value.kind == "groups" and value.inner is not None else value
    one = run.with_fact(inner, parents=(value.node,))
    result = run.apply(function, [one])
    if result.kind in ("scalar", "const", "unknown"):
        result = fresh(result, kind="series", const=result.const)
    found = run.with_fact(result, parents=(value.node,))
    found.index = value.index
    return found


def _by_column(run: Run, value: Value, rules: dict[str, Value]) -> Value:
    return _frame(run, value, {name: _one(run, _chosen(run, value, [name]), rule) for name, rule in rules.items()})


def _chosen(run: Run, value: Value, names: Sequence[str]) -> Value:
    if not names or value.kind == "series":
        return value
    if value.kind == "groups" and value.inner is not None:
        inner = value.inner if value.inner.kind != "frame" else column(run, value.inner, names[0])
        return fresh(value, inner=inner)
    return column(run, value, names[0]) if value.kind == "frame" else value


def _one(run: Run, value: Value, rule: Value) -> Value:
    """The result of one rule as a column."""
    found = by_rule(run, value, rule)
    return found if found.kind == "series" else fresh(Value("series", reach(found, run.line)), sources=found.sources)


def _rule_name(rule: Value) -> str:
    return rule.const if isinstance(rule.const, str) else (rule.name or f"<{id(rule)}>")


def _frame(run: Run, value: Value, made: dict[str, Value]) -> Value:
    """The frame of the results, with the group's keys beside them."""
    inner = value.inner if value.kind == "groups" and value.inner is not None else value
    rows = run.node((value.node, rows_of(inner, run.line)))
    names = (*value.index, *made)
    found = run.new_frame(rows, tuple(dict.fromkeys(names)), made)
    found.index = value.index
    return found


def over_mean(run: Run, left: Value, right: Value) -> Value | None:
    """``total / count`` is a mean: of the rows that were added up."""
    if len(left.pending) != 1 or len(right.pending) != 1:
        return None
    if left.pending[0].function != "sum" or right.pending[0].function not in ("count", "size", "len"):
        return None
    by_row = "series" in (left.kind, right.kind)
    found = Value(
        "series" if by_row else "scalar", run.node((left.node, right.node)), sources=left.sources, index=left.index
    )
    found.pending = (Aggregation("mean", left.pending[0].column, run.line),)
    return found
