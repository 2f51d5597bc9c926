"""Functions of polars: ``pl.col``, ``pl.when``, ``pl.len``, ``pl.sum("x")``, ``pl.concat``, reading and making
frames."""

from __future__ import annotations

from collections.abc import Sequence

from karat.suites.codegen.analysis.pandas_api.aggregates import FUNCTIONS, aggregate, function_name
from karat.suites.codegen.analysis.polars_api.arguments import by_name, flat
from karat.suites.codegen.analysis.polars_api.deferred import expression, lifted, resolved, selection
from karat.suites.codegen.analysis.polars_api.names import plain_name
from karat.suites.codegen.analysis.polars_api.selectors import exclude
from karat.suites.codegen.analysis.reader.choices import chosen_value
from karat.suites.codegen.analysis.reader.constants import texts_of
from karat.suites.codegen.analysis.reader.function_calls.calls import Call, Handler
from karat.suites.codegen.analysis.reader.masks import as_condition, combined
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import Operation, Shared, Value, unknown

MODULES = frozenset({"pl", "polars"})


def polars_function(state: State, call: Call) -> Value | None:
    """What ``pl.name(…)`` gives; None where the name means the same as in pandas (``read_csv``, ``concat``)."""
    handler = HANDLERS.get(call.name)
    if handler is not None:
        return handler(state, call)
    name = plain_name(call.name)
    if function_name(name) in FUNCTIONS and call.arguments:
        return _aggregated(state, call, name)
    return None


def col(state: State, call: Call) -> Value:
    """``pl.col("a", "b")``; columns of a type are all columns."""
    names = [text for given in flat(call.arguments) for text in texts_of(given)]
    return by_name(state, names) if names else selection(state, list)


def _all(state: State, call: Call) -> Value:
    return _aggregated(state, call, "all") if call.arguments else selection(state, list)


def literal(state: State, call: Call) -> Value:
    value = call.argument(0, "value")
    found = value if value is not None else state.const(None)
    return found if found.kind == "expr" else expression(state, lambda _: found, "literal")


def length(state: State, call: Call) -> Value:
    """``pl.len()``: how many rows; ``pl.count("x")``: how many values."""
    if call.arguments:
        return _aggregated(state, call, "count")
    return expression(state, lambda frame: aggregate(state, frame, "size"), call.name)


def _aggregated(state: State, call: Call, function: str) -> Value:
    """``pl.mean("x")`` is ``pl.col("x").mean()``."""
    first = col(state, call)
    told = lambda values: _with_operation(state, aggregate(state, values[0], function), function)  # noqa: E731 (short)
    return lifted(state, [first], told)


def _with_operation(state: State, value: Value, name: str) -> Value:
    value.node = state.node((value.node,), Operation(name))
    return value


def when(state: State, call: Call) -> Value:
    """``pl.when(a, b)``: what follows is kept until ``otherwise``, or until it is used."""
    return choice(state, [("when", _both(state, call))])


def choice(state: State, parts: Sequence[tuple[str, Value]]) -> Value:
    """``when(…).then(…)`` as far as it was said."""

    def build(frame: Value) -> Value:
        found = [(word, resolved(state, value, frame)) for word, value in parts]
        conditions = [as_condition(state, value) for word, value in found if word == "when"]
        values = [value for word, value in found if word == "then"]
        other = next((value for word, value in found if word == "otherwise"), None)
        return chosen_value(state, conditions, values, other)

    named = next((value.name for word, value in parts if word == "then" and value.kind == "expr"), "literal")
    found = expression(state, build, named)
    found.shared = Shared(items=[state.list_of([state.const(word), value]) for word, value in parts])
    return found


def parts_of(value: Value) -> list[tuple[str, Value]]:
    """The parts of ``when(…).then(…)``; none of any other expression."""
    items = value.shared.items if value.kind == "expr" and value.shared is not None else None
    return [
        (str(item.shared.items[0].const), item.shared.items[1])
        for item in items or ()
        if item.shared is not None and item.shared.items
    ]


def otherwise(state: State, call: Call) -> Value:
    """``.then(…)``, ``.when(…)``, ``.otherwise(…)`` of a choice."""
    given = call.argument(0, "statement")
    value = _both(state, call) if call.name == "when" else given if given is not None else state.const(None)
    return choice(state, [*parts_of(call.receiver), (call.name, value)])


def _both(state: State, call: Call) -> Value:
    """All conditions of a ``when``: those by keyword compare a column."""
    given = flat(call.arguments)
    return given[0] if len(given) == 1 else lifted(state, given, lambda values: combined(state, values, "and"))


def _horizontal(state: State, call: Call) -> Value:
    """``pl.any_horizontal``, ``pl.all_horizontal``, ``pl.sum_horizontal``: of each row."""
    given = [by_name(state, [value.const]) if isinstance(value.const, str) else value for value in flat(call.arguments)]

    def made(values: Sequence[Value]) -> Value:
        if call.name in ("any_horizontal", "all_horizontal"):
            return combined(state, values, "or" if call.name.startswith("any") else "and")
        sources = [source for value in values for source in value.sources]
        return state.series(state.reach(*values), sources)

    return lifted(state, given, made)


def _together(state: State, call: Call) -> Value:
    """``pl.struct``, ``pl.concat_str``, ``pl.format``, ``pl.corr``: a value of several columns."""
    given = [
        by_name(state, [value.const]) if isinstance(value.const, str) and call.name != "format" else value
        for value in flat(call.arguments)
    ]

    def made(values: Sequence[Value]) -> Value:
        found = state.series(state.reach(*values), [source for value in values for source in value.sources])
        found.node = state.node((found.node,), Operation(call.name))
        if call.name in ("corr", "cov"):
            found.pending = aggregate(state, found, call.name).pending
        return found

    return lifted(state, given, made)


def _same(state: State, call: Call) -> Value:
    value = call.argument(0, "data", "df")
    return value if value is not None else unknown(state.reach(*call.given), state.line)


HANDLERS: dict[str, Handler] = {
    "col": col,
    "all": _all,
    "exclude": exclude,
    "lit": literal,
    "len": length,
    "count": length,
    "when": when,
    **dict.fromkeys(("any_horizontal", "all_horizontal", "sum_horizontal", "mean_horizontal"), _horizontal),
    **dict.fromkeys(("max_horizontal", "min_horizontal", "coalesce"), _horizontal),
    **dict.fromkeys(("struct", "concat_str", "concat_list", "format", "corr", "cov", "datetime_range"), _together),
    **dict.fromkeys(("from_pandas", "from_arrow", "LazyFrame"), _same),
}
