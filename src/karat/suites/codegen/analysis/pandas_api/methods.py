"""Methods of frames, series and groups. What is not named here keeps its receiver's kind and counts as an operation."""

from __future__ import annotations

import msgspec

from karat.suites.codegen.analysis.calls import Call, Handler
from karat.suites.codegen.analysis.constants import number_in, texts_of
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
from karat.suites.codegen.analysis.pandas_api.orders import extreme, first_truth, sort, take
from karat.suites.codegen.analysis.run import Run
from karat.suites.codegen.analysis.values import Operation, Shared, Value, fresh, rows_of
from karat.suites.codegen.records import Filter, Join

_ACCESSORS = frozenset({"str", "dt", "cat"})
_PASSING = frozenset({"rolling", "expanding", "ewm"})


def call_method(run: Run, call: Call) -> Value:
    """What a method call on a table's value gives."""
    result = _call(run, call)
    if result.kind == "const":
        return result
    return msgspec.structs.replace(result, node=run.node((result.node,), Operation(call.name)))


def _call(run: Run, call: Call) -> Value:
    value = call.receiver
    if value.name in _ACCESSORS:
        handler = conditions.HANDLERS.get(call.name) if value.name == "str" else None
        return handler(run, call) if handler is not None else fresh(_unchanged(run, call), name="", mask=())
    if value.name in _PASSING and function_name(call.name) in FUNCTIONS:
        return fresh(_unchanged(run, call), name="", pending=aggregate(run, fresh(value, name=""), call.name).pending)
    handler = HANDLERS.get(call.name)
    if handler is not None:
        return handler(run, call)
    if function_name(call.name) in FUNCTIONS:
        found = aggregate(run, value, call.name)
        others = [given for given in call.given if given.node.tabular]
        return found if not others else fresh(found, node=run.node((found.node, *run.reach(*others))))
    if call.name in _PASSING:
        return fresh(_unchanged(run, call), name=call.name)
    return _unchanged(run, call)


def _unchanged(run: Run, call: Call) -> Value:
    return run.with_fact(call.receiver, parents=run.reach(*call.given))


def _sort_values(run: Run, call: Call) -> Value:
    value = call.receiver
    by = columns_named(run, value, call.argument(0, "by")) if value.kind == "frame" else [value]
    place = 2 if value.kind == "frame" else 1
    ascending = first_truth(call.argument(place, "ascending"), True)
    if value.kind != "frame":
        return sort(run, value, [run.series((), value.sources)], ascending)
    return sort(run, value, by, ascending)


def _sort_index(run: Run, call: Call) -> Value:
    index = run.series((), call.receiver.index)
    return sort(run, call.receiver, [index], first_truth(call.named.get("ascending"), True))


def _extreme(run: Run, call: Call) -> Value:
    value = call.receiver
    inner = value.inner if value.kind == "groups" and value.inner is not None else value
    by = (
        columns_named(run, inner, call.argument(1, "columns"))
        if inner.kind == "frame"
        else [run.series((), inner.sources)]
    )
    count = call.argument(0, "n")
    number = 5 if count is None else number_in(count)
    return extreme(run, _rows(run, value), by, number, call.name == "nlargest")


def _take(run: Run, call: Call) -> Value:
    count = call.argument(0, "n")
    return take(run, _rows(run, call.receiver), call.name == "head", 5 if count is None else number_in(count))


def _rows(run: Run, value: Value) -> Value:
    """The rows of groups, as their own: ``groups.head(3)``."""
    if value.kind == "groups" and value.inner is not None:
        rows = run.with_fact(value.inner, parents=(value.node,))
        rows.sort = value.sort
        return rows
    return value


def _set_index(run: Run, call: Call) -> Value:
    keys = columns_named(run, call.receiver, call.argument(0, "keys"))
    found = run.with_fact(call.receiver, parents=run.reach(*keys))
    found.index = sources_of(keys)
    return found if keys else _unchanged(run, call)


def _reset_index(run: Run, call: Call) -> Value:
    value = call.receiver
    if value.kind != "series":
        return fresh(run.with_fact(value), index=())
    if call.named.get("drop") is not None:
        return fresh(run.with_fact(value), index=())
    name = texts_of(call.argument(-1, "name"))
    made = {name[0] if name else (value.sources[0] if len(value.sources) == 1 else "<values>"): value}
    if not name and value.pending:
        made[value.pending[0].function] = value
    found = run.new_frame(run.node((value.node,)), tuple(dict.fromkeys((*value.index, *made))), made)
    found.sort = value.sort
    return found


def _to_frame(run: Run, call: Call) -> Value:
    return fresh(_reset_index(run, call), index=call.receiver.index)


def _rename(run: Run, call: Call) -> Value:
    value = call.receiver
    names = call.named.get("columns") or (call.argument(0, "mapper", "index") if "axis" in call.named else None)
    pairs = names.shared.pairs if names is not None and names.shared is not None else None
    if value.kind == "frame" and pairs is not None:
        return rename(run, value, {str(old): new.const for old, new in pairs.items() if isinstance(new.const, str)})
    found = run.with_fact(value)
    if found.shared is not None and names is not None:
        found.shared.loose = True
    return found


