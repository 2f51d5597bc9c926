"""Square brackets and attributes: ``df["x"]``, ``df[mask]``, ``df.loc[rows, columns]``, ``df.iloc[:5]``, ``df.x``; and
setting them."""

from __future__ import annotations

import msgspec

from karat.suites.codegen.analysis.pandas_api.aggregates import aggregate
from karat.suites.codegen.analysis.pandas_api.columns import choose, column, has_column, set_column
from karat.suites.codegen.analysis.pandas_api.grouping import chosen_from
from karat.suites.codegen.analysis.pandas_api.orders import at_position
from karat.suites.codegen.analysis.reader.constants import as_text, number_in, texts_of
from karat.suites.codegen.analysis.reader.masks import filtered
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import (
    MISSING,
    ROW,
    ROWS,
    GroupKey,
    Shared,
    Used,
    Value,
    fresh,
    join,
    reach,
    rows_of,
)
from karat.suites.codegen.analysis.records import Aggregation, Filter

VIEWS = frozenset({"loc", "iloc", "at", "iat", "str", "dt", "cat"})
_BY_PLACE = ("iloc", "iat")


def is_slice(index: Value) -> bool:
    return index.name == "slice"


def get(state: State, value: Value, index: Value) -> Value:
    """``value[index]``."""
    if value.name in VIEWS and value.kind in ("frame", "series", "unknown"):
        return _located(state, value, index)
    match value.kind:
        case "frame":
            return _of_frame(state, value, index)
        case "series":
            return _of_series(state, value, index)
        case "groups":
            return chosen_from(state, value, texts_of(index), isinstance(index.const, str))
        case "list" | "dict":
            return _of_container(state, value, index)
        case _:
            return _of_unknown(state, value, index)


def _of_frame(state: State, frame: Value, index: Value) -> Value:
    if isinstance(index.const, str):
        return column(state, frame, index.const)
    if index.kind == "function":
        index = state.apply(index, [frame])
    if index.kind == "series":
        return filtered(state, frame, index)
    if is_slice(index):
        return at_position(state, frame, index)
    places = index.shared.items if index.name == "tuple" and index.shared is not None else None
    if places is not None and len(places) == 2 and (number_in(places[0]) is not None or is_slice(places[0])):
        rows = at_position(state, frame, places[0])  # polars: df[0, "name"]
        return _picked(state, rows, places[1], by_place=number_in(places[1]) is not None)
    if index.kind == "list" and index.shared is not None and index.shared.items is not None:
        if not index.node.tabular:
            return choose(state, frame, texts_of(index))
        if len(texts_of(index)) == len(index.shared.items):
            return choose(state, frame, texts_of(index))
    number = number_in(index)
    if number is not None and frame.name == ROWS:
        return fresh(at_position(state, frame, index), name=ROW)
    if number is not None:
        return _by_number(state, frame, number if frame.name == ROW else number - 1)
    return state.with_fact(frame, parents=state.reach(index))


def _by_number(state: State, frame: Value, place: int) -> Value:
    names = frame.shared.columns if frame.shared is not None else None
    if names is not None and -len(names) <= place < len(names):
        return column(state, frame, names[place])
    return state.series(state.reach(frame))


def _of_series(state: State, series: Value, index: Value) -> Value:
    if index.kind == "series":
        return filtered(state, series, index)
    if is_slice(index):
        return at_position(state, series, index)
    if series.inner is not None and series.inner.kind == "frame" and isinstance(index.const, str):
        found = column(state, series.inner, index.const)
        told = tuple(Aggregation(one.function, found.sources[0], one.line) for one in series.pending if found.sources)
        return fresh(found, kind="scalar", node=state.node((found.node, series.node)), pending=told or series.pending)
    return fresh(_labelled(state, series, index), distinct=())


def _labelled(state: State, value: Value, index: Value) -> Value:
    """Rows by their label: with the index ``city``, ``["Berlin"]`` is ``city == Berlin``."""
    if value.index and index.const is not MISSING and not (number_in(index) is not None and value.kind == "series"):
        return state.with_fact(value, Filter(value.index[0], "==", as_text(index.const), state.line))
    if value.index and index.kind == "list" and index.shared is not None and index.shared.items:
        told = [Filter(value.index[0], "in", as_text(item.const), state.line) for item in index.shared.items[:50]]
        return state.with_fact(value, *told, parents=state.reach(index))
    if number_in(index) is not None and value.kind == "series":
        return at_position(state, value, index)
    return state.with_fact(value, parents=state.reach(index))


def _located(state: State, view: Value, index: Value) -> Value:
    """``loc``, ``iloc``, ``at``, ``iat``: rows, or rows and columns."""
    value = msgspec.structs.replace(view, name="")
    parts = index.shared.items if index.name == "tuple" and index.shared is not None else None
    rows, picked = (parts[0], parts[1]) if parts is not None and len(parts) == 2 else (index, None)
    if rows.kind == "function":
        rows = state.apply(rows, [value])
    if rows.kind == "series" and not rows.pending and (rows.mask or rows.sources):
        value = filtered(state, value, rows)
    elif view.name in _BY_PLACE:
        value = at_position(state, value, rows)
    elif not is_slice(rows):
        value = _labelled(state, value, rows)
    return value if picked is None else _picked(state, value, picked, by_place=view.name in _BY_PLACE)


