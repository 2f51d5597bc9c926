"""Methods of frames, series and groups. What is not named here keeps its receiver's kind and counts as an operation."""

from __future__ import annotations

import msgspec

from karat.suites.codegen.analysis.pandas_api import conditions, grouping
from karat.suites.codegen.analysis.pandas_api.aggregates import (
    FUNCTIONS,
    aggregate,
    applied,
    by_name,
    by_rule,
    function_name,
)
from karat.suites.codegen.analysis.pandas_api.columns import (
    choose,
    column,
    columns_named,
    drop_columns,
    rename,
    set_column,
    sources_of,
)
from karat.suites.codegen.analysis.pandas_api.orders import argsort, extreme, first_truth, sort, take
from karat.suites.codegen.analysis.reader.constants import number_in, texts_of, truth_in
from karat.suites.codegen.analysis.reader.function_calls.calls import Call, Handler
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import (
    INDEXED_ROW,
    ROW,
    ROWS,
    Operation,
    Shared,
    Sorting,
    Value,
    fresh,
    rows_of,
)
from karat.suites.codegen.analysis.records import Filter, Join

_ACCESSORS = frozenset({"str", "dt", "cat"})
_PASSING = frozenset({"rolling", "expanding", "ewm"})


def call_method(state: State, call: Call) -> Value:
    """What a method call on a table's value gives."""
    result = _call(state, call)
    if result.kind == "const":
        return result
    return msgspec.structs.replace(result, node=state.node((result.node,), Operation(call.name)))


def _call(state: State, call: Call) -> Value:
    value = call.receiver
    if value.name in _ACCESSORS:
        handler = conditions.HANDLERS.get(call.name) if value.name == "str" else None
        return handler(state, call) if handler is not None else fresh(_unchanged(state, call), name="", mask=())
    if value.name in _PASSING and function_name(call.name) in FUNCTIONS:
        return fresh(
            _unchanged(state, call), name="", pending=aggregate(state, fresh(value, name=""), call.name).pending
        )
    handler = HANDLERS.get(call.name)
    if handler is not None:
        return handler(state, call)
    if function_name(call.name) in FUNCTIONS:
        found = aggregate(state, value, call.name)
        others = [given for given in call.given if given.node.tabular]
        return found if not others else fresh(found, node=state.node((found.node, *state.reach(*others))))
    if call.name in _PASSING:
        return fresh(_unchanged(state, call), name=call.name)
    return _unchanged(state, call)


def _unchanged(state: State, call: Call) -> Value:
    return state.with_fact(call.receiver, parents=state.reach(*call.given))


def _sort_values(state: State, call: Call) -> Value:
    value = call.receiver
    by = columns_named(state, value, call.argument(0, "by")) if value.kind == "frame" else [value]
    place = 2 if value.kind == "frame" else 1
    ascending = first_truth(call.argument(place, "ascending"), True)
    if value.kind != "frame":
        return sort(state, value, [state.series((), value.sources)], ascending)
    return sort(state, value, by, ascending)


def _sort_index(state: State, call: Call) -> Value:
    index = state.series((), call.receiver.index)
    return sort(state, call.receiver, [index], first_truth(call.named.get("ascending"), True))


def _extreme(state: State, call: Call) -> Value:
    value = call.receiver
    inner = value.inner if value.kind == "groups" and value.inner is not None else value
    by = (
        columns_named(state, inner, call.argument(1, "columns"))
        if inner.kind == "frame"
        else [state.series((), inner.sources)]
    )
    count = call.argument(0, "n")
    number = 5 if count is None else number_in(count)
    return extreme(state, _rows(state, value), by, number, call.name == "nlargest")


def _take(state: State, call: Call) -> Value:
    count = call.argument(0, "n")
    return take(state, _rows(state, call.receiver), call.name == "head", 5 if count is None else number_in(count))


def _rows(state: State, value: Value) -> Value:
    """The rows of groups, as their own: ``groups.head(3)``."""
    if value.kind == "groups" and value.inner is not None:
        rows = state.with_fact(value.inner, parents=(value.node,))
        rows.sort = value.sort
        return rows
    return value


