"""Methods that make or use conditions: ``isin``, ``between``, ``str.contains``, ``isna``, ``dropna``, ``query``,
``where``."""

from __future__ import annotations

from karat.suites.codegen.analysis.name_patterns import matching
from karat.suites.codegen.analysis.pandas_api.columns import choose, columns_named
from karat.suites.codegen.analysis.pandas_api.query_strings import evaluate_string
from karat.suites.codegen.analysis.reader.constants import as_text, texts_of
from karat.suites.codegen.analysis.reader.function_calls.calls import Call, Handler
from karat.suites.codegen.analysis.reader.masks import (
    METHODS,
    any_of,
    as_condition,
    compared,
    filtered,
    in_values,
    label,
    linked,
    negate,
)
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import MISSING, Value, fresh, rows_of
from karat.suites.codegen.analysis.records import Filter, Join


def compared_by_method(state: State, call: Call) -> Value:
    other = call.argument(0, "other")
    return (
        compared(state, call.receiver, METHODS[call.name], other)
        if other is not None
        else state.with_fact(call.receiver)
    )


def is_in(state: State, call: Call) -> Value:
    values = call.argument(0, "values")
    if values is None or call.receiver.kind != "series":
        return state.with_fact(call.receiver, parents=state.reach(*call.given))
    nodes = state.reach(call.receiver, values)
    found = Value("series", state.node(nodes), sources=call.receiver.sources)
    found.mask = tuple(in_values(state, call.receiver, values))
    found.links = any_of(found.mask)
    if values.node.tabular and values.kind == "series":
        keys = tuple(dict.fromkeys((*call.receiver.sources, *values.sources)))
        found.node = state.node(nodes, Join("merge", keys, state.line))  # rows of one table by those of another
    return found


def between(state: State, call: Call) -> Value:
    low, high, ends = call.argument(0, "left"), call.argument(1, "right"), call.argument(2, "inclusive")
    how = ends.const if ends is not None else "both"
    bounds = (
        (low, ">=" if how in ("both", "left", True) else ">"),
        (high, "<=" if how in ("both", "right", True) else "<"),
    )
    found = state.with_fact(call.receiver, parents=state.reach(*call.given))
    found.mask = tuple(
        Filter(label(call.receiver), operator, as_text(bound.const), state.line)
        for bound, operator in bounds
        if bound is not None
    )
    found.links = linked("and", *([condition] for condition in found.mask))
    return found


def contains(state: State, call: Call) -> Value:
    pattern = call.argument(0, "pat")
    operator = "==" if call.name == "fullmatch" else "contains"
    items = pattern.shared.items if pattern is not None and pattern.shared is not None else None
    texts = [as_text(item.const) for item in items or ()] or [as_text(pattern.const) if pattern is not None else ""]
    if len(texts) == 1 and call.name in ("contains", "match", "fullmatch"):
        texts = texts[0].split("|")
    found = fresh(state.with_fact(call.receiver, parents=state.reach(*call.given)), name="")
    found.mask = tuple(Filter(label(call.receiver), operator, text, state.line) for text in texts)
    found.links = any_of(found.mask)
    return found


def is_missing(state: State, call: Call) -> Value:
    found = state.with_fact(call.receiver)
    if found.kind == "series":
        operator = "isnull" if call.name in ("isna", "isnull") else "notnull"
        found.mask = (Filter(label(call.receiver), operator, "", state.line),)
    return found


def drop_missing(state: State, call: Call) -> Value:
    value = call.receiver
    given = call.argument(0, "subset")  # in polars the first argument; in pandas an axis, which names no column
    named = columns_named(state, value, given) if value.kind == "frame" else [value]
    columns = [label(one) for one in named] or [""]
    conditions = [Filter(column, "notnull", "", state.line) for column in columns]
    return state.with_fact(value, *conditions, parents=state.reach(*named) if value.kind == "frame" else ())


def query(state: State, call: Call) -> Value:
    text = call.argument(0, "expr")
    frame = call.receiver
    if text is None or not isinstance(text.const, str):
        unread = Filter("", "other", "", state.line)
        return state.with_fact(frame, unread, parents=state.reach(*call.given))
    found = evaluate_string(state, frame, text.const)
    if found is None:
        return state.with_fact(frame)
    if call.name == "eval":
        return found
    return filtered(state, frame, found)


def where(state: State, call: Call) -> Value:
    """``where`` keeps what fulfils the condition, ``mask`` what does not."""
    condition = call.argument(0, "cond")
    if condition is None:
        return state.with_fact(call.receiver)
    if condition.kind == "function":
        condition = state.apply(condition, [call.receiver])
    condition = as_condition(state, condition)
    if call.name == "mask":
        condition = negate(state, condition)
    others = [value for value in call.given[1:] if value.const is MISSING]
    return state.with_fact(call.receiver, parents=state.reach(condition, *others))


def filter_rows_or_groups(state: State, call: Call) -> Value:
    """``groups.filter(lambda g: …)`` filters; ``df.filter(items=…)`` chooses columns."""
    function = call.argument(0, "func")
    value = call.receiver
    if value.kind == "groups" and value.inner is not None and function is not None and function.kind == "function":
        test = state.apply(function, [state.with_fact(value.inner, parents=(value.node,))])
        told = fresh(test, kind="series") if test.kind == "scalar" else test
        return state.with_fact(value.inner, parents=(value.node, *state.reach(told)))
    names = _names_like(state, call)
    if value.kind == "frame" and names is not None:
        return choose(state, value, names)
    named = columns_named(state, value, call.argument(0, "items"))
    return state.with_fact(value, parents=state.reach(*named))


def _names_like(state: State, call: Call) -> list[str] | None:
    """The columns of ``filter(items=…)``, ``filter(like=…)``, ``filter(regex=…)``; None when they are not known."""
    shared = call.receiver.shared
    known = shared.columns if shared is not None and shared.columns is not None else state.schema.columns
    like, pattern = call.argument(1, "like"), call.argument(2, "regex")
    if pattern is not None and isinstance(pattern.const, str):
        return matching(pattern.const, known)
    if like is not None and isinstance(like.const, str):
        return [name for name in known if like.const in name]
    return texts_of(call.argument(0, "items")) or None


def duplicated(state: State, call: Call) -> Value:
    value = call.receiver
    subset = columns_named(state, value, call.argument(0, "subset")) if value.kind == "frame" else [value]
    if call.name == "duplicated":
        found = state.series((rows_of(value), *state.reach(*subset)))
        found.mask = (Filter("", "other", "", state.line),)
        return found
    found = state.with_fact(value, parents=state.reach(*subset))
    found.distinct = value.sources
    return found


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(METHODS, compared_by_method),
    **dict.fromkeys(("isna", "isnull", "notna", "notnull"), is_missing),
    **dict.fromkeys(("contains", "startswith", "endswith", "match", "fullmatch"), contains),
    **dict.fromkeys(("query", "eval"), query),
    **dict.fromkeys(("where", "mask"), where),
    **dict.fromkeys(("duplicated", "drop_duplicates"), duplicated),
    "isin": is_in,
    "between": between,
    "dropna": drop_missing,
    "filter": filter_rows_or_groups,
}
