"""Aggregates and windows of a query: ``avg(x)``, ``count(DISTINCT x)``, ``sum(x) FILTER (…)``, ``rank() OVER (…)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import msgspec

from karat.suites.codegen.analysis.pandas_api.aggregates import aggregate
from karat.suites.codegen.analysis.pandas_api.orders import sort
from karat.suites.codegen.analysis.reader.masks import filtered
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import Fact, GroupKey, Operation, Sorting, Value, fresh
from karat.suites.codegen.analysis.sql.conditions import condition_of
from karat.suites.codegen.analysis.sql.expressions import READERS, evaluate, literal
from karat.suites.codegen.analysis.sql.rows import Rows, filtered_rows, of_groups

if TYPE_CHECKING:
    from sqlglot import exp

    Expression: TypeAlias = exp.Expr

STATISTICS = {
    "Avg": "mean",
    "Sum": "sum",
    "Max": "max",
    "Min": "min",
    "Median": "median",
    "Stddev": "std",
    "StddevPop": "std",
    "StddevSamp": "std",
    "Variance": "var",
    "VariancePop": "var",
    "Mode": "mode",
    "First": "first",
    "AnyValue": "first",
    "Last": "last",
    "FirstValue": "first",
    "LastValue": "last",
    "Corr": "corr",
    "CovarSamp": "cov",
    "CovarPop": "cov",
    "LogicalOr": "any",
    "LogicalAnd": "all",
    "ApproxDistinct": "nunique",
    "ArgMax": "idxmax",
    "ArgMin": "idxmin",
    "Skewness": "skew",
}
_QUANTILES = ("Quantile", "PercentileCont", "PercentileDisc", "ApproxQuantile", "QuantileCont", "QuantileDisc")
_RANKING = ("RowNumber", "Rank", "DenseRank", "PercentRank", "Ntile", "CumeDist")
_RUNNING = {"Sum": "cumsum", "Max": "cummax", "Min": "cummin", "Count": "cumcount", "Avg": "expanding"}


def is_aggregate(node: Expression) -> bool:
    """Whether the expression puts rows together; a window beside every row does not."""
    from sqlglot import exp

    found = [one for one in node.find_all(exp.AggFunc) if type(one).__name__ not in _RANKING]
    return any(not _inside(one, node, exp.Window) and not _inside(one, node, exp.Query) for one in found)


def _inside(node: Expression, top: Expression, kind: type[Expression]) -> bool:
    at: Expression | None = node.parent
    while at is not None and at is not top.parent:
        if isinstance(at, kind):
            return True
        at = at.parent
    return False


def _statistic(state: State, rows: Rows, node: Expression) -> Value:
    """One aggregate of an expression; a second argument (``arg_max(name, pay)``) is what it goes by."""
    function = STATISTICS[type(node).__name__]
    by = node.expressions[0] if node.args.get("expressions") else node.args.get("expression")
    value = evaluate(state, rows, _undoubled(node.this))
    other = evaluate(state, rows, by) if by is not None else None
    subject = other if function in ("idxmax", "idxmin") and other is not None else value
    found = _aggregated(state, rows, subject, function)
    if other is None:
        return found
    return fresh(found, node=state.node((found.node, *state.reach(value, other))), sources=value.sources)


def _undoubled(node: Expression) -> Expression:
    """``sum(DISTINCT x)`` without its DISTINCT."""
    from sqlglot import exp

    return node.expressions[0] if isinstance(node, exp.Distinct) and node.expressions else node


def _aggregated(state: State, rows: Rows, value: Value, function: str) -> Value:
    found = aggregate(state, value, function)
    found.node = state.node((found.node,), Operation(function))
    return of_groups(state, rows, found)


def _count(state: State, rows: Rows, node: Expression) -> Value:
    from sqlglot import exp

    what = node.this
    if isinstance(what, exp.Distinct):
        values = [evaluate(state, rows, one) for one in what.expressions]
        value = values[0] if len(values) == 1 else state.series(state.reach(*values))
        return _aggregated(state, rows, value, "nunique")
    if what is None or isinstance(what, exp.Star | exp.Literal):
        return _aggregated(state, rows, rows.relation, "size")
    value = evaluate(state, rows, what)
    return _aggregated(state, rows, value, "sum" if value.mask else "count")


def _count_if(state: State, rows: Rows, node: Expression) -> Value:
    return _aggregated(state, rows, condition_of(state, rows, node.this), "sum")


def _quantile(state: State, rows: Rows, node: Expression) -> Value:
    """``quantile(x, 0.5)``, ``percentile_cont(0.5) WITHIN GROUP (ORDER BY x)``."""
    from sqlglot import exp

    share = node.args.get("quantile") or node.args.get("expression") or node.this
    function = "median" if literal(share) == 0.5 else "quantile"
    within = node.parent if isinstance(node.parent, exp.WithinGroup) else None
    subject = within.expression.expressions[0] if within is not None else node.this
    return _aggregated(state, rows, evaluate(state, rows, subject), function)


def _filtered(state: State, rows: Rows, node: Expression) -> Value:
    """``avg(x) FILTER (WHERE …)``."""
    condition = condition_of(state, rows, node.expression.this)
    return evaluate(state, filtered_rows(rows, filtered(state, rows.relation, condition)), node.this)


def _window(state: State, rows: Rows, node: Expression) -> Value:
    """A value beside every row: of its group, and in an order where there is one."""
    keys = [evaluate(state, rows, key) for key in node.args.get("partition_by") or ()]
    order = node.args.get("order")
    by = order.expressions if order is not None else []
    kind = type(node.this).__name__
    ungrouped = msgspec.structs.replace(rows, groups=None)
    running = bool(by) and kind in _RUNNING
    ranking = kind in _RANKING
    function = node.this.this if type(node.this).__name__ in ("IgnoreNulls", "RespectNulls") else node.this
    if ranking:
        found = state.series((rows.relation.node,))
    elif running and function.this is not None:
        inside = evaluate(state, ungrouped, function.this) if not _counts_rows(function) else rows.relation
        found = state.series(state.reach(inside), inside.sources)
        found.node = state.node((found.node,), Operation(_RUNNING[kind]))
    else:
        found = fresh(evaluate(state, ungrouped, function), kind="series")
    facts: list[Fact] = [GroupKey(source) for key in keys for source in key.sources]
    facts += [Operation("groupby")] if keys else []
    found.node = state.node((found.node, *state.reach(*keys)), *facts)
    if not by:
        return found
    values = [evaluate(state, rows, one.this) for one in by]
    ascending = not by[0].args.get("desc")
    found = sort(state, found, values, ascending)
    if ranking:
        columns = tuple(dict.fromkeys(source for value in values for source in value.sources))
        found.ranked = Sorting(columns, ascending)
    return found


def _counts_rows(node: Expression) -> bool:
    from sqlglot import exp

    return isinstance(node.this, exp.Star)


READERS.update(
    {
        **dict.fromkeys(STATISTICS, _statistic),
        **dict.fromkeys(_QUANTILES, _quantile),
        "Count": _count,
        "CountIf": _count_if,
        "Filter": _filtered,
        "Window": _window,
    }
)