def _set_index(state: State, call: Call) -> Value:
    keys = columns_named(state, call.receiver, call.argument(0, "keys"))
    found = state.with_fact(call.receiver, parents=state.reach(*keys))
    found.index = sources_of(keys)
    return found if keys else _unchanged(state, call)


def _reset_index(state: State, call: Call) -> Value:
    value = call.receiver
    if value.kind != "series":
        return fresh(state.with_fact(value), index=())
    if call.named.get("drop") is not None:
        return fresh(state.with_fact(value), index=())
    name = texts_of(call.argument(-1, "name"))
    made = {name[0] if name else (value.sources[0] if len(value.sources) == 1 else "<values>"): value}
    if not name and value.pending:
        made[value.pending[0].function] = value
    found = state.new_frame(state.node((value.node,)), tuple(dict.fromkeys((*value.index, *made))), made)
    found.sort = value.sort
    return found


def _to_frame(state: State, call: Call) -> Value:
    return fresh(_reset_index(state, call), index=call.receiver.index)


def _rename(state: State, call: Call) -> Value:
    value = call.receiver
    names = call.named.get("columns") or (call.argument(0, "mapper", "index") if "axis" in call.named else None)
    pairs = names.shared.pairs if names is not None and names.shared is not None else None
    if value.kind == "frame" and pairs is not None:
        return rename(state, value, {str(old): new.const for old, new in pairs.items() if isinstance(new.const, str)})
    found = state.with_fact(value)
    if found.shared is not None and names is not None:
        found.shared.loose = True
    return found


def _assign(state: State, call: Call) -> Value:
    frame = state.with_fact(call.receiver)
    for name, value in call.named.items():
        set_column(state, frame, name, state.apply(value, [frame]) if value.kind == "function" else value)
    return frame


def _pipe(state: State, call: Call) -> Value:
    """``df.pipe(f, …)``; ``df.pipe((f, "name"), …)`` gives the frame under that name."""
    if not call.arguments:
        return state.with_fact(call.receiver)
    function, rest = call.arguments[0], call.arguments[1:]
    pair = function.shared.items if function.kind == "list" and function.shared is not None else None
    if pair is not None and len(pair) == 2 and isinstance(pair[1].const, str):
        return state.apply(pair[0], rest, {**call.named, pair[1].const: call.receiver})
    return state.apply(function, [call.receiver, *rest], call.named)


def _apply(state: State, call: Call) -> Value:
    function = call.argument(0, "func", "arg", "function")
    value = call.receiver
    if function is None:
        return by_name(state, value, call.named) if call.named else state.with_fact(value)
    if function.kind == "function":
        return applied(state, value, function)
    if isinstance(function.const, str) or function.kind == "name":
        return by_rule(state, value, function)
    lookup = function.kind == "series" or (function.kind == "dict" and function.index)
    if call.name == "map" and lookup and function.node.tabular:
        nodes = (value.node, *state.reach(function))
        keys = tuple(dict.fromkeys((*value.sources, *function.index)))
        found = state.series(nodes, function.sources)  # a lookup in another table
        found.node = state.node(nodes, Join("merge", keys, state.line))
        return found
    return state.with_fact(value, parents=state.reach(*call.given))


def _agg(state: State, call: Call) -> Value:
    rule = call.argument(0, "func")
    named = {name: value for name, value in call.named.items() if name not in ("func", "axis", "engine")}
    if rule is None:
        return by_name(state, call.receiver, named)
    return by_rule(state, call.receiver, rule)


def _drop(state: State, call: Call) -> Value:
    names = texts_of(call.named.get("columns") or (call.argument(0, "labels") if "axis" in call.named else None))
    if names and call.receiver.kind == "frame":
        return drop_columns(state, call.receiver, names)
    return _unchanged(state, call)


def _unique(state: State, call: Call) -> Value:
    found = state.with_fact(call.receiver)
    found.distinct = call.receiver.sources
    return found


def _named_columns(state: State, call: Call) -> Value:
    """Methods whose texts are columns: ``explode``, ``melt``, ``duplicated``…"""
    named = [found for given in call.given for found in columns_named(state, call.receiver, given)]
    return state.with_fact(call.receiver, parents=state.reach(*named))


def _reindex(state: State, call: Call) -> Value:
    names = texts_of(call.named.get("columns"))
    return choose(state, call.receiver, names) if names and call.receiver.kind == "frame" else _unchanged(state, call)


