"""Columns of a frame: finding one by name, choosing several, renaming, setting.

A name leads back to the schema's column that it stands for. A column that the code made leads back to what it was made
from. A name that the frame does not have leads to nothing of the schema, only to the frame itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from karat.suites.codegen.analysis.reader.constants import texts_of
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import Shared, Used, Value, fresh, join, reach, rows_of

_SUFFIX = re.compile(r"_(x|y|left|right)$")


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()


def source_of(state: State, frame: Value, name: str) -> str | None:
    """The schema's column that a name of this frame stands for."""
    shared = frame.shared
    if shared is not None and name in shared.aliases:
        return shared.aliases[name]
    known = state.schema.columns if shared is None or shared.columns is None else shared.columns
    if name in known:
        return name if name in state.schema.columns else None
    cut = _SUFFIX.sub("", name)
    if cut != name and cut in known and cut in state.schema.columns:
        return cut
    if shared is not None and shared.loose:
        return next((column for column in state.schema.columns if _plain(column) == _plain(name)), None)
    return None


def has_column(state: State, frame: Value, name: str) -> bool:
    if frame.kind != "frame":
        return False
    return (frame.shared is not None and name in frame.shared.made) or source_of(state, frame, name) is not None


def column(state: State, frame: Value, name: str) -> Value:
    """``frame[name]``."""
    rows = rows_of(frame, state.line)
    made = frame.shared.made.get(name) if frame.shared is not None else None
    if made is not None:
        return fresh(made, node=state.node((made.node, rows)), sort=frame.sort, index=frame.index)
    source = source_of(state, frame, name) if frame.node.tabular else None
    if source is not None:
        found = state.series((rows,), (source,), frame.sort)
        found.node = state.node((rows,), Used(source))
    else:
        found = state.series(state.reach(frame), (), frame.sort)
    found.index = frame.index
    return found


def columns_named(state: State, frame: Value, names: Value | None) -> list[Value]:
    """The columns that an argument names: a text, a list of them, or series themselves."""
    if names is None:
        return []
    if names.kind == "series":
        return [names]
    if names.shared is not None and names.kind == "list" and names.shared.items is not None:
        return [found for item in names.shared.items for found in columns_named(state, frame, item)]
    if frame.kind == "series":
        return [frame] if texts_of(names) else []
    return [column(state, frame, name) for name in texts_of(names)]


def sources_of(values: Iterable[Value]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(source for value in values for source in value.sources))


def choose(state: State, frame: Value, names: Sequence[str]) -> Value:
    """``frame[[...]]``: a frame of these columns; each counts once it is read, or when the whole frame is."""
    made = {name: column(state, frame, name) for name in names}
    chosen = state.new_frame(state.node((rows_of(frame, state.line),)), tuple(names), made)
    chosen.sort, chosen.index = frame.sort, frame.index
    return chosen


def set_column(state: State, frame: Value, name: str, value: Value) -> None:
    """``frame[name] = value``, in place. Under a condition the old column may also be the one."""
    shared = frame.shared if frame.shared is not None else Shared()
    frame.shared = shared
    new = value if value.kind in ("series", "scalar") else Value("series", reach(value, state.line))
    new = fresh(new, node=state.node((new.node, *state.control)), kind="series", const=value.const)
    if state.control and has_column(state, frame, name):
        new = join(column(state, frame, name), new, state.line)
    shared.made[name] = new
    if shared.columns is not None and name not in shared.columns:
        shared.columns = (*shared.columns, name)


def drop_columns(state: State, frame: Value, names: Sequence[str]) -> Value:
    left = state.with_fact(frame)
    if left.shared is not None:
        for name in names:
            left.shared.made.pop(name, None)
        if left.shared.columns is not None:
            left.shared.columns = tuple(name for name in left.shared.columns if name not in names)
    return left


def rename(state: State, frame: Value, names: dict[str, str]) -> Value:
    """A renamed column is the old one under another name; naming it is no use of it."""
    renamed = state.with_fact(frame)
    shared = renamed.shared
    if shared is None:
        return renamed
    for old, new in names.items():
        if shared.columns is not None and old not in shared.columns and old not in shared.made:
            continue
        source = source_of(state, frame, old)
        made = frame.shared.made.get(old) if frame.shared is not None else None
        shared.made.pop(old, None)
        shared.aliases.pop(old, None)
        if made is not None:
            shared.made[new] = made
        elif source is not None:
            shared.aliases[new] = source
    if shared.columns is not None:
        shared.columns = tuple(names.get(name, name) for name in shared.columns)
    return renamed
