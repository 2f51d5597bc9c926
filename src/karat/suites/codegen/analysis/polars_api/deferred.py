"""Expressions of polars: ``pl.col("age") > 30`` comes to a value only once it is used on a frame.

An expression keeps what to do. Operators and methods of it make another expression; ``filter``, ``select``, ``agg`` and
the like evaluate it on their frame. What it came to is kept for the last frame, so that an expression that is used many
times in another is read once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from karat.suites.codegen.analysis.pandas_api.columns import choose, column
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import Value, unknown


def expression(state: State, build: Callable[[Value], Value], name: str = "") -> Value:
    """An expression that ``build`` evaluates on a frame. ``name``: what the column that it makes is called."""
    line = state.line
    kept: list[tuple[Value, Value]] = []

    def evaluated(frame: Value) -> Value:
        if kept and kept[0][0] is frame:
            return kept[0][1]
        state.count_step()
        before, state.line = state.line, line
        try:
            found = build(frame)
        finally:
            state.line = before
        kept[:] = [(frame, found)]
        return found

    return Value("expr", state.node(()), name=name, deferred=evaluated)


def selection(state: State, selects: Callable[[Sequence[str]], list[str]], name: str = "") -> Value:
    """An expression that chooses columns by their names."""
    found = expression(state, lambda frame: _selected(state, frame, selects), name)
    found.selects = selects
    return found


def _selected(state: State, frame: Value, selects: Callable[[Sequence[str]], list[str]]) -> Value:
    if frame.kind != "frame":
        return frame
    names = column_names(state, frame)
    wanted = selects(names)
    if len(wanted) == 1:
        return column(state, frame, wanted[0])
    return state.with_fact(frame) if list(names) == wanted else choose(state, frame, wanted)


def column_names(state: State, frame: Value) -> tuple[str, ...]:
    """The columns of a frame, as far as they are known."""
    known = frame.shared.columns if frame.shared is not None else None
    return state.schema.columns if known is None else known


def is_deferred(value: Value) -> bool:
    """Whether it is an expression, or a list that holds one."""
    if value.kind == "expr":
        return True
    return value.kind == "list" and value.shared is not None and any(map(is_expression, value.shared.items or ()))


def is_expression(value: Value) -> bool:
    return value.kind == "expr"


def resolved(state: State, value: Value, frame: Value) -> Value:
    """What a value comes to on this frame; what is no expression stays as it is."""
    if value.kind == "expr":
        return value.deferred(frame) if value.deferred is not None else unknown((value.node,), state.line)
    if value.kind == "list" and is_deferred(value) and value.shared is not None:
        return state.list_of([resolved(state, item, frame) for item in value.shared.items or ()])
    return value


def lifted(state: State, values: Sequence[Value], make: Callable[[Sequence[Value]], Value]) -> Value:
    """What is done to values of which some are expressions, done once there is a frame."""
    name = next((value.name for value in values if value.kind == "expr" and value.name), "")
    return expression(state, lambda frame: make([resolved(state, value, frame) for value in values]), name)
