"""Groups and joins: ``groupby``, ``resample``, ``pivot_table``, ``crosstab``, ``value_counts``; ``merge``, ``join``,
``concat``."""

from __future__ import annotations

from collections.abc import Sequence

from karat.suites.codegen.analysis.pandas_api.aggregates import KEYS_ARE_COLUMNS, aggregate, by_rule
from karat.suites.codegen.analysis.pandas_api.columns import choose, columns_named, sources_of
from karat.suites.codegen.analysis.reader.constants import texts_of, truth_in
from karat.suites.codegen.analysis.reader.function_calls.calls import Call
from karat.suites.codegen.analysis.reader.masks import label
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import GroupKey, Node, Sorting, Value, fresh, rows_of
from karat.suites.codegen.analysis.records import Aggregation, Join, Order


def group(state: State, of: Value, keys: Sequence[Value], levels: tuple[str, ...] = ()) -> Value:
    """Groups of a frame or series by these columns."""
    sources = tuple(dict.fromkeys((*sources_of(keys), *levels)))
    facts = tuple(GroupKey(source) for source in sources)
    found = Value("groups", state.node(state.reach(*keys), *facts), inner=of, index=sources, sort=of.sort)
    if not sources:
        found.node = state.node((*state.reach(*keys), rows_of(of)), GroupKey(""))
    return found


def groupby(state: State, call: Call) -> Value:
    by = call.argument(0, "by", "rule")
    level = call.named.get("level")
    of = call.receiver
    if by is not None and by.kind == "function":
        return group(state, of, [state.apply(by, [state.series((rows_of(of),), of.index)])])
    keys = columns_named(state, of, by)
    if by is not None and not keys:
        keys = [state.series(state.reach(by), by.sources)]
    groups = group(state, of, keys, of.index if level is not None else ())
    groups.name = KEYS_ARE_COLUMNS if truth_in(call.named.get("as_index")) is False else ""
    return groups


def resample(state: State, call: Call) -> Value:
    on = columns_named(state, call.receiver, call.named.get("on"))
    return group(state, call.receiver, on, () if on else call.receiver.index)


def chosen_from(state: State, groups: Value, names: Sequence[str], single: bool) -> Value:
    """``groups["x"]``, ``groups[["x", "y"]]``."""
    inner = groups.inner
    if inner is None or inner.kind != "frame" or not names:
        return groups
    if single:
        return fresh(groups, inner=columns_named(state, inner, state.const(names[0]))[0])
    return fresh(groups, inner=choose(state, inner, names))


def value_counts(state: State, call: Call) -> Value:
    """Rows by value, counted, the most frequent first."""
    of = call.receiver
    if of.kind == "groups" and of.inner is not None:
        keys, nodes = (*of.index, *of.inner.sources), (of.node, *state.reach(of.inner))
    else:
        named = columns_named(state, of, call.argument(0, "subset")) if of.kind == "frame" else [of]
        named = named or list(of.shared.made.values() if of.shared is not None else ())
        keys, nodes = sources_of(named), (*state.reach(*named), rows_of(of))
    ascending = truth_in(call.named.get("ascending")) is True
    facts: list[GroupKey | Order] = [GroupKey(key) for key in keys] or [GroupKey("")]
    sort = None
    if truth_in(call.named.get("sort")) is not False:
        sort = Sorting((), ascending)
        facts.append(Order("sort", (), ascending, None, state.line))
    found = Value("series", state.node(nodes, *facts), sources=(), index=tuple(keys), sort=sort)
    told = "share" if truth_in(call.named.get("normalize")) else "value_counts"
    found.pending = (Aggregation(told, keys[0] if len(keys) == 1 else "", state.line),)
    return found


