"""One value or another by a condition: ``np.where``, ``np.select``, ``pl.when(…).then(…)``, SQL's ``CASE``."""

from __future__ import annotations

from collections.abc import Sequence

from karat.suites.codegen.analysis.reader.masks import filtered, negate
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import Value

_TRUE, _FALSE = (1, 1.0, True), (0, 0.0, False, None)


def chosen_value(state: State, conditions: Sequence[Value], values: Sequence[Value], other: Value | None) -> Value:
    """The value whose condition is the first that holds, else ``other``.

    1 where a condition holds and 0 elsewhere is the condition itself, so that its sum is a count. A value without
    another is that of the rows that fulfil the condition.
    """
    if len(conditions) == len(values) == 1:
        condition, value = conditions[0], values[0]
        if _is_const(value, _TRUE) and (other is None or _is_const(other, _FALSE)):
            return condition
        if _is_const(value, _FALSE) and other is not None and _is_const(other, _TRUE):
            return negate(state, condition)
        if value.kind == "series" and (other is None or _is_const(other, _FALSE)):
            return filtered(state, value, condition)
    parts = [*values, *([other] if other is not None else [])]
    sources = [source for part in parts for source in part.sources]
    found = state.series(state.reach(*conditions, *parts), sources)
    if not sources:
        found.sources = tuple(dict.fromkeys(source for condition in conditions for source in condition.sources))
    return found


def _is_const(value: Value, known: tuple[object, ...]) -> bool:
    return value.kind == "const" and isinstance(value.const, bool | int | float | None) and value.const in known
