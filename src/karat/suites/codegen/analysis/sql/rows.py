"""What the names in a query stand for: the tables it reads from, the rows at hand, the names that it gives itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import msgspec

from karat.suites.codegen.analysis.pandas_api.columns import column
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import Value, fresh, rows_of

if TYPE_CHECKING:
    from sqlglot import exp

    Expression: TypeAlias = exp.Expr


class Rows(msgspec.Struct):
    """The rows that a SELECT works on."""

    relation: Value
    """All of them, as one frame; what was filtered or joined is in its node."""
    sources: dict[str, Value] = {}
    """The frames it reads from, by the names that they have in the query."""
    tables: dict[str, Value] = {}
    """Given tables and those of WITH, by their names in lower case."""
    aliases: dict[str, Value] = {}
    """What the query itself gives a name."""
    groups: Value | None = None
    outer: Rows | None = None
    """The rows of the query around this one."""


def column_in(state: State, rows: Rows, name: str, table: str = "") -> Value:
    """``name`` or ``table.name``; a column that nothing has is one of unknown origin."""
    at: Rows | None = rows
    while at is not None:
        for source, frame in at.sources.items():
            if (not table or source == table.casefold()) and (known := spelled(state, frame, name)) is not None:
                found = column(state, frame, known)
                found.node = state.node((found.node, rows_of(at.relation, state.line)))
                return found
        if not table and name.casefold() in at.aliases:
            return at.aliases[name.casefold()]
        at = at.outer
    return state.series((rows_of(rows.relation, state.line),))


def source_of_column(state: State, rows: Rows, name: str, table: str) -> str:
    """Which of the sources a column is from; empty when none has it."""
    if table:
        return table.casefold()
    return next((source for source, frame in rows.sources.items() if spelled(state, frame, name) is not None), "")


def spelled(state: State, frame: Value, name: str) -> str | None:
    """A column of the frame, in its own spelling: in SQL case does not count."""
    if frame.shared is None:
        return None
    known = frame.shared.columns
    names = [*frame.shared.made, *frame.shared.aliases, *(state.schema.columns if known is None else known)]
    if name in names:
        return name
    return next((one for one in names if one.casefold() == name.casefold()), None)


def part(node: Expression, *names: str) -> Expression | None:
    """A part of a node under whichever of its names this version of sqlglot has."""
    for name in names:
        found: Expression | None = node.args.get(name)
        if found is not None:
            return found
    return None


def filtered_rows(rows: Rows, relation: Value) -> Rows:
    """The same names, over other rows."""
    return msgspec.structs.replace(rows, relation=relation)


def of_groups(state: State, rows: Rows, value: Value) -> Value:
    """A result of an aggregation, as one value for each group where there are groups."""
    if rows.groups is None:
        return value
    node = state.node((value.node, rows.groups.node))
    return fresh(value, kind="series", node=node, index=rows.groups.index)
