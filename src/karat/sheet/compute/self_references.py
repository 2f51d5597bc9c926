"""Typed cells that read other rows of their own column: ``Plan(1)[cost] + 1`` in the second row.

Cells are computed in rounds. A cell that nobody knows yet is a failure that is ``pending``, and so is what reads it;
each round makes known what reads only known cells. When a round makes nothing known, the cells that are left need each
other, and say so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from karat.sheet.compute.computation import Computation
from karat.sheet.evaluation_table import reference_text
from karat.sheet.plan.nodes import Node
from karat.sheet.values import Failure, Value

Again = Callable[[Computation, Node], object]

MOST_CELLS_SHOWN = 6


def feedback(c: Computation, node: Node) -> Sequence[Value]:
    """A field as far as it is known: at first nothing."""
    if node.id not in c.fed:
        c.fed[node.id] = [_pending(node, row) for row in range(c.frames[node.inputs[0]].count)]
    return c.fed[node.id]


def settle(c: Computation, field: Node, again: Again) -> None:
    """Compute a field again, with what depends on it, until nothing new becomes known."""
    source = c.plan.nodes[c.plan.loops[field.id]]
    concerned = _between(c, source.id, field.id)
    makers = {node.id for node in concerned}
    before: int | None = None
    while True:
        cells: Sequence[Value] = c.values[field.id]
        left = {row: cell for row, cell in enumerate(cells) if isinstance(cell, Failure) and cell.pending is not None}
        stuck = len(left) == before
        known = _without_circles(cells, left, source) if stuck else list(cells)
        waiting = {} if stuck else left
        c.fed[source.id] = [_pending(source, row) if row in waiting else cell for row, cell in enumerate(known)]
        c.values[source.id] = c.fed[source.id]
        c.forget_ways(makers)
        for node in concerned:
            c.values[node.id] = again(c, node)
            if node.id in c.plan.loops and node is not field:
                settle(c, node, again)
        if stuck or not left:
            c.values[field.id] = known
            return
        before = len(left)


def _pending(source: Node, row: int) -> Failure:
    return Failure("not known yet", "", source.at, source.origin, row)


def _between(c: Computation, first: int, last: int) -> list[Node]:
    """The nodes that depend on the first, up to the last."""
    reached = {first}
    found = []
    for node in c.plan.nodes[first + 1 : last + 1]:
        within = node.place.maker in reached
        if within or any(id in reached for id in node.inputs):
            reached.add(node.id)
            found.append(node)
    return found


def _without_circles(cells: Sequence[Value], left: Mapping[int, Failure], source: Node) -> list[Value]:
    """The cells with a mistake in place of those that need each other, or a cell that does. A cell that waits for
    another field, which is being computed around this one, goes on waiting."""
    known = list(cells)
    for row in left:
        way, at = [row], left[row]
        while at.origin == source.origin and at.pending is not None and at.pending not in way:
            way.append(at.pending)
            at = left[at.pending]
        if at.origin != source.origin or at.pending is None:
            known[row] = at
            continue
        circle = way[way.index(at.pending) :]
        name = reference_text(*source.origin)
        shown = [f"{name} in row {one + 1}" for one in (*circle[:MOST_CELLS_SHOWN], circle[0])]
        said = f"these cells depend on each other: {' → '.join(shown)}"
        if len(circle) == 1:
            said = f"{shown[0]} depends on itself"
        known[row] = Failure(said, "One of them must be computed without the others.", source.at, source.origin)
    return known
