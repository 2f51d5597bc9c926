"""How many points of two series are equal, by the rules that cells of tables are compared by.

Equality of numbers has a tolerance, so it is not transitive. Points that are the same to the letter are paired first;
for each of the rest the nearest few on the other side are looked at, and as many as can be are paired.

    F1 = 2 × equal / (gold + given)

By hand: gold North 5, South 3, East 4; given North 5, South 3, East 5: two are equal, F1 = 4/6.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from karat.core.pairing import greatest_pairing
from karat.suites.codegen.plots.records import Point, Value
from karat.tables.options import CompareOptions
from karat.tables.values.cells import NULL, Cell, equal, parse

NEAREST = 40
"""Points of the other side that a point is compared with."""

Read = tuple[Cell, ...]


def text_of(value: Value) -> str | None:
    """A value as a cell shows it."""
    return value if value is None or isinstance(value, str) else repr(value)


def equal_points(gold: Sequence[Point], given: Sequence[Point], options: CompareOptions) -> int:
    """How many points of the one are equal to a point of the other, each used once."""
    texts = [[tuple(map(text_of, point)) for point in side] for side in (gold, given)]
    left, right = (Counter(side) for side in texts)
    same = left & right
    left, right = left - same, right - same
    if not left or not right:
        return same.total()
    return same.total() + _near(_read(left, options), _read(right, options), options)


def _read(points: Counter[tuple[str | None, ...]], options: CompareOptions) -> list[Read]:
    known: dict[str | None, Cell] = {None: NULL}
    found: list[Read] = []
    for point in points.elements():
        for text in point:
            if text not in known:
                known[text] = parse(text, options)
        found.append(tuple(known[text] for text in point))
    return found


def _near(gold: list[Read], given: list[Read], options: CompareOptions) -> int:
    """Pairs among points that are not the same to the letter."""
    groups: dict[object, list[int]] = {}
    for place, point in enumerate(given):
        groups.setdefault(_group(point), []).append(place)
    sorted_groups = {
        key: sorted((tuple(_size(cell) for cell in given[place]), place) for place in places)
        for key, places in groups.items()
    }
    choices: list[list[int]] = []
    for point in gold:
        group = sorted_groups.get(_group(point), [])
        at = bisect_left(group, (tuple(_size(cell) for cell in point), -1))
        near = group[max(0, at - NEAREST) : at + NEAREST]
        choices.append([place for _, place in near if _equal(point, given[place], options)])
    return sum(place >= 0 for place in greatest_pairing(choices))


def _group(point: Read) -> object:
    """Equal points are in one group: what is no number must be the same there."""
    return tuple(None if cell.numeric else (cell.kind, cell.key) for cell in point)


def _size(cell: Cell) -> float:
    return cell.number if cell.numeric else 0.0


def _equal(one: Read, other: Read, options: CompareOptions) -> bool:
    return len(one) == len(other) and all(equal(a, b, options) for a, b in zip(one, other, strict=True))


def f1(equal_count: int, gold: int, given: int) -> float:
    """1 where both sides have no point at all."""
    return 2 * equal_count / (gold + given) if gold + given else 1.0
