"""Methods of an expression that need its frame, or that say something about the expression itself.

All other methods wait for the frame as they are: there an expression is a column, and the method is one of a column.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from karat.suites.codegen.analysis.pandas_api.orders import extreme, first_truth, sort
from karat.suites.codegen.analysis.polars_api.arguments import keys_in
from karat.suites.codegen.analysis.polars_api.deferred import expression, resolved
from karat.suites.codegen.analysis.polars_api.functions import otherwise, parts_of
from karat.suites.codegen.analysis.polars_api.selectors import exclude, without
from karat.suites.codegen.analysis.reader.constants import number_in
from karat.suites.codegen.analysis.reader.function_calls.calls import Call
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import Fact, GroupKey, Operation, Value, fresh

OnFrame: TypeAlias = Callable[[State, Call, Value], Value]
"""A method whose receiver is evaluated already, and the frame that its other arguments are evaluated on."""


def of_expression(state: State, call: Call, apply: Callable[[State, Call], Value]) -> Value:
    """A method call on an expression. ``apply`` is what a method of a column does."""
    receiver = call.receiver
    if call.name == "alias" and call.arguments:
        return _renamed(call, str(call.arguments[0].const))
    if call.name in _NAMES and receiver.selects is None:
        return _renamed(call, _NAMES[call.name](receiver.name, call))
    if call.name in ("then", "when", "otherwise") and parts_of(receiver):
        return otherwise(state, call)
    if call.name == "exclude" and receiver.selects is not None:
        return exclude(state, call)
    if call.name == "as_expr":
        return receiver
    on_frame = ON_FRAME.get(call.name)

    def build(frame: Value) -> Value:
        value = resolved(state, receiver, frame)
        if on_frame is not None:
            return on_frame(state, Call(value, call.name, call.arguments, call.named), frame)
        given = [resolved(state, one, frame) for one in call.arguments]
        named = {name: resolved(state, one, frame) for name, one in call.named.items()}
        return apply(state, Call(value, call.name, given, named))

    return expression(state, build, receiver.name)


def _renamed(call: Call, name: str) -> Value:
    return msgspec.structs.replace(call.receiver, name=name, selects=None)


_NAMES: dict[str, Callable[[str, Call], str]] = {
    "suffix": lambda name, call: name + "".join(str(one.const) for one in call.arguments[:1]),
    "prefix": lambda name, call: "".join(str(one.const) for one in call.arguments[:1]) + name,
    "keep": lambda name, _: name,
}


def _over(state: State, call: Call, frame: Value) -> Value:
    """``expr.over("city")``: of each group, beside every row. In the order of ``order_by``, where there is one."""
    keys = keys_in(state, frame, call.arguments)
    sources = tuple(dict.fromkeys(source for key in keys.values() for source in key.sources))
    facts: list[Fact] = [Operation("groupby"), *(GroupKey(source) for source in sources)]
    node = state.node((call.receiver.node, *state.reach(*keys.values())), *facts)
    found = fresh(call.receiver, kind="series", node=node) if call.receiver.kind != "frame" else call.receiver
    by = call.named.get("order_by")
    if by is None:
        return found
    downwards = first_truth(call.named.get("descending"), False)
    return sort(state, found, list(keys_in(state, frame, [by]).values()), None if downwards is None else not downwards)


def _sort_by(state: State, call: Call, frame: Value) -> Value:
    by = keys_in(state, frame, call.arguments or [call.named["by"]] if "by" in call.named or call.arguments else [])
    downwards = first_truth(call.named.get("descending"), False)
    return sort(state, call.receiver, list(by.values()), None if downwards is None else not downwards)


def _top_by(state: State, call: Call, frame: Value) -> Value:
    by = call.argument(0, "by")
    keys = keys_in(state, frame, [by] if by is not None else [])
    count = number_in(call.argument(1, "k")) if call.argument(1, "k") is not None else 5
    return extreme(state, call.receiver, list(keys.values()), count, call.name == "top_k_by")


def complement(state: State, value: Value) -> Value | None:
    """``~cs.numeric()``; None where the expression chooses no columns by name."""
    return without(state, value.selects) if value.selects is not None and not value.name else None


ON_FRAME: dict[str, OnFrame] = {
    "over": _over,
    "sort_by": _sort_by,
    **dict.fromkeys(("top_k_by", "bottom_k_by"), _top_by),
}
