"""Statements that run only sometimes, and what is known of names after them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import Value, join


def under(state: State, nodes: Sequence[Value], statements: Sequence[ast.stmt]) -> bool:
    """A block that is run only when these values allow it."""
    control = state.control
    state.control = (*control, state.node(state.reach(*nodes)))
    ended = state.run(statements)
    state.control = control
    return ended


def merged(state: State, first: dict[str, Value], second: dict[str, Value]) -> dict[str, Value]:
    found = dict(first)
    for name, value in second.items():
        found[name] = join(first[name], value, state.line) if name in first else value
    return found