def _get(state: State, call: Call) -> Value:
    names = texts_of(call.argument(0, "key", "item"))
    if call.receiver.kind == "frame" and names:
        return column(state, call.receiver, names[0])
    if call.receiver.kind == "groups" and call.receiver.inner is not None:
        key = call.argument(0, "name")
        text = key.const if key is not None and isinstance(key.const, str) else ""
        told = Filter(call.receiver.index[0] if call.receiver.index else "", "==", text, state.line)
        return state.with_fact(call.receiver.inner, told, parents=(call.receiver.node,))
    return _unchanged(state, call)


def _insert(state: State, call: Call) -> Value:
    name, value = call.argument(1, "column"), call.argument(2, "value")
    if call.receiver.kind == "frame" and name is not None and value is not None and isinstance(name.const, str):
        set_column(state, call.receiver, name.const, value)
    return state.const(None)


def _rows_one_by_one(state: State, call: Call) -> Value:
    """``iterrows``, ``itertuples``, ``items``, ``to_dict("records")``: a list whose element is a row, a frame of
    one."""
    value = call.receiver
    row = state.with_fact(value)
    label_of_row = state.series((rows_of(value),), value.index)
    if call.name in ("iterrows", "items", "iteritems"):
        if value.kind == "frame" and call.name != "iterrows":
            row = state.series(state.reach(value))
        if value.index:
            label_of_row.distinct = value.index
        element = Value(
            "list", state.node((*state.reach(label_of_row), row.node)), shared=Shared(items=[label_of_row, row])
        )
    elif call.name == "to_dict" and (value.kind != "frame" or "records" not in texts_of(call.argument(0, "orient"))):
        return state.with_fact(value)
    else:
        element = row
        plain = truth_in(call.argument(0, "index")) is False
        row.name = "" if call.name != "itertuples" else ROW if plain else INDEXED_ROW
    return Value("list", state.node((rows_of(value),)), shared=Shared(element=element), sort=value.sort)


def _as_rows(state: State, call: Call) -> Value:
    return fresh(_unchanged(state, call), name=ROWS if call.receiver.kind == "frame" else "")


def _append(state: State, call: Call) -> Value:
    return grouping.concatenated(state, [call.receiver, *call.arguments[:1]])


def _rank(state: State, call: Call) -> Value:
    """A number for each row that follows an order: ``rank(ascending=False) <= 3`` takes the first three."""
    value = _rows(state, call.receiver)
    ascending = first_truth(call.named.get("ascending"), True)
    found = sort(state, value, [state.series((), value.sources)], ascending)
    found.sort, found.ranked = None, Sorting(value.sources, ascending)
    return found


HANDLERS: dict[str, Handler] = {
    **conditions.HANDLERS,
    **dict.fromkeys(("nlargest", "nsmallest"), _extreme),
    **dict.fromkeys(("head", "tail"), _take),
    **dict.fromkeys(("apply", "map", "applymap", "transform"), _apply),
    **dict.fromkeys(("agg", "aggregate"), _agg),
    **dict.fromkeys(("merge", "join"), grouping.joined),
    **dict.fromkeys(("append", "_append"), _append),
    **dict.fromkeys(("iterrows", "itertuples", "items", "iteritems", "to_dict"), _rows_one_by_one),
    **dict.fromkeys(("explode", "melt"), _named_columns),
    **dict.fromkeys(("pivot_table", "pivot"), grouping.pivot_table),
    **dict.fromkeys(("get", "pop", "__getitem__", "get_group", "xs"), _get),
    **dict.fromkeys(("to_numpy", "as_matrix"), _as_rows),
    "sort_values": _sort_values,
    "argsort": lambda state, call: argsort(state, call.receiver),
    "sort_index": _sort_index,
    "groupby": grouping.groupby,
    "resample": grouping.resample,
    "value_counts": grouping.value_counts,
    "set_index": _set_index,
    "reset_index": _reset_index,
    "to_frame": _to_frame,
    "rename": _rename,
    "assign": _assign,
    "pipe": _pipe,
    "drop": _drop,
    "unique": _unique,
    "reindex": _reindex,
    "insert": _insert,
    "rank": _rank,
}
