"""The contract's operations (mean, sum, max…) that code has, by whatever functions it calls."""

from __future__ import annotations

from karat.suites.codegen.analysis.records import CodeFacts
from karat.suites.codegen.metrics.requirements.matching import groups

_BY_FUNCTION: dict[str, tuple[str, ...]] = {
    "mean": ("mean",),
    "sum": ("sum",),
    "max": ("max",),
    "idxmax": ("max",),
    "min": ("min",),
    "idxmin": ("min",),
    "mode": ("max",),
    **dict.fromkeys(("count", "size", "len", "value_counts", "nunique"), ("count",)),
    "median": ("median",),
    "quantile": ("median", "max", "min"),
    "std": ("std",),
    "var": ("var",),
    "share": ("mean", "count"),
    "describe": ("mean", "max", "min", "count", "median", "std"),
}
_BROAD = frozenset({"share", "describe", "mode", "quantile"})
"""These give what is asked for among other things; they are never too much."""


def operations_of(facts: CodeFacts) -> tuple[set[str], set[str]]:
    """The contract's operations that the code has, and those of them that it has for certain."""
    found: set[str] = set()
    certain: set[str] = set()
    for one in facts.aggregations:
        kinds = _BY_FUNCTION.get(one.function, ())
        found.update(kinds)
        if one.function not in _BROAD:
            certain.update(kinds)
    for order in facts.orders:
        upwards = {"largest": False, "smallest": True}.get(order.kind)
        if order.kind in ("head", "tail") and order.ascending is not None:
            upwards = order.ascending == (order.kind == "head")
        if upwards is not None:
            found.add("min" if upwards else "max")
            certain.add("min" if upwards else "max")
    running = {"cumsum": "sum", "cummax": "max", "cummin": "min"}
    found.update(kind for name, kind in running.items() if name in facts.operations)
    if groups(facts):
        found.add("groupby")
    return found, certain