def _picked(state: State, value: Value, picked: Value, *, by_place: bool) -> Value:
    if value.kind != "frame":
        return state.with_fact(value, parents=state.reach(picked))
    if by_place:
        names = (value.shared.columns if value.shared is not None else None) or ()
        places = [number_in(item) for item in (picked.shared.items or ())] if picked.shared is not None else []
        if is_slice(picked):
            lower, upper, step = (*places, None, None, None)[:3]
            chosen = list(names[lower:upper:step]) if step != 0 else []
            return value if lower is None and upper is None else choose(state, value, chosen)
        number = number_in(picked)
        if number is not None:
            return _by_number(state, value, number)
        return choose(state, value, [names[at] for at in places if at is not None and -len(names) <= at < len(names)])
    if isinstance(picked.const, str):
        return column(state, value, picked.const)
    if is_slice(picked):
        return value
    return (
        choose(state, value, texts_of(picked))
        if picked.kind == "list"
        else state.with_fact(value, parents=state.reach(picked))
    )


def _of_container(state: State, value: Value, index: Value) -> Value:
    shared = value.shared or Shared()
    changed = () if shared.node is None else (shared.node,)
    number = number_in(index)
    if shared.items is not None and number is not None and -len(shared.items) <= number < len(shared.items):
        item = shared.items[number]
        return item if not changed else fresh(item, node=state.node((item.node, *changed)))
    if shared.pairs is not None and isinstance(index.const, str | int) and index.const in shared.pairs:
        item = shared.pairs[index.const]
        return item if item.shared is not None or not changed else fresh(item, node=state.node((item.node, *changed)))
    whole = at_position(state, value, index)
    if value.kind == "list" and not is_slice(index) and shared.element is not None:
        element = shared.element
        return fresh(element, node=state.node((element.node, *changed, whole.node)), sort=None)
    return whole if is_slice(index) else Value("unknown", state.node((*state.reach(whole), *state.reach(index))))


def _of_unknown(state: State, value: Value, index: Value) -> Value:
    nodes = (*state.reach(value), *state.reach(index))
    if value.node.tabular and isinstance(index.const, str) and index.const in state.schema.columns:
        found = state.series(nodes, (index.const,))
        found.node = state.node(nodes, Used(index.const))
        return found
    return Value(value.kind if value.kind != "const" else "unknown", state.node(nodes), sources=value.sources)


def attribute(state: State, value: Value, name: str) -> Value:
    """``value.name``, where it is not called."""
    if value.kind == "name":
        return Value("name", state.node((value.node,)), name=name, inner=value)
    if value.kind == "groups" and value.inner is not None:
        if has_column(state, value.inner, name):
            return chosen_from(state, value, [name], single=True)
        return aggregate(state, value, "nunique") if name == "ngroups" else value
    if value.kind in ("frame", "series", "unknown") and name in VIEWS:
        return msgspec.structs.replace(value, name=name)
    if value.kind == "frame" and has_column(state, value, name):
        return column(state, value, name)
    if value.kind == "unknown" and value.node.tabular and name in state.schema.columns:
        return _of_unknown(state, value, state.const(name))
    if name == "shape" and value.kind in ("frame", "series"):
        count = aggregate(state, fresh(value, mask=()), "size")
        count.kind = "scalar"
        return state.list_of([count, count])
    if name in ("size", "height") and value.kind in ("frame", "series"):
        return aggregate(state, value, "size")
    if name == "values" and value.kind == "frame":
        return fresh(state.with_fact(value), name=ROWS)
    if name == "columns" and value.kind == "frame":
        names = (value.shared.columns if value.shared is not None else None) or ()
        return Value("list", state.node((value.node,)), shared=Shared(items=[state.const(one) for one in names]))
    if name == "index" and value.kind in ("frame", "series"):
        return state.series(
            (rows_of(value), *(state.reach(value) if value.kind == "series" else ())), value.index, value.sort
        )
    return fresh(state.with_fact(value), name="") if value.kind in ("frame", "series") else value


def put(state: State, value: Value, index: Value, new: Value, *, added: bool = False) -> None:
    """``value[index] = new``, in place. ``added``: to what was there, as in ``totals[city] += x``."""
    whole = state.reach(new)
    if value.kind == "frame":
        parts = index.shared.items if index.name == "tuple" and index.shared is not None else None
        picked = parts[1] if value.name in ("loc", "at") and parts is not None and len(parts) == 2 else index
        names = texts_of(picked) if value.name in ("", "loc", "at") else []
        if value.name == "" and names:
            for name in names:
                set_column(state, value, name, new)
            return
        rows = parts[0] if parts is not None else index
        conditions = () if is_slice(rows) else state.reach(rows)
        if names and has_column(state, value, names[0]):
            for name in names:
                old = column(state, value, name)
                both = join(old, fresh(new, node=state.node((new.node, *conditions))), state.line)
                set_column(state, value, name, both)
        elif names:
            for name in names:
                set_column(state, value, name, Value("series", state.node((*whole, *conditions)), sources=new.sources))
        else:
            state.change(value, *whole, *conditions)
        return
    facts = tuple(GroupKey(source) for source in index.sources) if added and index.kind == "series" else ()
    if value.shared is not None and value.shared.pairs is not None and isinstance(index.const, str | int):
        value.shared.pairs[index.const] = fresh(
            new, node=state.node((reach(new), *state.control)), mask=(), pending=new.pending
        )
    elif (
        value.shared is not None
        and value.shared.items is not None
        and not state.control
        and (place := number_in(index)) is not None
        and -len(value.shared.items) <= place < len(value.shared.items)
    ):
        value.shared.items[place] = new
        value.node = state.node(state.reach(*value.shared.items))
        return
    elif value.shared is not None:
        before = value.shared.element
        value.shared.element = new if before is None else join(before, new, state.line)
    state.change(value, state.node((*whole, *state.reach(index)), *facts))
