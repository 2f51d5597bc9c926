"""Loops. Over items that are known one by one (``for c in ["a", "b"]``) each is gone through; any other body is read
until what the names hold no longer changes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from karat.suites.codegen.analysis.pandas_api.iteration import element_of
from karat.suites.codegen.analysis.reader.binding import bind
from karat.suites.codegen.analysis.reader.constants import truth_in
from karat.suites.codegen.analysis.reader.control_flow.branches import merged, under
from karat.suites.codegen.analysis.reader.state import INLINED, LOOPS, UNROLLED, State
from karat.suites.codegen.analysis.reader.values import Value

ROUNDS = 6
"""How often a body is read at most, and twice in loops within loops."""


def known_items(state: State, value: Value) -> list[Value] | None:
    """The items of a list that are known one by one, where there are few enough to go through."""
    shared = value.shared
    if value.kind != "list" or shared is None or shared.items is None or shared.node is not None:
        return None
    few = len(shared.items) <= UNROLLED and state.steps < INLINED and state.loops < LOOPS
    return list(shared.items) if few else None


def for_(state: State, statement: ast.For | ast.AsyncFor) -> bool:
    iterable = state.evaluate(statement.iter)
    items = known_items(state, iterable)
    if items is not None:
        return _each(state, statement, items)

    def begin() -> None:
        bind(state, statement.target, element_of(state, iterable), told=False)

    _loop(state, [Value("unknown", iterable.node)], statement.body, begin)
    return state.run(statement.orelse)


def _each(state: State, statement: ast.For | ast.AsyncFor, items: Sequence[Value]) -> bool:
    """The body once for each item, one after the other."""
    state.loops += 1
    ended = False
    for item in items:
        bind(state, statement.target, item, told=False)
        if state.run(statement.body) and state.left_by is not ast.Continue:
            ended = True
            break
    state.loops -= 1
    if ended:
        return state.left_by is not ast.Break
    return state.run(statement.orelse)


def while_(state: State, statement: ast.While) -> bool:
    test = state.evaluate(statement.test)
    known = truth_in(test)
    if known is False:
        return state.run(statement.orelse)
    _loop(state, [test], statement.body, lambda: None)
    return state.run(statement.orelse)


def _loop(state: State, over: Sequence[Value], body: Sequence[ast.stmt], begin: Callable[[], None]) -> None:
    line = state.line
    state.loops += 1
    rounds = ROUNDS if state.loops == 1 else 2 if state.loops <= LOOPS else 1
    for number in range(rounds):
        before = dict(state.scope.names)
        begin()
        under(state, over, body)
        state.line = line
        state.scope.names = merged(state, before, state.scope.names)
        if number and _shape(before) == _shape(state.scope.names):
            break
    state.loops -= 1


def _shape(names: dict[str, Value]) -> dict[str, tuple[object, ...]]:
    """What is known of each name, apart from the way to it."""
    return {
        name: (value.kind, value.sources, value.mask, value.pending, value.node.tabular, value.sort)
        for name, value in names.items()
    }
