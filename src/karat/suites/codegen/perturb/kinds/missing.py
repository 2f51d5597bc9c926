"""Cells that may go missing in columns where none is, so that right solutions still agree.

A missing measurement has one meaning: it is left out. ``qty.sum()``, ``qty.mean()`` and what SQL and polars make of
them agree, and ``sum(qty)`` or ``qty.sum() / len(t)`` do not. A missing category, date or limit has none: ``groupby``
drops a null that ``group_by`` and ``GROUP BY`` keep, ``~(x >= 5)`` keeps one that ``x < 5`` drops, and a sort puts it
first or last. So only these go missing:

- numbers that the reference measures (sum, mean, max …), all of them in the same rows, so that ``(a * b).sum()`` and
  ``a.mean() / b.mean()`` stay what they were
- numbers that it does not use at all: ``dropna()`` over all columns loses rows by them
- texts that it counts the different ones of
- texts that it groups by with ``dropna=False``: then a missing one is a group too

A sum over nothing is 0 in pandas and null in SQL: on such copies either is right.
"""

from __future__ import annotations

import ast

import msgspec

from karat.sandbox import Column, Plain, Series, Table, Unordered
from karat.suites.codegen.analysis.records import CodeFacts

MEASURES = frozenset(
    {"sum", "mean", "median", "std", "var", "min", "max", "prod", "quantile", "corr", "cov", "sem", "skew", "kurt"}
)
DIFFERENT = frozenset({"nunique", "n_unique"})


class Missing(msgspec.Struct, frozen=True):
    """What a reference does with its columns, as far as nulls are concerned."""

    used: frozenset[str] = frozenset()
    measured: frozenset[str] = frozenset()
    counted: frozenset[str] = frozenset()
    grouped: frozenset[str] = frozenset()
    """Columns of groups of which one may be that of the nulls."""
    readable: bool = False
    """Whether it can be told at all what the reference does."""

    def may(self, name: str, kind: str) -> bool:
        """Whether cells of this column may go missing."""
        if not self.readable:
            return False
        if kind in ("whole", "number"):
            return name in self.measured or name not in self.used
        return kind == "text" and (name in self.counted or name in self.grouped)


def missing_of(facts: CodeFacts, *, keeps_nulls: bool = False) -> Missing:
    """From the facts of the reference. ``keeps_nulls``: nulls are a group of their own."""
    bound = {one.column for one in facts.filters} | set(facts.group_keys)
    bound |= {name for order in facts.orders for name in order.columns}
    bound |= {name for join in facts.joins for name in join.keys}
    measures = {one.column for one in facts.aggregations if one.function in MEASURES}
    measured = measures - {""}
    if "" in measures:  # of an expression: whatever is used for nothing else
        measured |= set(facts.columns) - bound
    counted = {one.column for one in facts.aggregations if one.function in DIFFERENT}
    conditions = {one.column for one in facts.filters} | {name for join in facts.joins for name in join.keys}
    grouped = frozenset(facts.group_keys) - conditions if keeps_nulls else frozenset[str]()
    readable = not (facts.syntax_error or facts.unread)
    return Missing(frozenset(facts.columns), frozenset(measured), frozenset(counted), grouped, readable)


def keeps_null_groups(tree: ast.AST) -> bool:
    """Whether groups are made with ``dropna=False``."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "groupby"
        and any(
            word.arg == "dropna" and isinstance(word.value, ast.Constant) and word.value.value is False
            for word in node.keywords
        )
        for node in ast.walk(tree)
    )


def nothing_is_zero(value: Plain) -> Plain:
    """The same with 0 for everything that is missing."""
    if value is None or (isinstance(value, float) and value != value):
        return 0
    if isinstance(value, dict):
        return {key: nothing_is_zero(one) for key, one in value.items()}
    if isinstance(value, Unordered):
        return Unordered(nothing_is_zero(one) for one in value)
    if isinstance(value, list | tuple):
        return type(value)(nothing_is_zero(one) for one in value)
    if isinstance(value, Column):
        return msgspec.structs.replace(value, values=nothing_is_zero(value.values))
    if isinstance(value, Table):
        return msgspec.structs.replace(value, columns=nothing_is_zero(value.columns))
    if isinstance(value, Series):
        return msgspec.structs.replace(value, column=nothing_is_zero(value.column))
    return value
