"""The strings of ``query`` and ``eval``: pandas' own syntax, with names in backticks and ``@`` for the code's
variables."""

from __future__ import annotations

import ast
import re

from karat.suites.codegen.analysis.pandas_api.columns import column, has_column, set_column
from karat.suites.codegen.analysis.reader.state import Scope, State
from karat.suites.codegen.analysis.reader.values import Value, fresh, rows_of

_QUOTED_OR_NAME = re.compile(r"""'[^']*'|"[^"]*"|`([^`]+)`|@(\w+)|&&?|\|\|?""")
_MARK = "__karat_"


class FrameScope(Scope):
    """The names inside a query: the frame's columns before anything else."""

    __slots__ = ("backticked", "frame", "state")

    def __init__(self, state: State, frame: Value, backticked: dict[str, str]) -> None:
        super().__init__(state.scope)
        self.state = state
        self.frame = frame
        self.backticked = backticked

    def find(self, name: str) -> Value | None:
        if name in self.backticked:
            return column(self.state, self.frame, self.backticked[name])
        if name.startswith(f"{_MARK}at_"):
            return self.outer.find(name.removeprefix(f"{_MARK}at_")) if self.outer is not None else None
        if has_column(self.state, self.frame, name):
            return column(self.state, self.frame, name)
        if name == "index":
            return self.state.series((rows_of(self.frame),), self.frame.index)
        return None


def evaluate_string(state: State, frame: Value, text: str) -> Value | None:
    """What the string comes to on this frame; None when it cannot be read. ``"c = a + b"`` gives the frame with that
    column."""
    backticked: dict[str, str] = {}

    def named(found: re.Match[str]) -> str:
        if found[1] is not None:
            backticked[f"{_MARK}{len(backticked)}"] = found[1]
            return f"{_MARK}{len(backticked) - 1}"
        if found[2] is not None:
            return f"{_MARK}at_{found[2]}"
        return {"&": " and ", "|": " or "}.get(found[0][:1], found[0])  # there "&" binds as weakly as "and"

    try:
        tree = ast.parse(_QUOTED_OR_NAME.sub(named, text.strip().replace("\n", " ")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    outside, inside = state.scope, state.in_string
    state.in_string = True
    result: Value | None = None
    try:
        for statement in tree.body:
            state.scope = FrameScope(state, frame, backticked)
            if isinstance(statement, ast.Expr):
                result = state.evaluate(statement.value)
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                frame = fresh(frame)
                set_column(state, frame, statement.targets[0].id, state.evaluate(statement.value))
                result = frame
    finally:
        state.scope, state.in_string = outside, inside
    return result