def pivot_table(state: State, call: Call) -> Value:
    """``pivot_table`` and ``pivot``: the first takes a mean when nothing else is said."""
    frame = call.receiver
    keys = [found for name in ("index", "columns") for found in columns_named(state, frame, call.named.get(name))]
    named = call.argument(0, "values") if call.name == "pivot_table" else call.named.get("values")
    values = columns_named(state, frame, named)
    if call.name == "pivot":
        return state.with_fact(frame, parents=state.reach(*keys, *values))
    picked = frame if not values else choose(state, frame, texts_of(named)) if len(values) > 1 else values[0]
    groups = group(state, picked, keys)
    rule = call.named.get("aggfunc")
    found = aggregate(state, groups, "mean") if rule is None else by_rule(state, groups, rule)
    return found if found.kind == "frame" else _as_frame(state, found, texts_of(named))


def crosstab(state: State, call: Call) -> Value:
    keys = [value for value in (call.argument(0, "index"), call.argument(1, "columns")) if value is not None]
    values, rule = call.named.get("values"), call.named.get("aggfunc")
    groups = group(state, values if values is not None else keys[0] if keys else call.receiver, keys)
    return by_rule(state, groups, rule) if rule is not None else aggregate(state, groups, "count")


def _as_frame(state: State, series: Value, names: Sequence[str]) -> Value:
    """A frame of one aggregated column, under its own name."""
    made = dict.fromkeys(names[:1], series) or {label(series): series}
    found = state.new_frame(series.node, None, made)
    found.index = series.index
    return found


def joined(state: State, call: Call) -> Value:
    """``left.merge(right, on=…)``, ``left.join(right)``."""
    left, right = call.receiver, call.argument(0, "right", "other")
    if right is None:
        return state.with_fact(left)
    right = _single(right)
    both = call.argument(2, "on") if call.name == "merge" else call.argument(1, "on")
    keys = [*columns_named(state, left, both), *(columns_named(state, right, both) if call.name == "merge" else ())]
    keys += columns_named(state, left, call.named.get("left_on"))
    keys += columns_named(state, right, call.named.get("right_on"))
    indexed = (
        [*left.index, *right.index] if {"left_index", "right_index"} & set(call.named) or call.name == "join" else []
    )
    how = call.argument(1, "how")
    if not keys and not indexed and call.name == "merge" and (how is None or how.const != "cross"):
        common = [name for name in _names(left) if name in _names(right)]
        keys = [
            found
            for frame in (left, right)
            for found in columns_named(state, frame, state.list_of([state.const(name) for name in common]))
        ]
    sources = tuple(dict.fromkeys((*sources_of(keys), *indexed)))
    told = Join("merge" if call.name == "merge" else "join", sources, state.line)
    return together(state, [left, right], told, state.reach(*keys))


def concatenated(state: State, frames: Sequence[Value]) -> Value:
    return together(state, frames, Join("concat", (), state.line), ())


def together(state: State, frames: Sequence[Value], told: Join, parents: Sequence[Node]) -> Value:
    """One frame of the columns of several."""
    nodes = [rows_of(frame, state.line) for frame in frames]
    made: dict[str, Value] = {}
    aliases: dict[str, str] = {}
    columns: tuple[str, ...] | None = ()
    for place, frame in enumerate(frames):
        shared = frame.shared
        if frame.kind != "frame" or shared is None:
            nodes.extend(state.reach(frame))
            if frame.kind == "series":
                made[label(frame) or f"<{place}>"] = frame
            else:
                columns = None
            continue
        made.update(shared.made)
        aliases.update(shared.aliases)
        columns = None if columns is None or shared.columns is None else _each_once(columns, shared.columns)
    together = state.new_frame(state.node((*nodes, *parents), told), columns, made)
    if together.shared is not None:
        together.shared.aliases = aliases
    return together


def _each_once(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _single(value: Value) -> Value:
    """``df.join([a])`` joins what is in the list."""
    items = value.shared.items if value.shared is not None and value.kind == "list" else None
    return items[0] if items else value


def _names(frame: Value) -> tuple[str, ...]:
    return (frame.shared.columns or ()) if frame.shared is not None else ()
