"""Functions of pandas, numpy and Python itself, by their last name: ``pd.merge``, ``np.mean``, ``len``, ``sorted``."""

from __future__ import annotations

from pathlib import PurePosixPath

from karat.suites.codegen.analysis.pandas_api import grouping
from karat.suites.codegen.analysis.pandas_api.aggregates import FUNCTIONS, aggregate, function_name
from karat.suites.codegen.analysis.pandas_api.iteration import element_of
from karat.suites.codegen.analysis.pandas_api.methods import HANDLERS as METHODS
from karat.suites.codegen.analysis.pandas_api.methods import call_method
from karat.suites.codegen.analysis.pandas_api.orders import argsort, extreme, sort
from karat.suites.codegen.analysis.reader.choices import chosen_value
from karat.suites.codegen.analysis.reader.constants import date_of, number_in, truth_in
from karat.suites.codegen.analysis.reader.function_calls.calls import Call, Handler
from karat.suites.codegen.analysis.reader.masks import as_condition, combined, label
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import (
    MISSING,
    Operation,
    Shared,
    Value,
    fresh,
    reach,
    rows_of,
    unknown,
)
from karat.suites.codegen.analysis.records import Aggregation

SILENT = frozenset({"print", "display", "show", "set_option", "filterwarnings", "simplefilter", "info"})
"""Functions that only show something: what goes in does not come out."""
_SAME = frozenset(
    [
        "list",
        "tuple",
        "str",
        "int",
        "float",
        "round",
        "abs",
        "array",
        "asarray",
        "Series",
        "to_datetime",
        "to_numeric",
        "cut",
        "qcut",
        "iter",
        "bool",
        "get_dummies",
        "sqrt",
        "log",
        "log1p",
        "floor",
        "ceil",
        "to_timedelta",
        "deepcopy",
        "copy",
    ]
)


def call_function(state: State, call: Call) -> Value:
    """What a call of a known function gives; of any other, a value made of its arguments."""
    if call.name in SILENT:
        return state.const(None)
    handler = HANDLERS.get(call.name)
    if handler is not None:
        found = handler(state, call)
    elif call.name in _SAME and call.arguments:
        found = call.arguments[0]
        if found.kind != "const":
            found = state.with_fact(found, parents=state.reach(*call.given[1:]))
        return found
    elif function_name(call.name) in FUNCTIONS and call.given:
        found = _aggregated(state, call)
    elif call.name in METHODS and call.arguments and call.arguments[0].kind in ("frame", "series"):
        return call_method(state, Call(call.arguments[0], call.name, call.arguments[1:], call.named))
    else:
        found = unknown(state.reach(*call.given), state.line)
        sources = tuple(dict.fromkeys(source for value in call.given for source in value.sources))
        if any(value.kind == "series" for value in call.given):
            found = Value("series", found.node, sources=sources)
    if found.kind == "const":
        return found
    node = state.node((found.node, call.receiver.node), Operation(call.name))
    return fresh(found, node=node) if found.kind != "frame" else state.with_fact(found, Operation(call.name))


def _read_table(state: State, call: Call) -> Value:
    """``pd.read_csv("people.csv")``: the given table of that name; with one table, that one."""
    path = call.argument(0, "filepath_or_buffer", "path", "io")
    stem = PurePosixPath(path.const).stem.lower() if path is not None and isinstance(path.const, str) else ""
    name = next((name for name in state.schema.tables if name.lower() == stem), "")
    if not name and len(state.schema.tables) == 1:
        name = next(iter(state.schema.tables))
    return state.table(name) if name else unknown(state.reach(*call.given), state.line)


