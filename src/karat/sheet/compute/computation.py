"""The state of a computation: the value of every node so far, and how many frames there are at each place.

A node whose place is the sheet has one value; at any other place it has a list, one value for each frame: each row, or
each element that a query looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from karat.sheet.compute.broadcast import Shape
from karat.sheet.compute.resources import Resources
from karat.sheet.plan.nodes import SHEET, Node, Place, Plan
from karat.sheet.text.tree import Sheet
from karat.sheet.values import NA, Array, Failure, Many, Value, Wrong

MOST_AT_ONCE = 10_000_000
"""Rows of a table, or pairs of a row and an element that a query would look at."""


@dataclass
class Frames:
    """What there is at a place: how many, and for each the one outside it."""

    count: int
    up: Sequence[int] | None = None
    """None: there is nothing outside but the sheet."""
    values: Sequence[Value] = ()
    """Of a dim: its value in each row."""
    failure: Failure | None = None
    sources: Sequence[Many] = ()
    """Of a query: the innermost arrays it looks into."""
    source_of: Sequence[int] = ()
    positions: Sequence[int] = ()
    """For each frame: which of the sources, and which element of it."""
    starts: Sequence[int] = ()
    """For each source the number of its first frame; one more at the end."""
    shapes: Sequence[Shape] = ()
    """For each frame outside: how the results for its sources are put together."""


class Computation:
    """The values of the nodes of a plan."""

    def __init__(self, plan: Plan, sheet: Sheet, resources: Resources) -> None:
        self.plan = plan
        self.resources = resources
        self.tables = {table.name: table for table in sheet.tables}
        self.values: list[Value] = []
        self.frames: dict[int, Frames] = {}
        self.unmatched: dict[int, list[tuple[str, int, str]]] = {}
        """Rows of overrides that belong nowhere, as (table, line, why), for each node that looked for theirs. A node
        that is computed in rounds finds some of them only in a later round."""
        self.fed: dict[int, Sequence[Value]] = {}
        """What is known so far of fields whose typed cells read other rows of the same field."""
        self._lifts: dict[tuple[int, int], Sequence[int]] = {}

    def count(self, place: Place) -> int:
        """How many frames there are."""
        return 1 if place is SHEET else self.frames[place.maker].count

    def constant(self, id: int) -> bool:
        """Whether a node has one value for the whole sheet."""
        return self.plan.nodes[id].place is SHEET

    def lifted(self, id: int, place: Place) -> Sequence[Value]:
        """A node's values at a place further in, one for each frame there."""
        node, value = self.plan.nodes[id], self.values[id]
        if node.place is SHEET:
            return [value] * self.frames[place.maker].count
        if node.place is place:
            return value  # type: ignore[no-any-return]  # a list at any place but the sheet
        return [value[at] for at in self.way(place, node.place)]

    def way(self, place: Place, outer: Place) -> Sequence[int]:
        """For each frame of a place the frame of an outer one."""
        key = (place.maker, outer.maker)
        if key not in self._lifts:
            way = self.frames[place.maker].up or range(self.frames[place.maker].count)
            step = place.parent
            while step is not None and step is not outer:
                up = self.frames[step.maker].up
                way = way if up is None else [up[at] for at in way]
                step = step.parent
            self._lifts[key] = way
        return self._lifts[key]

    def forget_ways(self, makers: Collection[int]) -> None:
        """These places are about to be made again."""
        self._lifts = {key: way for key, way in self._lifts.items() if key[0] not in makers and key[1] not in makers}

    def rows_around(self, place: Place) -> Place | None:
        """The rows of the own table that a place lies in."""
        while place is not SHEET and not place.table:
            if place.parent is None:
                return None
            place = place.parent
        return None if place is SHEET else place

    def stepped(self, value: Array, rows: Place, place: Place) -> Sequence[Value]:
        """A column of the own table beside the current row: the element of that row."""
        return value.items if rows is place else [value.items[at] for at in self.way(place, rows)]

    def each(self, node: Node, id: int, do: Callable[[Value], Value]) -> object:
        """One input, and something done to each of its values."""
        if self.plan.nodes[id].place is SHEET:
            return self.tried(node, do, self.values[id])
        return [self.tried(node, do, value) for value in self.values[id]]

    def tried(self, node: Node, do: Callable[[Value], Value], value: Value) -> Value:
        if value is NA or isinstance(value, Failure):
            return value
        try:
            return do(value)
        except Wrong as wrong:
            return Failure(wrong.message, wrong.hint, node.at, node.origin)
