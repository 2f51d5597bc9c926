"""What a query reads from: tables, queries in FROM, and how they are joined."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from karat.suites.codegen.analysis.pandas_api.columns import column
from karat.suites.codegen.analysis.pandas_api.grouping import group, together
from karat.suites.codegen.analysis.reader.masks import MOST_VALUES, combined, filtered
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import Operation, Value
from karat.suites.codegen.analysis.records import Join
from karat.suites.codegen.analysis.sql.conditions import condition_of, join_key
from karat.suites.codegen.analysis.sql.expressions import evaluate, literal
from karat.suites.codegen.analysis.sql.rows import Rows, part, spelled

if TYPE_CHECKING:
    from sqlglot import exp

    Expression: TypeAlias = exp.Expr


def sources_of(state: State, select: Expression, rows: Rows) -> None:
    """Fill in the sources and the relation of a SELECT from its FROM and JOIN."""
    first = part(select, "from_", "from")
    if first is None:
        rows.relation = state.new_frame(state.node(()), (), {})
        return
    rows.relation = _add(state, first.this, rows)
    inner = first.this.args.get("joins") or []
    for join in (*inner, *(select.args.get("joins") or ())):
        _join(state, join, rows)


def _add(state: State, node: Expression, rows: Rows) -> Value:
    """One item of FROM, under the name that it has there."""
    frame = _frame(state, node, rows)
    rows.sources[(node.alias_or_name or f"<{len(rows.sources)}>").casefold()] = frame
    return frame


def _frame(state: State, node: Expression, rows: Rows) -> Value:
    from sqlglot import exp

    if isinstance(node, exp.Table):
        found = table_named(state, node, rows.tables)
        for pivot in node.args.get("pivots") or ():
            found = pivoted(state, pivot, found, rows)
    else:
        found = evaluate(state, rows, node)
    if found.kind != "frame":
        return state.new_frame(state.node(state.reach(found)), None, {})
    return state.with_fact(found)  # two uses of one table are two sources


def pivoted(state: State, pivot: Expression, frame: Value, rows: Rows) -> Value:
    """``PIVOT``: groups by the columns it names, with its aggregates; which columns come out is not known."""
    from sqlglot import exp

    inside = Rows(frame, {"": frame}, rows.tables, outer=rows.outer)
    statistics = [one for one in pivot.find_all(exp.AggFunc) if one.find_ancestor(exp.AggFunc) is None]
    keys = [one for one in pivot.find_all(exp.Column) if one.find_ancestor(exp.AggFunc) is None]
    inside.groups = group(state, frame, [evaluate(state, inside, key) for key in keys])
    values = [evaluate(state, inside, one) for one in statistics]
    nodes = (inside.groups.node, *state.reach(*values))
    return state.new_frame(state.node(nodes, Operation("pivot_table")), None, {})


def table_named(state: State, node: Expression, tables: dict[str, Value]) -> Value:
    """A given table, one of WITH, or a file of the name of a given one."""
    from sqlglot import exp

    name = node.name.casefold()
    if name in tables:
        return tables[name]
    said = node.this
    path = literal(said.expressions[0]) if isinstance(said, exp.Anonymous) and said.expressions else None
    if isinstance(said, exp.ReadCSV | exp.ReadParquet):
        path = literal(said.this)
    stem = PurePosixPath(path if isinstance(path, str) else name).stem.casefold()
    if stem in tables:
        return tables[stem]
    return state.new_frame(state.node(()), None, {})


def _join(state: State, join: Expression, rows: Rows) -> None:
    left = rows.relation
    known = dict(rows.sources)
    right = _add(state, join.this, rows)
    using = [one.name for one in join.args.get("using") or ()]
    if str(join.args.get("method") or "").upper() == "NATURAL":
        using = [name for name in _columns(right) if any(spelled(state, frame, name) for frame in known.values())]
    keys = [
        column(state, frame, name)
        for said in using
        for frame in (*known.values(), right)
        if (name := spelled(state, frame, said)) is not None
    ]
    on = join.args.get("on")
    tests = list(on.flatten()) if on is not None and type(on).__name__ == "And" else [on] if on is not None else []
    both = [one for one in tests if join_key(state, rows, _bare(one))]
    rows.relation = together(state, [left, right], Join("merge"), ())
    for one in map(_bare, both):
        keys += [evaluate(state, rows, one.this), evaluate(state, rows, one.expression)]
    sources = tuple(dict.fromkeys(source for key in keys for source in key.sources))
    told = Join("merge", sources, state.line)
    rows.relation = together(state, [left, right], told, state.reach(*keys))
    rows.relation.node = state.node((rows.relation.node,), Operation("merge"))
    rows.relation.kept = tuple(dict.fromkeys((*left.kept, *right.kept)))[:MOST_VALUES]
    rest = [condition_of(state, rows, one) for one in tests if one not in both]
    if rest:
        rows.relation = filtered(state, rows.relation, rest[0] if len(rest) == 1 else combined(state, rest, "and"))


def _bare(node: Expression) -> Expression:
    while type(node).__name__ == "Paren":
        node = node.this
    return node


def _columns(frame: Value) -> tuple[str, ...]:
    return (frame.shared.columns or ()) if frame.shared is not None else ()
