"""Computing queries: what FILTER, FIND, SORTBY and UNIQUEBY look at, and what they make of it.

Every pair of a row and an element is a frame, unless the condition demands an equality between the two: then the
elements are looked up.
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.sheet.compute.broadcast import Level, Shape, leaves, put_back
from karat.sheet.compute.computation import MOST_AT_ONCE, Computation, Frames
from karat.sheet.compute.formulas import field_of
from karat.sheet.functions import FUNCTIONS
from karat.sheet.functions.arrays import first_failure
from karat.sheet.functions.definition import Function
from karat.sheet.plan.nodes import SHEET, Node
from karat.sheet.values import NA, Array, Failure, Many, TableValue, Value, Wrong, by_text, described, element, key_of


def elements(c: Computation, node: Node) -> None:
    """What a query looks at: every element of every innermost array, for every row the query is evaluated in."""
    source = c.values[node.inputs[0]]
    constant = c.constant(node.inputs[0])
    count = c.count(node.place)
    if constant:
        shape, found = leaves(source)
        shapes: list[Shape] = [shape]
        sources: list[Many] = found
        owner: Sequence[int] = range(count)
    else:
        shapes, sources, owners = [], [], []
        for at, one in enumerate(c.lifted(node.inputs[0], node.place)):
            shape, found = leaves(one)
            shapes.append(_moved(shape, len(sources)))
            sources += found
            owners += [at] * len(found)
        owner = owners
    if len(node.inputs) == 3 and len(sources) == 1:
        frames = _looked_up(c, node, sources[0])
        if frames is not None:
            frames.shapes = shapes
            c.frames[node.id] = frames
            return
    pairs = sum(map(len, sources)) * (count if constant else 1)
    if pairs > MOST_AT_ONCE:
        said = f"the query would look at {pairs:,} pairs of a row and an element"
        hint = "Ask for equality where you can ($[key] = [key]): that is looked up."
        c.frames[node.id] = Frames(0, [], failure=Failure(said, hint, node.at, node.origin))
        return
    up: list[int] = []
    source_of: list[int] = []
    positions: list[int] = []
    starts = [0]
    for outer in range(count) if constant else (-1,):
        for number, one in enumerate(sources):
            length = len(one)
            up += [outer if constant else owner[number]] * length
            source_of += [number] * length
            positions += range(length)
            starts.append(len(positions))
    c.frames[node.id] = Frames(len(positions), up, (), None, sources, source_of, positions, starts, shapes)


def _looked_up(c: Computation, node: Node, source: Many) -> Frames | None:
    """Only the pairs that an equality allows; None where a value is not of a kind that can be looked up."""
    if c.constant(node.inputs[1]):  # it could not even be planned
        return None
    inside: Sequence[Value] = c.values[node.inputs[1]]
    outside = c.lifted(node.inputs[2], node.place)
    kinds, others = set(map(type, inside)), set(map(type, outside))
    if len(inside) != len(source) or (kinds | others) & {Array, TableValue, Failure} or by_text(kinds, others):
        return None
    index: dict[object, list[int]] = {}
    for position, one in enumerate(inside):
        if one is not NA:
            index.setdefault(key_of(one), []).append(position)
    up: list[int] = []
    positions: list[int] = []
    starts = [0]
    for at, one in enumerate(outside):
        found = [] if one is NA else index.get(key_of(one), [])
        up += [at] * len(found)
        positions += found
        starts.append(len(positions))
        if len(positions) > MOST_AT_ONCE:
            return None
    return Frames(len(positions), up, (), None, [source], [0] * len(positions), positions, starts)


def element_values(c: Computation, node: Node) -> Sequence[Value]:
    """``$``."""
    frames = c.frames[node.inputs[0]]
    if len(frames.sources) == 1 and isinstance(frames.sources[0], Array):
        items = frames.sources[0].items
        return [items[at] for at in frames.positions]
    return [element(frames.sources[number], at) for number, at in zip(frames.source_of, frames.positions, strict=True)]


def element_field(c: Computation, node: Node) -> Sequence[Value]:
    """``$[name]``."""
    frames = c.frames[node.inputs[0]]
    if len(frames.sources) == 1 and isinstance(frames.sources[0], TableValue):
        try:
            column = frames.sources[0].column(node.detail)
        except Wrong as wrong:
            return [Failure(wrong.message, wrong.hint, node.at, node.origin)] * frames.count
        return [column[at] for at in frames.positions]
    return [c.tried(node, lambda one: field_of(one, node.detail), one) for one in element_values(c, node)]


def query(c: Computation, node: Node) -> object:
    """What the query makes of its elements, now that its conditions or keys are known."""
    name, down = node.detail
    frames = c.frames[node.inputs[0]]
    source = c.values[node.inputs[1]]
    constant = c.constant(node.inputs[1])
    count = c.count(node.place)
    if frames.failure is not None:
        return frames.failure if node.place is SHEET else [frames.failure] * count
    keys = [
        c.values[id] if c.plan.nodes[id].place.maker == node.inputs[0] else _key_outside(c, id, node, frames)
        for id in node.inputs[2:]
    ]
    function = FUNCTIONS[name]
    if name == "SORTBY":
        # A first key may well be the same for all; a later one that is looks like an order that is not written as one.
        for id, key in list(zip(node.inputs[2:], keys, strict=True))[1:]:
            if c.plan.nodes[id].place.maker != node.inputs[0] and not _one_for_each(c, id, node):
                keys = [_not_an_order(node, key) if one is key else one for one in keys]
    results: list[Value] = []
    for number in range(len(frames.starts) - 1):
        start, end = frames.starts[number], frames.starts[number + 1]
        one = frames.sources[number % len(frames.sources)]
        results.append(
            _queried(node, function, one, frames.positions[start:end], [key[start:end] for key in keys], down)
        )
    if node.place is SHEET:
        return source if source is NA else put_back(frames.shapes[0], results, function.gives)
    if not constant:
        own = c.lifted(node.inputs[1], node.place)
        return [
            one if one is NA else put_back(shape, results, function.gives)
            for one, shape in zip(own, frames.shapes, strict=True)
        ]
    if source is NA or isinstance(source, Failure):
        return [source] * count
    each = len(frames.sources)
    return [put_back(frames.shapes[0], results[at * each : (at + 1) * each], function.gives) for at in range(count)]


def _one_for_each(c: Computation, id: int, node: Node) -> bool:
    """Whether a key from outside the query is an array that goes along with the elements."""
    values = [c.values[id]] if c.constant(id) else c.lifted(id, node.place)
    return all(isinstance(value, Array | Failure) for value in values)


def _not_an_order(node: Node, key: Sequence[Value]) -> Sequence[Value]:
    said = "a later key of SORTBY is the same for every element; an order must be written as 1 or -1"
    return [Failure(said, "A field of the element is written $[field].", node.at, node.origin)] * len(key)


def _key_outside(c: Computation, id: int, node: Node, frames: Frames) -> Sequence[Value]:
    """A condition that does not look at ``$``: the same for every element of a row, or an array with one for each."""
    if c.constant(id):
        values = [c.values[id]] * frames.count
    else:
        lifted = c.lifted(id, node.place)
        values = [lifted[at] for at in frames.up or ()]
    if not any(isinstance(value, Array) for value in values):
        return values
    return [
        _of_element(node, value, frames.sources[number], at)
        for value, number, at in zip(values, frames.source_of, frames.positions, strict=True)
    ]


def _of_element(node: Node, value: Value, source: Many, position: int) -> Value:
    """Of an array that goes along with the elements of a query: the one for this element."""
    if not isinstance(value, Array):
        return value
    foreign = bool(value.layout) and bool(source.layout) and value.layout != source.layout
    if len(value) == len(source) and not foreign:
        return value.items[position]
    said = f"{node.detail[0]} needs one value, or one for each of {len(source):,} elements, but was given"
    return Failure(f"{said} {described(value)}", "$ is the element: $[field].", node.at, node.origin)


def _queried(
    node: Node,
    function: Function,
    source: Many,
    positions: Sequence[int],
    keys: list[Sequence[Value]],
    down: Sequence[bool],
) -> Value:
    failed = next((found for key in keys if (found := first_failure(key)) is not None), None)
    if failed is not None:
        return failed
    do = function.do
    assert do is not None  # noqa: S101 (every query has one)
    try:
        return do(source, positions, keys, down)
    except Wrong as wrong:
        return Failure(wrong.message, wrong.hint, node.at, node.origin)


def _moved(shape: Shape, by: int) -> Shape:
    """The shape of one frame, counted among the sources of all."""
    if not by or isinstance(shape, Failure):
        return shape
    if isinstance(shape, int):
        return shape + by
    return Level(shape.layout, [_moved(one, by) for one in shape.inside])