def _aggregated(state: State, call: Call) -> Value:
    """``np.mean(x)``, ``sum(...)``, ``max(rows, key=…)``."""
    function = function_name(call.name)
    if len(call.arguments) > 1 and call.name in ("max", "min"):
        found = Value("scalar", state.node(state.reach(*call.given)))
        told = [value for value in call.arguments if value.sources]
        found.pending = (Aggregation(function, label(told[0]) if told else "", state.line),)
        return found
    given = call.argument(0, "a", "iterable")
    if given is None:
        return unknown(state.reach(*call.given), state.line)
    if given.kind in ("frame", "series", "groups"):
        return aggregate(state, given, function)
    element = element_of(state, given)
    key = call.named.get("key")
    if key is not None:
        by = state.apply(key, [element]) if key.kind == "function" else element
        found = state.with_fact(element, parents=state.reach(given, by))
        found.pending = (Aggregation(function, label(by), state.line),)
        return found
    if function == "sum" and (element.const is not MISSING or element.mask):
        function = "count"
    found = Value(
        "scalar", state.node((*state.reach(given), *state.reach(fresh(element, pending=())))), sources=element.sources
    )
    found.pending = (Aggregation(function, label(element), state.line),)
    return found


def _length(state: State, call: Call) -> Value:
    given = call.argument(0)
    if given is None:
        return unknown(())
    if isinstance(given.const, str):
        return state.const(len(given.const))
    parents = (rows_of(given, state.line),) if given.kind == "frame" else state.reach(given)
    found = Value("scalar", state.node(parents))
    if given.distinct:
        found.pending = (Aggregation("nunique", given.distinct[0], state.line),)
    elif given.kind != "const":
        found.pending = (Aggregation("len", label(given), state.line),)
    return found


def _next(state: State, call: Call) -> Value:
    """``next(x for x in …)``: the first of them."""
    given = call.argument(0)
    if given is None:
        return unknown(())
    items = given.shared.items if given.kind == "list" and given.shared is not None else None
    return items[0] if items else state.with_fact(element_of(state, given), parents=state.reach(given))


def _sorted(state: State, call: Call) -> Value:
    given = call.argument(0)
    if given is None:
        return unknown(())
    element = element_of(state, given)
    key = call.named.get("key")
    by = state.apply(key, [element]) if key is not None and key.kind == "function" else element
    downwards = truth_in(call.named.get("reverse")) is True
    return sort(state, given, [by], not downwards)


def _heap(state: State, call: Call) -> Value:
    count, given = call.argument(0, "n"), call.argument(1, "iterable")
    if given is None:
        return unknown(state.reach(*call.given))
    key = call.named.get("key")
    element = element_of(state, given)
    by = state.apply(key, [element]) if key is not None and key.kind == "function" else element
    return extreme(state, given, [by], number_in(count), call.name == "nlargest")


def _choice(state: State, call: Call) -> Value:
    """``np.where(mask, a, b)``, ``np.select(masks, values, default)``."""
    if not call.arguments:
        return unknown(())
    tests, values = (_items(value) for value in (*call.arguments, state.list_of([]))[:2])
    other = call.argument(2, "default", "y")
    return chosen_value(state, [as_condition(state, test) for test in tests], values, other)


def _items(value: Value) -> list[Value]:
    items = value.shared.items if value.kind == "list" and value.shared is not None else None
    return [value] if items is None else items


def _both_or_either(state: State, call: Call) -> Value:
    """``np.logical_and(a, b)``, ``np.logical_or(a, b)``, ``operator.and_``."""
    if len(call.arguments) < 2:
        return unknown(state.reach(*call.given), state.line)
    return combined(state, call.arguments[:2], "and" if "and" in call.name else "or")


def _frame(state: State, call: Call) -> Value:
    """``pd.DataFrame(...)`` of a dict of columns, of rows, of anything."""
    data = call.argument(0, "data")
    if data is None:
        return state.new_frame(state.node(state.reach(*call.given)), (), {})
    if data.kind == "frame":
        return state.with_fact(data)
    element = data.shared.element if data.shared is not None and data.kind == "list" else None
    if element is not None and element.kind == "frame":
        return state.with_fact(element, parents=state.reach(data))
    pairs = (element if element is not None else data).shared
    if pairs is not None and pairs.pairs is not None:
        made = {
            str(name): Value("series", reach(value, state.line), sources=value.sources)
            for name, value in pairs.pairs.items()
        }
        nodes = () if pairs.node is None else (pairs.node,)
        return state.new_frame(
            state.node(nodes if element is None else (*nodes, *state.reach(data))), tuple(made), made
        )
    return state.new_frame(state.node(state.reach(*call.given)), None, {})