def _assign(run: Run, call: Call) -> Value:
    frame = run.with_fact(call.receiver)
    for name, value in call.named.items():
        set_column(run, frame, name, run.apply(value, [frame]) if value.kind == "function" else value)
    return frame


def _pipe(run: Run, call: Call) -> Value:
    if not call.arguments:
        return run.with_fact(call.receiver)
    return run.apply(call.arguments[0], [call.receiver, *call.arguments[1:]])


def _apply(run: Run, call: Call) -> Value:
    function = call.argument(0, "func", "arg", "function")
    value = call.receiver
    if function is None:
        return by_name(run, value, call.named) if call.named else run.with_fact(value)
    if function.kind == "function":
        return applied(run, value, function)
    if isinstance(function.const, str) or function.kind == "name":
        return by_rule(run, value, function)
    if call.name == "map" and function.kind == "series" and function.node.tabular:
        nodes = (value.node, *run.reach(function))
        keys = tuple(dict.fromkeys((*value.sources, *function.index)))
        found = run.series(nodes, function.sources)  # a lookup in another table
        found.node = run.node(nodes, Join("merge", keys, run.line))
        return found
    return run.with_fact(value, parents=run.reach(*call.given))


def _agg(run: Run, call: Call) -> Value:
    rule = call.argument(0, "func")
    named = {name: value for name, value in call.named.items() if name not in ("func", "axis", "engine")}
    if rule is None:
        return by_name(run, call.receiver, named)
    return by_rule(run, call.receiver, rule)


def _drop(run: Run, call: Call) -> Value:
    names = texts_of(call.named.get("columns") or (call.argument(0, "labels") if "axis" in call.named else None))
    if names and call.receiver.kind == "frame":
        return drop_columns(run, call.receiver, names)
    return _unchanged(run, call)


def _unique(run: Run, call: Call) -> Value:
    found = run.with_fact(call.receiver)
    found.distinct = call.receiver.sources
    return found


def _named_columns(run: Run, call: Call) -> Value:
    """Methods whose texts are columns: ``explode``, ``melt``, ``duplicated``…"""
    named = [found for given in call.given for found in columns_named(run, call.receiver, given)]
    return run.with_fact(call.receiver, parents=run.reach(*named))


def _reindex(run: Run, call: Call) -> Value:
    names = texts_of(call.named.get("columns"))
    return choose(run, call.receiver, names) if names and call.receiver.kind == "frame" else _unchanged(run, call)


def _get(run: Run, call: Call) -> Value:
    names = texts_of(call.argument(0, "key", "item"))
    if call.receiver.kind == "frame" and names:
        return column(run, call.receiver, names[0])
    if call.receiver.kind == "groups" and call.receiver.inner is not None:
        key = call.argument(0, "name")
        text = key.const if key is not None and isinstance(key.const, str) else ""
        told = Filter(call.receiver.index[0] if call.receiver.index else "", "==", text, run.line)
        return run.with_fact(call.receiver.inner, told, parents=(call.receiver.node,))
    return _unchanged(run, call)


def _insert(run: Run, call: Call) -> Value:
    name, value = call.argument(1, "column"), call.argument(2, "value")
    if call.receiver.kind == "frame" and name is not None and value is not None and isinstance(name.const, str):
        set_column(run, call.receiver, name.const, value)
    return run.const(None)


def _rows_one_by_one(run: Run, call: Call) -> Value:
    """``iterrows``, ``itertuples``, ``items``, ``to_dict("records")``: a list whose element is a row, a frame of
    one."""
    value = call.receiver
    row = run.with_fact(value)
    label_of_row = run.series((rows_of(value),), value.index)
    if call.name in ("iterrows", "items", "iteritems"):
        if value.kind == "frame" and call.name != "iterrows":
            row = run.series(run.reach(value))
        if value.index:
            label_of_row.distinct = value.index
        element = Value(
            "list", run.node((*run.reach(label_of_row), row.node)), shared=Shared(items=[label_of_row, row])
        )
    elif call.name == "to_dict" and (value.kind != "frame" or "records" not in texts_of(call.argument(0, "orient"))):
        return run.with_fact(value)
    else:
        element = row
    return Value("list", run.node((rows_of(value),)), shared=Shared(element=element), sort=value.sort)


def _append(run: Run, call: Call) -> Value:
    return grouping.concatenated(run, [call.receiver, *call.arguments[:1]])


def _rank(run: Run, call: Call) -> Value:
    ascending = first_truth(call.named.get("ascending"), True)
    found = sort(run, call.receiver, [run.series((), call.receiver.sources)], ascending)
    found.sort = None
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
    **dict.fromkeys(("get", "pop", "get_group", "xs"), _get),
    "sort_values": _sort_values,
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
