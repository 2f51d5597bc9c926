"""Going through something one by one, and Python's own lists and dicts."""

from __future__ import annotations

from collections.abc import Sequence

from karat.suites.codegen.analysis.pandas_api.orders import sort, take
from karat.suites.codegen.analysis.reader.constants import number_in, truth_in
from karat.suites.codegen.analysis.reader.function_calls.calls import Call
from karat.suites.codegen.analysis.reader.masks import as_condition
from karat.suites.codegen.analysis.reader.state import MOST_ITEMS, UNROLLED, State
from karat.suites.codegen.analysis.reader.values import (
    ROW,
    ROWS,
    GroupKey,
    Operation,
    Shared,
    Value,
    fresh,
    join,
    rows_of,
    unknown,
)

MUTATORS = frozenset(
    {"append", "extend", "add", "update", "insert", "remove", "clear", "discard", "appendleft", "setdefault"}
)


def element_of(state: State, value: Value) -> Value:
    """What a loop over the value sees each time."""
    shared = value.shared
    changed = () if shared is None or shared.node is None else (shared.node,)
    match value.kind:
        case "series":
            return fresh(value, sort=None, node=state.node((value.node,)), pending=(), mask=value.mask)
        case "frame" if value.name == ROWS:
            return fresh(state.with_fact(value), name=ROW)
        case "groups" if value.inner is not None:
            key = state.series((value.node,), value.index)
            key.distinct = value.index
            rows = state.with_fact(value.inner, parents=(value.node,))
            return Value("list", state.node((key.node,)), shared=Shared(items=[key, rows]))
        case "list" if shared is not None and shared.element is not None:
            element = shared.element
            return fresh(element, node=state.node((element.node, value.node, *changed)))
        case "list" if shared is not None and shared.items:
            found = shared.items[0]
            for item in shared.items[1:]:
                found = join(found, item, state.line)
            return found if not changed else fresh(found, node=state.node((found.node, *changed)))
        case _:
            return Value("unknown", state.node(state.reach(value)), sources=value.sources, distinct=value.distinct)


def through(state: State, call: Call) -> Value | None:
    """``enumerate``, ``zip``, ``reversed``, ``map``, ``filter``, ``range``: a list of what they yield; None for any
    other."""
    given = call.arguments
    if call.name == "range":
        return Value(
            "list", state.node(state.reach(*given)), shared=Shared(element=unknown(state.reach(*given), state.line))
        )
    if call.name in ("zip", "enumerate") and given and all(map(_few, given if call.name == "zip" else given[:1])):
        return _paired(state, call)
    if call.name == "zip" and given:
        return _list(state, state.list_of([element_of(state, value) for value in given]), given)
    if call.name == "enumerate" and given:
        return _list(state, state.list_of([unknown(()), element_of(state, given[0])]), given[:1])
    if call.name in ("map", "filter") and len(given) == 2:
        element = element_of(state, given[1])
        made = state.apply(given[0], [element])
        if call.name == "filter":
            made = fresh(element, node=state.node((element.node, *state.reach(as_condition(state, made)))))
        return _list(state, made, given[1:])
    return None


def _few(value: Value) -> bool:
    shared = value.shared
    known = value.kind == "list" and shared is not None and shared.items is not None and shared.node is None
    return known and len((shared.items if shared is not None else None) or ()) <= UNROLLED


def _paired(state: State, call: Call) -> Value:
    """``zip`` and ``enumerate`` of lists whose items are known one by one."""
    lists = [value.shared.items or [] for value in call.arguments if value.shared is not None]
    if call.name == "enumerate":
        start = number_in(call.argument(1, "start")) or 0
        lists = [[state.const(start + at) for at in range(len(lists[0]))], lists[0]]
    return state.list_of([state.list_of(parts) for parts in zip(*lists, strict=False)])


def _list(state: State, element: Value, given: Sequence[Value]) -> Value:
    nodes = [rows_of(value, state.line) for value in given]
    return Value("list", state.node((*nodes, *state.reach(element))), shared=Shared(element=element))


def _added(call: Call) -> list[Value] | None:
    """What a list gets at its end, where that is known."""
    if call.name == "append":
        return call.given[-1:]
    more = call.given[0].shared.items if call.name == "extend" and call.given and call.given[0].shared else None
    return list(more) if more is not None else None


def _same_constant(one: Value, other: Value) -> bool:
    return isinstance(one.const, str | int) and type(one.const) is type(other.const) and one.const == other.const


def call_container(state: State, call: Call) -> Value:
    """A method of a list or dict."""
    value, given = call.receiver, call.given
    shared = value.shared or Shared()
    nodes = state.reach(*given)
    if call.name == "remove" and value.kind == "list" and shared.items and not state.control and given:
        place = next((at for at, item in enumerate(shared.items) if _same_constant(item, given[0])), None)
        if place is not None:
            shared.items.pop(place)
            value.node = state.node(state.reach(*shared.items))
            return state.const(None)
    if call.name in MUTATORS:
        key = given[0] if call.name == "setdefault" and given else None
        facts = tuple(GroupKey(source) for source in key.sources) if key is not None else ()
        if given:
            new = given[-1] if call.name != "extend" else element_of(state, given[-1])
            shared.element = new if shared.element is None else join(shared.element, new, state.line)
        if shared.items is not None and call.name in ("append", "extend", "insert"):
            added = _added(call) if not state.control and len(shared.items) < MOST_ITEMS else None
            shared.items = [*shared.items, *added] if added is not None else None
            if added is not None:
                value.shared = shared
                value.node = state.node((value.node, *nodes))
                return state.const(None)
        value.shared = shared
        state.change(value, state.node(nodes, *facts))
        return value if call.name == "setdefault" else state.const(None)
    if call.name == "pop" and value.kind == "list" and shared.items and not state.control:
        place = number_in(call.argument(0)) if call.arguments else -1
        if place is not None and -len(shared.items) <= place < len(shared.items):
            return shared.items.pop(place)
    if call.name == "sort":
        key = call.named.get("key")
        element = element_of(state, value)
        by = state.apply(key, [element]) if key is not None and key.kind == "function" else element
        ordered = sort(state, value, [by], truth_in(call.named.get("reverse")) is not True)
        value.sort = ordered.sort
        state.change(value, ordered.node)
        return state.const(None)
    if call.name == "most_common":
        return take(state, value, True, number_in(call.argument(0, "n")))
    if (
        call.name == "get"
        and given
        and isinstance(given[0].const, str | int)
        and given[0].const in (shared.pairs or {})
    ):
        return (shared.pairs or {})[given[0].const]
    if call.name in ("items", "values", "keys") and shared.pairs and shared.element is None and shared.node is None:
        listed = [
            {"items": state.list_of([state.const(key), held]), "values": held, "keys": state.const(key)}[call.name]
            for key, held in shared.pairs.items()
        ]
        return state.list_of(listed)
    if call.name in ("items", "values", "keys"):
        item = unknown(state.reach(value), state.line)
        held = shared.element if shared.element is not None else item
        element = state.list_of([item, held]) if call.name == "items" else held if call.name == "values" else item
        return Value("list", state.node(state.reach(value)), shared=Shared(element=element))
    if call.name == "copy":
        return fresh(
            value,
            shared=Shared(
                shared.node, items=shared.items, pairs=dict(shared.pairs or {}) or None, element=shared.element
            ),
        )
    found = unknown((*state.reach(value), *nodes), state.line)
    found.node = state.node((found.node,), Operation(call.name))
    return found
