"""Calls that put something into a file: the answer of code that sets none and ends with files."""

from __future__ import annotations

import re

from karat.suites.codegen.analysis.reader.function_calls.calls import Call
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import Node

_WRITES = re.compile(
    r"(?:to|write|sink)_(?:csv|excel|parquet|feather|ipc|n?djson|json|html|markdown|sql|xml|stata|orc|pickle|text|bytes)"
    r"|write(?:lines|rows?)?|dump|save(?:txt|z)?"
)


def note_written(state: State, call: Call) -> None:
    """Keep what goes into a file. Without an argument, ``to_csv`` gives a text."""
    if call.given and _WRITES.fullmatch(call.name):
        state.written.append(Node(state.reach(call.receiver, *call.given), (), state.line))
