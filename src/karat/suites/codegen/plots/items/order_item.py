"""The item ``order``: the order in which a reader meets the categories.

``given`` is the order of the gold's own points, ``x`` is by the category itself, ``ascending`` and ``descending`` are
by value: with several series, by the sum of a category. Equal values may be in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from karat.suites.codegen.plots.items.points import text_of
from karat.suites.codegen.plots.records import Order, Point, Series, SeriesGold, Value
from karat.tables.options import CompareOptions
from karat.tables.values.cells import Cell, equal, parse


def order_holds(order: Order, gold: Sequence[SeriesGold], given: Sequence[Series], options: CompareOptions) -> bool:
    """Whether the given categories are in the expected order."""
    shown = categories(given)
    if order == "given":
        return _as_given(gold, shown, options)
    if order == "x":
        cells = [parse(text_of(name), options) for name in shown]
        numbers = all(cell.numeric for cell in cells)
        keys = [(cell.number, "") if numbers else (0.0, cell.key or cell.text or "") for cell in cells]
        return keys == sorted(keys)
    sizes = [total for total in (shown[name] for name in shown) if total is not None]
    pairs = list(pairwise(sizes))
    if order == "ascending":
        return all(one <= other or _same(one, other, options) for one, other in pairs)
    return all(one >= other or _same(one, other, options) for one, other in pairs)


def categories(given: Sequence[Series]) -> dict[Value, float | None]:
    """The categories in the order in which they are shown, each with the sum of its values."""
    found: dict[Value, float | None] = {}
    for series in given:
        for point in series.points:
            value = point[-1]
            before = found.get(point[0])
            if isinstance(value, int | float):
                found[point[0]] = value if before is None else before + value
            else:
                found.setdefault(point[0], None)
    return found


def _same(one: float, other: float, options: CompareOptions) -> bool:
    return equal(parse(repr(one), options), parse(repr(other), options), options)


def _as_given(gold: Sequence[SeriesGold], shown: dict[Value, float | None], options: CompareOptions) -> bool:
    """The gold's categories that are shown are shown in the gold's order."""
    wanted: list[Point] = [point for series in gold for point in series.points]
    cells: list[Cell] = [parse(text_of(name), options) for name in shown]
    places: list[int] = []
    for name in dict.fromkeys(point[0] for point in wanted):
        cell = parse(text_of(name), options)
        place = next((at for at, other in enumerate(cells) if equal(cell, other, options)), None)
        if place is not None:
            places.append(place)
    return bool(places) and places == sorted(places)