def _concat(state: State, call: Call) -> Value:
    frames = call.argument(0, "objs")
    if frames is None:
        return unknown(())
    items = frames.shared.items if frames.shared is not None and frames.shared.items else None
    element = frames.shared.element if frames.shared is not None else None
    if items is None and element is not None:
        return state.with_fact(element, parents=state.reach(frames))
    return grouping.concatenated(state, items or [frames])


def _on_first(state: State, call: Call) -> Value:
    """``pd.merge(a, b, on=…)`` is ``a.merge(b, on=…)``."""
    receiver = call.argument(0, "left", "data", "frame")
    if receiver is None:
        return unknown(state.reach(*call.given))
    named = {name: value for name, value in call.named.items() if value is not receiver}
    return METHODS[call.name](state, Call(receiver, call.name, call.arguments[1:], named))


def _date(state: State, call: Call) -> Value:
    if call.name == "Timestamp" and len(call.arguments) == 1:
        return call.arguments[0]
    known = date_of(call.arguments)
    return state.const(known) if known is not MISSING else unknown(state.reach(*call.given))


def _pair(state: State, call: Call) -> Value:
    parts = [call.argument(0, "column"), call.argument(1, "aggfunc")]
    return state.list_of([part for part in parts if part is not None])


def _key(state: State, call: Call) -> Value:
    return call.argument(0, "key") or unknown(state.reach(*call.given))


def _counter(state: State, call: Call) -> Value:
    given = call.argument(0)
    if given is None:
        return Value("dict", state.node(()), shared=Shared())
    series = given if given.kind == "series" else element_of(state, given)
    return grouping.value_counts(state, Call(state.series(state.reach(given), series.sources), "value_counts", [], {}))


def _set(state: State, call: Call) -> Value:
    given = call.argument(0)
    if given is None:
        return Value("list", state.node(()), shared=Shared())
    found = state.with_fact(given) if given.kind != "const" else given
    element = element_of(state, given)
    return fresh(found, distinct=element.sources) if element.sources else found


def _mapping(state: State, call: Call) -> Value:
    columns = _two_columns(call.argument(0))
    if columns is not None and not call.named:
        keys, values = columns
        shared = Shared(element=values)
        node = state.node(state.reach(*call.given))
        return Value("dict", node, shared=shared, index=keys.sources, sources=values.sources)
    pairs: dict[str | int | float, Value] = dict(call.named.items())
    return Value("dict", state.node(state.reach(*call.given)), shared=Shared(pairs=pairs))


def _two_columns(given: Value | None) -> tuple[Value, Value] | None:
    """The keys and values of ``dict(zip(a, b))``, of columns."""
    element = given.shared.element if given is not None and given.kind == "list" and given.shared is not None else None
    items = element.shared.items if element is not None and element.shared is not None else None
    if items is None or len(items) != 2 or not (items[0].sources and items[1].sources):
        return None
    return items[0], items[1]


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("read_csv", "read_parquet", "read_excel", "read_table", "read_json", "read_feather"), _read_table),
    **dict.fromkeys(("merge", "pivot_table", "pivot", "melt"), _on_first),
    **dict.fromkeys(("where", "select"), _choice),
    **dict.fromkeys(("logical_and", "logical_or", "and_", "or_"), _both_or_either),
    **dict.fromkeys(("nlargest", "nsmallest"), _heap),
    **dict.fromkeys(("Timestamp", "datetime", "date"), _date),
    **dict.fromkeys(("dict", "defaultdict", "OrderedDict"), _mapping),
    **dict.fromkeys(("set", "frozenset", "unique"), _set),
    "crosstab": grouping.crosstab,
    "concat": _concat,
    "DataFrame": _frame,
    "NamedAgg": _pair,
    "Grouper": _key,
    "Counter": _counter,
    "len": _length,
    "next": _next,
    "sorted": _sorted,
    "argsort": lambda state, call: argsort(state, call.argument(0) or unknown(())),
}
