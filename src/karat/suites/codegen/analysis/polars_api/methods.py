"""Methods of polars' frames, groups and columns, where they are not those of pandas by another name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from karat.suites.codegen.analysis.pandas_api import conditions, grouping
from karat.suites.codegen.analysis.pandas_api.aggregates import FUNCTIONS, aggregate, function_name
from karat.suites.codegen.analysis.pandas_api.columns import column, drop_columns, has_column, set_column
from karat.suites.codegen.analysis.pandas_api.methods import call_method
from karat.suites.codegen.analysis.pandas_api.orders import at_position, extreme, first_truth, reverse, sort, take
from karat.suites.codegen.analysis.polars_api.arguments import (
    as_column,
    flat,
    frame_of,
    is_whole,
    keys_in,
    named_columns,
)
from karat.suites.codegen.analysis.polars_api.deferred import column_names, is_deferred, resolved
from karat.suites.codegen.analysis.polars_api.names import RENAMED
from karat.suites.codegen.analysis.reader.constants import number_in, texts_of, truth_in
from karat.suites.codegen.analysis.reader.function_calls.calls import Call
from karat.suites.codegen.analysis.reader.masks import combined, compared, filtered
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import ROW, Operation, Shared, Value, fresh, rows_of

PolarsHandler: TypeAlias = Callable[[State, Call], Value | None]
"""None: the call is one of pandas."""
ROLLED = ("mean", "sum", "max", "min", "std", "var", "median")
_NO_COLUMNS: frozenset[str] = frozenset()
_GROUP_OPTIONS = frozenset({"maintain_order", "every", "period", "offset", "closed", "label", "start_by", "group_by"})


def polars_method(state: State, call: Call) -> Value | None:
    """What a method of polars gives; None where it is one of pandas."""
    handler = HANDLERS.get(call.name)
    found = handler(state, call) if handler is not None else None
    if found is not None:
        return fresh(found, node=state.node((found.node,), Operation(RENAMED.get(call.name, call.name))))
    if call.name in RENAMED or any(map(is_deferred, call.given)):
        frame = call.receiver
        given = [resolved(state, one, frame) for one in call.arguments]
        named = {name: resolved(state, one, frame) for name, one in call.named.items()}
        return call_method(state, Call(frame, RENAMED.get(call.name, call.name), given, named))
    return None


def _filter(state: State, call: Call) -> Value | None:
    """Rows that fulfil all the conditions. In pandas ``filter`` chooses columns, or groups by a function."""
    of = call.receiver
    given = flat(call.arguments)
    if of.kind not in ("frame", "series") or not (given or call.named):
        return None
    masks = [resolved(state, one, of) for one in given]
    if any(isinstance(mask.const, str) or mask.kind in ("function", "unknown", "list") for mask in masks):
        return None
    if of.kind == "frame" and not {"items", "like", "regex", "axis"} & set(call.named):
        masks += [compared(state, column(state, of, name), "==", value) for name, value in call.named.items()]
    if not masks:
        return None
    return filtered(state, of, masks[0] if len(masks) == 1 else combined(state, masks, "and"))


def _select(state: State, call: Call) -> Value | None:
    frame = call.receiver
    if frame.kind != "frame":
        return None
    if is_whole(state, frame, call):
        return state.with_fact(frame)
    return frame_of(state, frame, named_columns(state, frame, call, _NO_COLUMNS))


def _with_columns(state: State, call: Call) -> Value | None:
    if call.receiver.kind != "frame":
        return None
    columns = named_columns(state, call.receiver, call, _NO_COLUMNS)
    frame = state.with_fact(call.receiver)
    for name, value in columns.items():
        set_column(state, frame, name, value)
    return frame


def _group_by(state: State, call: Call) -> Value | None:
    """``group_by``, ``group_by_dynamic``, ``rolling``: groups that remember what their keys are called."""
    frame = call.receiver
    if frame.kind != "frame":
        return None
    given = [*call.arguments, *([call.named["index_column"]] if "index_column" in call.named else [])]
    also = call.named.get("group_by")
    keys = keys_in(state, frame, [*given, *([also] if also is not None else [])])
    keys |= {
        name: resolved(state, one, frame)
        for name, one in call.named.items()
        if name not in _GROUP_OPTIONS and name not in ("index_column", "by")
    }
    if "by" in call.named:
        keys |= keys_in(state, frame, [call.named["by"]])
    groups = grouping.group(state, frame, list(keys.values()))
    groups.shared = Shared(made=dict(keys))
    return groups


def _rolling(state: State, call: Call) -> Value | None:
    named = "index_column" in call.named or bool(texts_of(call.argument(0, "index_column")))
    return _group_by(state, call) if call.receiver.kind == "frame" and named else None


def _agg(state: State, call: Call) -> Value | None:
    """``agg(pl.col("x").mean())``: each expression is evaluated on the rows of a group."""
    groups = call.receiver
    ours = groups.shared is not None or any(map(is_deferred, call.given))
    if groups.kind != "groups" or groups.inner is None or not ours:
        return None
    made = dict(groups.shared.made) if groups.shared is not None else {}
    for name, value in named_columns(state, groups.inner, call, _NO_COLUMNS).items():
        found = as_column(state, value)
        made[name] = fresh(found, node=state.node((found.node, groups.node)), index=groups.index)
    frame = state.new_frame(state.node((groups.node, rows_of(groups.inner, state.line))), tuple(made), made)
    frame.index = groups.index
    return frame


def _count_groups(state: State, call: Call) -> Value | None:
    """``group_by("x").len()``: a frame with the keys and a column of counts."""
    groups = call.receiver
    if groups.kind != "groups" or groups.shared is None:
        return None
    counts = aggregate(state, groups, "size")
    name = texts_of(call.argument(0, "name"))
    made = {**groups.shared.made, name[0] if name else call.name: counts}
    frame = state.new_frame(state.node((groups.node,)), tuple(made), made)
    frame.index = groups.index
    return frame


def _sort(state: State, call: Call) -> Value | None:
    value = call.receiver
    downwards = first_truth(call.named.get("descending", call.named.get("reverse")), False)
    ascending = None if downwards is None else not downwards
    if value.kind == "series":
        return sort(state, value, [state.series((), value.sources)], ascending)
    if value.kind != "frame":
        return None
    by = keys_in(state, value, [*call.arguments, *([call.named["by"]] if "by" in call.named else [])])
    return sort(state, value, list(by.values()), ascending)


def _top_k(state: State, call: Call) -> Value | None:
    value = call.receiver
    if value.kind not in ("frame", "series"):
        return None
    count = call.argument(0, "k")
    by = call.named.get("by")
    keys = list(keys_in(state, value, [by] if by is not None else []).values())
    if value.kind == "series":
        keys = [state.series((), value.sources)]
    largest = (call.name == "top_k") != (first_truth(call.named.get("reverse"), False) is True)
    return extreme(state, value, keys, 5 if count is None else number_in(count), largest)


def _join(state: State, call: Call) -> Value | None:
    """``left.join(right, on="a", how="left")``; expressions name the keys of their own frame."""
    left, right = call.receiver, call.argument(0, "other")
    both = call.argument(1, "on") or call.named.get("by")
    if left.kind != "frame" or right is None or right.kind != "frame" or right.index:
        return None  # pandas joins by the labels of the other table's rows
    if both is None and not {"left_on", "right_on"} & set(call.named):
        return None
    keys = {"left_on": [*keys_in(state, left, [both] if both is not None else []).values()]}
    keys["right_on"] = [*keys_in(state, right, [both] if both is not None else []).values()]
    for side, frame in (("left_on", left), ("right_on", right)):
        if side in call.named:
            keys[side] += keys_in(state, frame, [call.named[side]]).values()
    named = {side: state.list_of(found) for side, found in keys.items()}
    return grouping.joined(state, Call(left, "merge", [right], named))


def _join_where(state: State, call: Call) -> Value | None:
    right = call.argument(0, "other")
    if call.receiver.kind != "frame" or right is None:
        return None
    both = grouping.joined(state, Call(call.receiver, "merge", [right], {"how": state.const("cross")}))
    masks = [resolved(state, one, both) for one in flat(call.arguments[1:])]
    return filtered(state, both, combined(state, masks, "and")) if masks else both


def _unique(state: State, call: Call) -> Value | None:
    if call.receiver.kind != "frame":
        return None
    subset = call.argument(0, "subset")
    named = {} if subset is None else {"subset": state.list_of(list(keys_in(state, call.receiver, [subset]).values()))}
    found = conditions.duplicated(state, Call(call.receiver, "drop_duplicates", [], named))
    return fresh(found, node=state.node((found.node,), Operation("drop_duplicates")))


def _drop(state: State, call: Call) -> Value | None:
    names = list(keys_in(state, call.receiver, call.arguments)) if call.receiver.kind == "frame" else []
    if "axis" in call.named or not names or not all(has_column(state, call.receiver, name) for name in names):
        return None
    return drop_columns(state, call.receiver, names)


def _rename(state: State, call: Call) -> Value | None:
    mapping = call.argument(0, "mapping")
    if call.receiver.kind != "frame" or mapping is None or mapping.kind != "dict" or "axis" in call.named:
        return None
    return call_method(state, Call(call.receiver, "rename", [], {"columns": mapping}))


def _pivot(state: State, call: Call) -> Value | None:
    """``pivot(on, index=, values=, aggregate_function=)``."""
    rule = call.named.get("aggregate_function")
    on = call.argument(0, "on")
    if call.receiver.kind != "frame" or (rule is None and "on" not in call.named):
        return None
    named = {name: one for name, one in (("columns", on), ("index", call.argument(1, "index"))) if one is not None}
    values = call.argument(2, "values")
    named |= {"values": values} if values is not None else {}
    name = "pivot" if rule is None else "pivot_table"
    if rule is not None:
        named["aggfunc"] = state.const("size") if rule.const == "len" else resolved(state, rule, call.receiver)
    return call_method(state, Call(call.receiver, name, [], named))


def _length(state: State, call: Call) -> Value | None:
    if call.receiver.name == "str":  # letters, no rows
        return None
    return aggregate(state, call.receiver, "size") if call.receiver.kind in ("frame", "series") else None


def _rows_from(state: State, call: Call) -> Value | None:
    """``slice(0, 3)``, ``row(0)``, ``item()``, ``gather_every``: rows by place."""
    value = call.receiver
    place = call.argument(0, "offset", "index")
    start, count = number_in(place), number_in(call.argument(1, "length"))
    if value.kind not in ("frame", "series"):
        return None
    if call.name == "slice":
        return take(state, value, True, count) if start == 0 else state.with_fact(value)
    return state.with_fact(value) if place is None else at_position(state, value, place)


def _reverse(state: State, call: Call) -> Value | None:
    return reverse(state, call.receiver) if call.receiver.kind in ("frame", "series") else None


def _first(state: State, call: Call) -> Value | None:
    """``first()`` and ``last()`` of rows that are in order."""
    if call.receiver.kind not in ("frame", "series") or call.receiver.sort is None:
        return None
    return take(state, call.receiver, call.name == "first", 1)


def _one_column(state: State, call: Call) -> Value | None:
    """``to_series(0)``, ``get_column("x")``."""
    frame = call.receiver
    names = texts_of(call.argument(0, "name"))
    if frame.kind != "frame":
        return None
    known = column_names(state, frame)
    at = number_in(call.argument(0, "index")) or 0
    name = names[0] if names else known[at] if -len(known) <= at < len(known) else ""
    return column(state, frame, name)


def _rows_as_dicts(state: State, call: Call) -> Value | None:
    """``to_dicts()``, ``iter_rows(named=True)``: a list whose element is a row."""
    if call.receiver.kind != "frame":
        return None
    found = call_method(state, Call(call.receiver, "to_dict", [], {"orient": state.const("records")}))
    named = call.name == "to_dicts" or truth_in(call.named.get("named")) is True
    if not named and found.shared is not None and found.shared.element is not None:
        found.shared.element.name = ROW
    return found


def _value_counts(state: State, call: Call) -> Value | None:
    """Sorted only where that is asked for: in pandas it is unless that is ruled out."""
    if call.receiver.kind != "series" or not state.polars:
        return None
    sorts = truth_in(call.named.get("sort")) is True
    named = {name: value for name, value in call.named.items() if name == "normalize"}
    return grouping.value_counts(state, Call(call.receiver, "value_counts", [], {**named, "sort": state.const(sorts)}))


def _rank(state: State, call: Call) -> Value | None:
    if "descending" not in call.named:
        return None
    ascending = first_truth(call.named["descending"], False)
    return call_method(state, Call(call.receiver, "rank", [], {"ascending": state.const(not ascending)}))


def _rolling_statistic(state: State, call: Call) -> Value | None:
    function = function_name(call.name.removeprefix("rolling_").removesuffix("_by"))
    if call.receiver.kind != "series" or function not in FUNCTIONS:
        return None
    found = state.with_fact(call.receiver, Operation("rolling"))
    return fresh(found, pending=aggregate(state, call.receiver, function).pending)


def _either(first: PolarsHandler, second: PolarsHandler) -> PolarsHandler:
    return lambda state, call: first(state, call) or second(state, call)


def _both_or_either(state: State, call: Call) -> Value | None:
    given = [call.receiver, *flat(call.arguments)]
    return combined(state, given, "and" if call.name == "and_" else "or") if call.receiver.kind == "series" else None


HANDLERS: dict[str, PolarsHandler] = {
    "filter": _filter,
    **dict.fromkeys(("select", "select_seq"), _select),
    **dict.fromkeys(("with_columns", "with_columns_seq", "with_column"), _with_columns),
    **dict.fromkeys(("group_by", "group_by_dynamic", "groupby_dynamic"), _group_by),
    "rolling": _rolling,
    **dict.fromkeys(("agg", "aggregate"), _agg),
    "sort": _sort,
    **dict.fromkeys(("top_k", "bottom_k"), _top_k),
    **dict.fromkeys(("join", "join_asof"), _join),
    "join_where": _join_where,
    "unique": _unique,
    "drop": _drop,
    "rename": _rename,
    "pivot": _pivot,
    "len": _either(_count_groups, _length),
    "count": _count_groups,
    **dict.fromkeys(("slice", "row", "item"), _rows_from),
    "reverse": _reverse,
    **dict.fromkeys(("first", "last"), _first),
    **dict.fromkeys(("to_series", "get_column"), _one_column),
    **dict.fromkeys(("to_dicts", "iter_rows", "rows"), _rows_as_dicts),
    "value_counts": _value_counts,
    "rank": _rank,
    **dict.fromkeys((f"rolling_{name}" for name in ROLLED), _rolling_statistic),
    **dict.fromkeys((f"rolling_{name}_by" for name in ROLLED), _rolling_statistic),
    **dict.fromkeys(("and_", "or_"), _both_or_either),
}
