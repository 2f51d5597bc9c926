"""Groups and joins: ``groupby``, ``resample``, ``pivot_table``, ``crosstab``, ``value_counts``; ``merge``, ``join``,
``concat``."""

from __future__ import annotations

from collections.abc import Sequence

from karat.suites.codegen.analysis.calls import Call
from karat.suites.codegen.analysis.constants import texts_of, truth_in
from karat.suites.codegen.analysis.masks import label
from karat.suites.codegen.analysis.pandas_api.aggregates import aggregate, by_rule
from karat.suites.codegen.analysis.pandas_api.columns import choose, columns_named, sources_of
from karat.suites.codegen.analysis.run import Run
from karat.suites.codegen.analysis.values import GroupKey, Node, Sorting, Value, fresh, rows_of
from karat.suites.codegen.records import Aggregation, Join, Order


def group(run: Run, of: Value, keys: Sequence[Value], levels: tuple[str, ...] = ()) -> Value:
    """Groups of a frame or series by these columns."""
    sources = tuple(dict.fromkeys((*sources_of(keys), *levels)))
    facts = tuple(GroupKey(source) for source in sources)
    found = Value("groups", run.node(run.reach(*keys), *facts), inner=of, index=sources, sort=of.sort)
    if not sources:
        found.node = run.node((*run.reach(*keys), rows_of(of)), GroupKey(""))
    return found


def groupby(run: Run, call: Call) -> Value:
    by = call.argument(0, "by", "rule")
    level = call.named.get("level")
    of = call.receiver
    if by is not None and by.kind == "function":
        return group(run, of, [run.apply(by, [run.series((rows_of(of),), of.index)])])
    keys = columns_named(run, of, by)
    if by is not None and not keys:
        keys = [run.series(run.reach(by), by.sources)]
    return group(run, of, keys, of.index if level is not None else ())


def resample(run: Run, call: Call) -> Value:
    on = columns_named(run, call.receiver, call.named.get("on"))
    return group(run, call.receiver, on, () if on else call.receiver.index)


def chosen_from(run: Run, groups: Value, names: Sequence[str], single: bool) -> Value:
    """``groups["x"]``, ``groups[["x", "y"]]``."""
    inner = groups.inner
    if inner is None or inner.kind != "frame" or not names:
        return groups
    if single:
        return fresh(groups, inner=columns_named(run, inner, run.const(names[0]))[0])
    return fresh(groups, inner=choose(run, inner, names))


def value_counts(run: Run, call: Call) -> Value:
    """Rows by value, counted, the most frequent first."""
    of = call.receiver
    if of.kind == "groups" and of.inner is not None:
        keys, nodes = (*of.index, *of.inner.sources), (of.node, *run.reach(of.inner))
    else:
        named = columns_named(run, of, call.argument(0, "subset")) if of.kind == "frame" else [of]
        named = named or list(of.shared.made.values() if of.shared is not None else ())
        keys, nodes = sources_of(named), (*run.reach(*named), rows_of(of))
    ascending = truth_in(call.named.get("ascending")) is True
    facts: list[GroupKey | Order] = [GroupKey(key) for key in keys] or [GroupKey("")]
    sort = None
    if truth_in(call.named.get("sort")) is not False:
        sort = Sorting((), ascending)
        facts.append(Order("sort", (), ascending, None, run.line))
    found = Value("series", run.node(nodes, *facts), sources=(), index=tuple(keys), sort=sort)
    told = "share" if truth_in(call.named.get("normalize")) else "value_counts"
    found.pending = (Aggregation(told, keys[0] if len(keys) == 1 else "", run.line),)
    return found


def pivot_table(run: Run, call: Call) -> Value:
    """``pivot_table`` and ``pivot``: the first takes a mean when nothing else is said."""
    frame = call.receiver
    keys = [found for name in ("index", "columns") for found in columns_named(run, frame, call.named.get(name))]
    named = call.argument(0, "values") if call.name == "pivot_table" else call.named.get("values")
    values = columns_named(run, frame, named)
    if call.name == "pivot":
        return run.with_fact(frame, parents=run.reach(*keys, *values))
    picked = frame if not values else choose(run, frame, texts_of(named)) if len(values) > 1 else values[0]
    groups = group(run, picked, keys)
    rule = call.named.get("aggfunc")
    found = aggregate(run, groups, "mean") if rule is None else by_rule(run, groups, rule)
    return found if found.kind == "frame" else _as_frame(run, found, texts_of(named))


def crosstab(run: Run, call: Call) -> Value:
    keys = [value for value in (call.argument(0, "index"), call.argument(1, "columns")) if value is not None]
    values, rule = call.named.get("values"), call.named.get("aggfunc")
    groups = group(run, values if values is not None else keys[0] if keys else call.receiver, keys)
    return by_rule(run, groups, rule) if rule is not None else aggregate(run, groups, "count")


def _as_frame(run: Run, series: Value, names: Sequence[str]) -> Value:
    """A frame of one aggregated column, under its own name."""
    made = dict.fromkeys(names[:1], series) or {label(series): series}
    found = run.new_frame(series.node, None, made)
    found.index = series.index
    return found


def joined(run: Run, call: Call) -> Value:
    """``left.merge(right, on=…)``, ``left.join(right)``."""
    left, right = call.receiver, call.argument(0, "right", "other")
    if right is None:
        return run.with_fact(left)
    right = _single(right)
    both = call.argument(2, "on") if call.name == "merge" else call.argument(1, "on")
    keys = [*columns_named(run, left, both), *(columns_named(run, right, both) if call.name == "merge" else ())]
    keys += columns_named(run, left, call.named.get("left_on"))
    keys += columns_named(run, right, call.named.get("right_on"))
    indexed = (
        [*left.index, *right.index] if {"left_index", "right_index"} & set(call.named) or call.name == "join" else []
    )
    if not keys and not indexed and call.name == "merge":
        common = [name for name in _names(left) if name in _names(right)]
        keys = [
            found
            for frame in (left, right)
            for found in columns_named(run, frame, run.list_of([run.const(name) for name in common]))
        ]
    sources = tuple(dict.fromkeys((*sources_of(keys), *indexed)))
    told = Join("merge" if call.name == "merge" else "join", sources, run.line)
    return _together(run, [left, right], told, run.reach(*keys))


def concatenated(run: Run, frames: Sequence[Value]) -> Value:
    return _together(run, frames, Join("concat", (), run.line), ())


def _together(run: Run, frames: Sequence[Value], told: Join, parents: Sequence[Node]) -> Value:
    """One frame of the columns of several."""
    nodes = [rows_of(frame, run.line) for frame in frames]
    made: dict[str, Value] = {}
    aliases: dict[str, str] = {}
    columns: tuple[str, ...] | None = ()
    for place, frame in enumerate(frames):
        shared = frame.shared
        if frame.kind != "frame" or shared is None:
            nodes.extend(run.reach(frame))
            if frame.kind == "series":
                made[label(frame) or f"<{place}>"] = frame
            else:
                columns = None
            continue
        made.update(shared.made)
        aliases.update(shared.aliases)
        columns = None if columns is None or shared.columns is None else (*columns, *shared.columns)
    together = run.new_frame(run.node((*nodes, *parents), told), columns, made)
    if together.shared is not None:
        together.shared.aliases = aliases
    return together


def _single(value: Value) -> Value:
    """``df.join([a])`` joins what is in the list."""
    items = value.shared.items if value.shared is not None and value.kind == "list" else None
    return items[0] if items else value


def _names(frame: Value) -> tuple[str, ...]:
    return (frame.shared.columns or ()) if frame.shared is not None else ()
