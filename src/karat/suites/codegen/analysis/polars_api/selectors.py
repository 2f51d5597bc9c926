"""``polars.selectors``: columns by name, by a part of it, by place, or by a type that the analysis does not know."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Literal

from karat.suites.codegen.analysis.name_patterns import matching
from karat.suites.codegen.analysis.polars_api.arguments import flat
from karat.suites.codegen.analysis.polars_api.deferred import selection
from karat.suites.codegen.analysis.reader.constants import number_in, texts_of
from karat.suites.codegen.analysis.reader.function_calls.calls import Call, Handler
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import Value

_SETS: dict[type[ast.operator], Literal["|", "&", "-", "^"]] = {
    ast.BitOr: "|",
    ast.BitAnd: "&",
    ast.Sub: "-",
    ast.BitXor: "^",
}
MODULES = frozenset({"cs", "selectors"})
Chosen = Callable[[Sequence[str]], list[str]]


def select_columns(state: State, call: Call) -> Value:
    """A call of ``cs.…``. One that chooses by type takes every column: the types are not known here."""
    handler = HANDLERS.get(call.name)
    return handler(state, call) if handler is not None else selection(state, list)


def operated_columns(state: State, operator: ast.operator, left: Value, right: Value) -> Value | None:
    """``cs.numeric() | cs.by_name("a")``; None for any other values."""
    how = _SETS.get(type(operator))
    return combined_selection(state, left, right, how) if how is not None and not (left.name or right.name) else None


def combined_selection(state: State, first: Value, second: Value, how: Literal["|", "&", "-", "^"]) -> Value | None:
    """``a | b``, ``a & b``, ``a - b``, ``a ^ b`` of two selections; None for any other expressions."""
    left, right = first.selects, second.selects
    if left is None or right is None:
        return None

    def chosen(names: Sequence[str]) -> list[str]:
        one, other = set(left(names)), set(right(names))
        taken = {"|": one | other, "&": one & other, "-": one - other, "^": one ^ other}[how]
        return [name for name in names if name in taken]

    return selection(state, chosen)


def without(state: State, selects: Chosen) -> Value:
    """``~selector``, ``pl.exclude(…)``: the other columns."""

    def others(names: Sequence[str]) -> list[str]:
        left_out = set(selects(names))
        return [name for name in names if name not in left_out]

    return selection(state, others)


def _texts(call: Call) -> list[str]:
    return [text for given in flat(call.arguments) for text in texts_of(given)]


def _by_name(state: State, call: Call) -> Value:
    wanted = _texts(call)
    return selection(state, lambda names: [name for name in wanted if name in names], wanted[0] if wanted else "")


def _by_text(test: Callable[[str, str], bool]) -> Handler:
    def chosen(state: State, call: Call) -> Value:
        texts = _texts(call)
        return selection(state, lambda names: [name for name in names if any(test(name, text) for text in texts)])

    return chosen


def _matches(state: State, call: Call) -> Value:
    texts = _texts(call)
    return selection(state, lambda names: matching(texts[0], names) if texts else [])


def _at(state: State, call: Call) -> Value:
    places = [0] if call.name == "first" else [-1] if call.name == "last" else []
    places += [number for given in flat(call.arguments) if (number := number_in(given)) is not None]
    return selection(state, lambda names: [names[at] for at in places if -len(names) <= at < len(names)])


def exclude(state: State, call: Call) -> Value:
    """``pl.exclude("a")``, ``cs.exclude("a")``: by name, by pattern, or by another selection."""
    given = flat(call.arguments)
    texts = _texts(call)

    def excluded(names: Sequence[str]) -> list[str]:
        found = [name for value in given if value.selects is not None for name in value.selects(names)]
        for text in texts:
            found += matching(text, names) if text.startswith("^") and text.endswith("$") else [text]
        return found

    return without(state, excluded)


HANDLERS: dict[str, Handler] = {
    "by_name": _by_name,
    "starts_with": _by_text(str.startswith),
    "ends_with": _by_text(str.endswith),
    "contains": _by_text(lambda name, text: text in name),
    "matches": _matches,
    **dict.fromkeys(("first", "last", "by_index"), _at),
    "exclude": exclude,
}
