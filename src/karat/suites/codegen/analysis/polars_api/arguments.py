"""What the arguments of a polars method come to on its frame: texts are columns, expressions are evaluated."""

from __future__ import annotations

from collections.abc import Sequence

from karat.suites.codegen.analysis.name_patterns import matching
from karat.suites.codegen.analysis.pandas_api.columns import column
from karat.suites.codegen.analysis.polars_api.deferred import column_names, resolved, selection
from karat.suites.codegen.analysis.reader.function_calls.calls import Call
from karat.suites.codegen.analysis.reader.masks import label
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import Shared, Value, fresh, reach, rows_of


def flat(values: Sequence[Value]) -> list[Value]:
    """Arguments with lists of them opened: ``select("a", ["b", "c"])``."""
    found: list[Value] = []
    for value in values:
        items = value.shared.items if value.kind == "list" and value.shared is not None else None
        found.extend(flat(items) if items is not None else [value])
    return found


def columns_in(state: State, frame: Value, value: Value) -> list[tuple[str, Value]]:
    """The columns, by name, that an argument stands for."""
    if isinstance(value.const, str):
        value = by_name(state, [value.const])
    found = resolved(state, value, frame)
    if found.kind == "frame" and found.shared is not None:
        names = column_names(state, found)
        return [(name, column(state, found, name)) for name in names]
    return [(value.name or label(found) or f"<{id(found)}>", found)]


def named_columns(state: State, frame: Value, call: Call, options: frozenset[str]) -> dict[str, Value]:
    """The columns that ``select`` and the like are given, those by keyword with them."""
    found = {name: one for given in flat(call.arguments) for name, one in columns_in(state, frame, given)}
    for name, given in call.named.items():
        if name not in options:
            found[name] = columns_in(state, frame, given)[0][1] if _is_column(given) else resolved(state, given, frame)
    return found


def _is_column(value: Value) -> bool:
    return isinstance(value.const, str) or value.kind == "expr"


def keys_in(state: State, frame: Value, values: Sequence[Value]) -> dict[str, Value]:
    """Columns to group, sort or join by."""
    return {name: one for given in flat(values) for name, one in columns_in(state, frame, given)}


def is_whole(state: State, frame: Value, call: Call) -> bool:
    """Whether ``select`` takes every column as it is: ``select(pl.all())``."""
    given = flat(call.arguments)
    if len(given) != 1 or call.named or given[0].selects is None:
        return False
    names = column_names(state, frame)
    return given[0].selects(names) == list(names)


def by_name(state: State, names: Sequence[str]) -> Value:
    """``pl.col(names)``: a name that begins with ``^`` and ends with ``$`` is a pattern."""

    def chosen(known: Sequence[str]) -> list[str]:
        found: list[str] = []
        for name in names:
            if name == "*":
                found.extend(known)
            elif name.startswith("^") and name.endswith("$"):
                found.extend(matching(name, known))
            else:
                found.append(name)
        return list(dict.fromkeys(found))

    plain = len(names) == 1 and not names[0].startswith("^") and names[0] != "*"
    return selection(state, chosen, names[0] if plain else "")


def frame_of(state: State, frame: Value, columns: dict[str, Value]) -> Value:
    """A frame of these columns, with the rows of another."""
    made = {name: as_column(state, value) for name, value in columns.items()}
    found = Value("frame", state.node((rows_of(frame, state.line),)), shared=Shared(columns=tuple(made), made=made))
    found.sort, found.kept = frame.sort, frame.kept
    return found


def as_column(state: State, value: Value) -> Value:
    if value.kind in ("series", "scalar"):
        return fresh(value, kind="series")
    return Value("series", reach(value, state.line), sources=value.sources, const=value.const)
