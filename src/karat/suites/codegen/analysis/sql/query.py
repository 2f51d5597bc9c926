"""A query as a frame: WITH, FROM, WHERE, GROUP BY, HAVING, the columns of SELECT, QUALIFY, DISTINCT, ORDER BY, LIMIT.

Parts are read in the order in which they work. What no later part uses does not reach the result: a column of an inner
query that nobody selects counts for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from karat.suites.codegen.analysis.name_patterns import matching
from karat.suites.codegen.analysis.pandas_api.columns import column, drop_columns, set_column
from karat.suites.codegen.analysis.pandas_api.grouping import group
from karat.suites.codegen.analysis.pandas_api.orders import extreme_of_sorted, sort, take
from karat.suites.codegen.analysis.reader.constants import number_in
from karat.suites.codegen.analysis.reader.masks import filtered, label
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import GroupKey, Operation, Value, fresh, join, reach, rows_of
from karat.suites.codegen.analysis.records import Join
from karat.suites.codegen.analysis.sql.aggregates import is_aggregate
from karat.suites.codegen.analysis.sql.conditions import condition_of
from karat.suites.codegen.analysis.sql.expressions import READERS, evaluate, literal
from karat.suites.codegen.analysis.sql.rows import Rows, part, spelled
from karat.suites.codegen.analysis.sql.sources import pivoted, sources_of, table_named

if TYPE_CHECKING:
    from sqlglot import exp

    Expression: TypeAlias = exp.Expr


def query_result(state: State, node: Expression, tables: dict[str, Value], outer: Rows | None = None) -> Value:
    """The frame that a query gives. ``tables`` are by their names in lower case."""
    from sqlglot import exp

    state.count_step()
    if isinstance(node, exp.Subquery | exp.Paren) and not isinstance(node, exp.SetOperation):
        found = query_result(state, node.this, tables, outer)
        return _ended(state, node, found, {}, Rows(found, tables=tables, outer=outer))
    known = with_tables(state, node, tables, outer)
    if isinstance(node, exp.SetOperation):
        found = _both(state, node, known, outer)
        return _ended(state, node, found, {}, Rows(found, {"": found}, known, outer=outer))
    if isinstance(node, exp.Select):
        return _select(state, node, known, outer)
    if isinstance(node, exp.Table):
        return known.get(node.name.casefold()) or state.new_frame(state.node(()), None, {})
    rows = Rows(state.new_frame(state.node(()), None, {}), tables=known, outer=outer)
    if isinstance(node, exp.Pivot) and isinstance(node.this, exp.Table):
        return pivoted(state, node, table_named(state, node.this, known), rows)
    parts = [evaluate(state, rows, one) for one in node.iter_expressions() if not isinstance(one, exp.With)]
    return state.new_frame(state.node(state.reach(*parts)), None, {})


def with_tables(state: State, node: Expression, tables: dict[str, Value], outer: Rows | None) -> dict[str, Value]:
    """The tables of WITH beside those that are known. One that reads itself begins with its first part."""
    from sqlglot import exp

    held = part(node, "with_", "with")
    known = dict(tables)
    for cte in held.expressions if held is not None else ():
        name = cte.alias.casefold()
        if isinstance(cte.this, exp.SetOperation) and held is not None and held.args.get("recursive"):
            known[name] = query_result(state, cte.this.this, known, outer)
        known[name] = _renamed(state, query_result(state, cte.this, known, outer), cte)
    return known


def _renamed(state: State, frame: Value, node: Expression) -> Value:
    """``WITH t(a, b) AS …``: the columns under these names."""
    alias = node.args.get("alias")
    names = [one.name for one in alias.args.get("columns") or ()] if alias is not None else []
    known = frame.shared.columns if frame.shared is not None else None
    if not names or known is None or len(known) < len(names):
        return frame
    made = {new: column(state, frame, old) for new, old in zip(names, known, strict=False)}
    return state.new_frame(state.node((rows_of(frame, state.line),)), tuple(made), made)


def _select(state: State, node: Expression, tables: dict[str, Value], outer: Rows | None) -> Value:
    rows = Rows(state.new_frame(state.node(()), (), {}), {}, tables, {}, None, outer)
    sources_of(state, node, rows)
    where = node.args.get("where")
    if where is not None:
        _simple_aliases(state, node, rows)
        rows.relation = filtered(state, rows.relation, condition_of(state, rows, where.this))
    _group(state, node, rows)
    whole, made = _columns(state, node, rows)
    rows.aliases |= {name.casefold(): value for name, value in made.items()}
    for clause in ("having", "qualify"):
        test = node.args.get(clause)
        if test is not None:
            rows.relation = filtered(state, rows.relation, condition_of(state, rows, test.this))
    found = _result(state, rows, made, whole)
    distinct = node.args.get("distinct")
    if distinct is not None:
        on = [evaluate(state, rows, one) for one in _keys_of_distinct(node)]
        keys = [GroupKey(source) for one in on for source in one.sources]
        found = state.with_fact(found, Operation("unique"), *keys, parents=state.reach(*on))
        found.distinct = tuple(source for value in made.values() for source in value.sources)
    return _ended(state, node, found, made, rows)


class _Nothing:
    expressions: tuple[Expression, ...] = ()


_NONE = _Nothing()


def _simple_aliases(state: State, node: Expression, rows: Rows) -> None:
    """DuckDB knows the names of SELECT in WHERE too, where they are no aggregates."""
    for one in node.expressions:
        if type(one).__name__ == "Alias" and not is_aggregate(one) and not _same_name(one):
            rows.aliases[one.alias.casefold()] = evaluate(state, rows, one.this)


def _same_name(node: Expression) -> bool:
    return bool(node.this.name.casefold() == node.alias.casefold())


def _group(state: State, node: Expression, rows: Rows) -> None:
    from sqlglot import exp

    clause = node.args.get("group")
    items = list(node.expressions)
    if clause is None:
        return
    keys = list(clause.expressions)
    for name in ("rollup", "cube", "grouping_sets"):
        for held in clause.args.get(name) or ():
            keys += held.find_all(exp.Column)
    if clause.args.get("all"):
        keys += [one for one in items if not is_aggregate(one)]
    by_alias = {one.alias.casefold(): one for one in items if one.alias}
    values = []
    for key in keys:
        place = literal(key)
        if isinstance(place, int) and 1 <= place <= len(items):
            key = items[place - 1]
        elif type(key).__name__ == "Column" and not _in_sources(state, rows, key):
            key = by_alias.get(key.name.casefold(), key)
        values.append(evaluate(state, rows, key))
    rows.groups = group(state, rows.relation, values)
    rows.groups.node = state.node((rows.groups.node,), Operation("groupby"))


def _in_sources(state: State, rows: Rows, node: Expression) -> bool:
    return any(spelled(state, frame, node.name) is not None for frame in rows.sources.values())


def _columns(state: State, node: Expression, rows: Rows) -> tuple[Value | None, dict[str, Value]]:
    """The frame that ``*`` takes over, where there is one, and the columns beside it."""
    from sqlglot import exp

    whole: Value | None = None
    made: dict[str, Value] = {}
    for place, item in enumerate(node.expressions):
        bare = item.this if isinstance(item, exp.Column) else item
        if isinstance(bare, exp.Star):
            whole = _star(state, bare, rows)
        elif type(item).__name__ == "Columns":
            pattern = literal(item.this)
            names = matching(pattern, _known(rows.relation)) if isinstance(pattern, str) else _known(rows.relation)
            made |= {name: column(state, rows.relation, name) for name in names}
        else:
            value = evaluate(state, rows, item)
            made[item.alias_or_name or f"<{place}>"] = _as_column(state, value)
    return whole, made


def _star(state: State, star: Expression, rows: Rows) -> Value:
    """``*``, ``* EXCLUDE (a)``, ``* REPLACE (x AS a)``."""
    frame = state.with_fact(rows.relation)
    left_out = [one.name for one in part(star, "except_", "except") or ()]
    frame = drop_columns(state, frame, left_out) if left_out else frame
    for one in star.args.get("replace") or ():
        set_column(state, frame, one.alias, evaluate(state, rows, one.this))
    return frame


def _known(frame: Value) -> tuple[str, ...]:
    return (frame.shared.columns or ()) if frame.shared is not None else ()


def _as_column(state: State, value: Value) -> Value:
    if value.kind == "frame":
        values = list(value.shared.made.values()) if value.shared is not None else []
        return values[0] if len(values) == 1 else state.series(state.reach(value))
    if value.kind in ("series", "scalar"):
        return fresh(value, kind="series")
    return Value("series", reach(value, state.line), sources=value.sources, const=value.const)


def _result(state: State, rows: Rows, made: dict[str, Value], whole: Value | None) -> Value:
    nodes = [rows_of(rows.relation, state.line), *([rows.groups.node] if rows.groups is not None else [])]
    if whole is None:
        found = state.new_frame(state.node(nodes), tuple(made), made)
    else:
        found = state.with_fact(whole, parents=nodes)
        for name, value in made.items():
            set_column(state, found, name, value)
    found.sort = rows.relation.sort
    if rows.groups is None:
        found.kept = rows.relation.kept
    else:
        found.index = rows.groups.index
    return found


def _ended(state: State, node: Expression, frame: Value, made: dict[str, Value], rows: Rows) -> Value:
    """ORDER BY and LIMIT."""
    order = node.args.get("order")
    if order is not None and order.expressions:
        by = [_ordered(state, rows, made, one.this, frame) for one in order.expressions]
        own = _within_keys(node, order.expressions)
        by = by[own:] or by
        frame = sort(
            state, frame, by, not order.expressions[own if own < len(order.expressions) else 0].args.get("desc")
        )
        frame.node = state.node((frame.node,), Operation("sort_values"))
        if own:
            frame = take(state, frame, True, 1)
    limit = node.args.get("limit")
    if limit is None:
        return frame
    count = number_in(state.const(literal(limit.args.get("expression") or limit.args.get("count"))))
    skipped = node.args.get("offset")
    if skipped is not None and literal(skipped.expression) != 0:
        before = number_in(state.const(literal(skipped.expression)))
        if frame.sort is None or order is None or before is None or count is None:
            return state.with_fact(frame)
        return take(state, frame, True, before + count)
    if frame.sort is None or order is None:
        return take(state, frame, True, count)
    return extreme_of_sorted(state, frame, count)


def _keys_of_distinct(node: Expression) -> list[Expression]:
    distinct = node.args.get("distinct")
    return list((distinct.args.get("on") or _NONE).expressions) if distinct is not None else []


def _within_keys(node: Expression, ordered: Sequence[Expression]) -> int:
    """``DISTINCT ON (a) … ORDER BY a, b DESC``: the first row of each a by b. How many of the order are the keys."""
    keys = {one.sql() for one in _keys_of_distinct(node)}
    own = next((at for at, one in enumerate(ordered) if one.this.sql() not in keys), len(ordered))
    return own if keys and own < len(ordered) else 0


def _ordered(state: State, rows: Rows, made: dict[str, Value], node: Expression, frame: Value) -> Value:
    """What rows are sorted by: a place in SELECT, one of its names, or any expression."""
    place = literal(node)
    values = list(made.values())
    if isinstance(place, int) and 1 <= place <= len(values):
        return values[place - 1]
    if type(node).__name__ == "Column" and not node.text("table"):
        named = {name.casefold(): value for name, value in made.items()}
        if node.name.casefold() in named:
            return named[node.name.casefold()]
        known = spelled(state, frame, node.name)
        if known is not None:
            return column(state, frame, known)
    return evaluate(state, rows, node)


def _both(state: State, node: Expression, tables: dict[str, Value], outer: Rows | None) -> Value:
    """UNION, EXCEPT, INTERSECT: columns are put together by their places."""
    first = query_result(state, node.this, tables, outer)
    second = query_result(state, node.expression, tables, outer)
    names, others = _known(first), _known(second)
    made = {
        name: join(column(state, first, name), column(state, second, other), state.line)
        for name, other in zip(names, others, strict=False)
    }
    union = type(node).__name__ == "Union"
    keys = tuple(filter(None, (label(value) for value in made.values()))) if not union else ()
    told = Join("concat" if union else "merge", keys, state.line)
    nodes = (rows_of(first, state.line), rows_of(second, state.line))
    return state.new_frame(state.node(nodes, told), names if made else None, made)


def _inner_query(state: State, rows: Rows, node: Expression) -> Value:
    return query_result(state, node, rows.tables, rows)


READERS.update(dict.fromkeys(("Select", "Subquery", "Union", "Except", "Intersect"), _inner_query))
