"""Order of rows, and the first or last of them: ``sort_values``, ``nlargest``, ``head``, ``iloc[:5]``,
``sorted(...)[0]``.

Rows remember how they were sorted, so that ``head(5)`` after a descending sort is reported with its direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from karat.suites.codegen.analysis.pandas_api.columns import sources_of
from karat.suites.codegen.analysis.reader.constants import number_in
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import Sorting, Value, reach
from karat.suites.codegen.analysis.records import Order


def first_truth(value: Value | None, default: bool | None) -> bool | None:
    """``ascending=False``, ``ascending=[False, True]``: of the first column; None when it is no constant."""
    if value is None:
        return default
    if value.shared is not None and value.shared.items:
        value = value.shared.items[0]
    return bool(value.const) if isinstance(value.const, bool | int) else None


def _falls(by: Sequence[Value]) -> bool:
    """Whether the first of these has the other sign: ``-x``, ``(-x, name)``."""
    first = by[0] if by else None
    if first is not None and first.kind == "list" and first.shared is not None and first.shared.items:
        first = first.shared.items[0]
    return first is not None and first.falling


def argsort(state: State, value: Value) -> Value:
    """The places of rows in order: ``df.iloc[df.x.argsort()[:3]]``."""
    found = sort(state, value, [value], True)
    found.sources, found.mask, found.falling = (), (), False  # places, no values and no conditions
    return found


def sort(state: State, value: Value, by: Sequence[Value], ascending: bool | None) -> Value:
    """Rows put in order by these columns."""
    columns = sources_of(by)
    if ascending is not None and _falls(by):
        ascending = not ascending
    nodes = [reach(column, state.line) for column in by]
    found = state.with_fact(value, Order("sort", columns, ascending, None, state.line), parents=nodes)
    found.sort = Sorting(columns, ascending)
    return found


def extreme(state: State, value: Value, by: Sequence[Value], count: int | None, largest: bool) -> Value:
    """``nlargest`` and ``nsmallest``."""
    columns = sources_of(by)
    largest = largest != _falls(by)
    nodes = [reach(column, state.line) for column in by]
    found = state.with_fact(
        value, Order("largest" if largest else "smallest", columns, not largest, count, state.line), parents=nodes
    )
    found.sort = Sorting(columns, not largest, cut=True)
    return found


def extreme_of_sorted(state: State, value: Value, count: int | None) -> Value:
    """The first rows of sorted ones, as the largest or smallest: ``ORDER BY … LIMIT``."""
    how = value.sort or Sorting((), True)
    kind: Literal["largest", "smallest"] = "smallest" if how.ascending else "largest"
    return state.with_fact(value, Order(kind, how.columns, how.ascending, count, state.line))


def take(state: State, value: Value, first: bool, count: int | None) -> Value:
    """``head(count)`` or ``tail(count)``."""
    how = value.sort or Sorting((), None)
    if how.cut and not first:
        how = Sorting((), None)
    found = state.with_fact(value, Order("head" if first else "tail", how.columns, how.ascending, count, state.line))
    if first and value.sort is not None:
        found.sort = Sorting(value.sort.columns, value.sort.ascending, cut=True)
    return found


def reverse(state: State, value: Value) -> Value:
    """``[::-1]``."""
    if value.sort is None or value.sort.ascending is None:
        return state.with_fact(value)
    found = state.with_fact(value, Order("sort", value.sort.columns, not value.sort.ascending, None, state.line))
    found.sort = Sorting(value.sort.columns, not value.sort.ascending)
    return found


def at_position(state: State, value: Value, place: Value) -> Value:
    """``iloc[place]``, ``items[place]``: the first or last row by number or slice."""
    if place.name == "slice" and place.shared is not None and place.shared.items is not None:
        lower, upper, step = (number_in(item) for item in place.shared.items)
        if step == -1 and lower is None and upper is None:
            return reverse(state, value)
        if upper is not None and upper >= 0 and not lower and step is None:
            return take(state, value, True, upper)
        if lower is not None and lower < 0 and upper is None and step is None:
            return take(state, value, False, -lower)
        return state.with_fact(value, parents=state.reach(place))
    number = number_in(place)
    if number == 0:
        return take(state, value, True, 1)
    if number == -1:
        return take(state, value, False, 1)
    if number is not None and value.sort is not None:  # the second largest: the last of the first two
        return take(state, value, number > 0, number + 1 if number > 0 else -number)
    return state.with_fact(value, parents=state.reach(place))
