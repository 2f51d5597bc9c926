"""Broadcasting: call a function once per element when an argument has more dimensions than the function takes.

A function of a single value that is given a column is called for each element; a function of an array that is given a
column of arrays, for each array: it works on the innermost dimension. Two columns of the same rows go in step, one of
no rows in particular goes in step with one of the same length, and so do columns of two tables of the same length;
columns of different lengths do not mix.

All the single calls of one node are collected first and made together, so that RETRIEVE sees the whole column of
questions at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from karat.sheet.functions.definition import Form, Function, Parameter
from karat.sheet.values import NA, Array, Failure, NotAvailable, TableValue, Value, Wrong, depth

if TYPE_CHECKING:
    from karat.sheet.compute.resources import Resources
    from karat.sheet.plan.nodes import Node

Call = tuple[Value, ...]


class Level:
    """Where the results of some calls belong: in an array of this layout."""

    __slots__ = ("inside", "layout")

    def __init__(self, layout: str, inside: Sequence[Shape]) -> None:
        self.layout = layout
        self.inside = inside


Shape = int | Failure | Level
"""The number of a call, a mistake, or an array of shapes."""


def excess(value: Value, parameter: Parameter) -> int:
    """How many dimensions the value has beyond what is asked for. A table is never taken apart: a function says what it
    wants instead."""
    return 0 if parameter.takes == "any" or isinstance(value, TableValue) else depth(value) - parameter.depth


def call_all(
    function: Function, form: Form, calls: Sequence[Call], node: Node, resources: Resources, *, spread: bool = True
) -> list[Value]:
    """The results of the calls, one for each; each call is broadcast over its extra dimensions."""
    if not spread:
        return _done(function, calls, node, resources)
    single: list[Call] = []
    shapes = [_spread(call, form, single, node) for call in calls]
    results = _done(function, single, node, resources)
    gives = 1 if function.array_from and len(form) >= function.array_from else function.gives
    return [_rebuilt(shape, results, gives) for shape in shapes]


def _spread(call: Call, form: Form, single: list[Call], node: Node) -> Shape:
    over = [excess(value, parameter) for value, parameter in zip(call, form, strict=True)]
    most = max(over, default=0)
    if most <= 0:
        single.append(call)
        return len(single) - 1
    leading = [value for value, own in zip(call, over, strict=True) if own == most and isinstance(value, Array)]
    layouts = {value.layout for value in leading if value.layout}
    layout = layouts.pop() if len(layouts) == 1 else ""  # of two tables: nobody's rows
    moved = [
        _goes_along(value, own, most, layout, form[at]) for at, (value, own) in enumerate(zip(call, over, strict=True))
    ]
    moving = [value for value, along in zip(call, moved, strict=True) if along]
    wrong = _mismatch(moving)
    if wrong is not None:
        return Failure(wrong.message, wrong.hint, node.at, node.origin)
    length = len(moving[0])
    columns = [value.items if along else [value] * length for value, along in zip(call, moved, strict=True)]
    if most == 1:
        start = len(single)
        single.extend(zip(*columns, strict=True))
        return Level(layout, range(start, start + length))
    return Level(layout, [_spread(one, form, single, node) for one in zip(*columns, strict=True)])


def _goes_along(value: Value, own: int, most: int, layout: str, parameter: Parameter) -> bool:
    if not isinstance(value, Array):
        return False
    if own == most:
        return True
    return bool(layout) and value.layout == layout and (own > 0 or parameter.in_step)


def _mismatch(moving: Sequence[Array]) -> Wrong | None:
    layouts = sorted({value.layout for value in moving if value.layout})
    lengths = sorted({len(value) for value in moving})
    if len(layouts) > 1 and len(lengths) > 1:
        tables = " and ".join(layout.removesuffix(APPLIED) for layout in layouts)
        return Wrong(
            f"columns of {tables} cannot be combined row by row",
            "Find the row that belongs to each: T.FIND(key)[field].",
        )
    if len(lengths) > 1:
        return Wrong(f"arrays of {lengths[0]:,} and of {lengths[-1]:,} cannot be combined element by element")
    return None


APPLIED = " (applied)"
"""Marks the layout of a table's rows after what is applied to them: not the rows its own formulas see."""


def _rebuilt(shape: Shape, results: Sequence[Value], gives: int) -> Value:
    if isinstance(shape, int):
        return results[shape]
    if isinstance(shape, Failure):
        return shape
    if isinstance(shape.inside, range):
        return Array(results[shape.inside.start : shape.inside.stop], shape.layout, 1 + gives)
    items = [_rebuilt(one, results, gives) for one in shape.inside]
    deeper = any(isinstance(one, Level) for one in shape.inside)
    return Array(items, shape.layout, 1 + gives + deeper)


# -- single calls
# -------------------------------------------------------------------------------------------------------


def _done(function: Function, calls: Sequence[Call], node: Node, resources: Resources) -> list[Value]:
    """Every call with what it asked for. NA and failures among the arguments are the result, unless the function looks
    at them itself."""
    stops = _stops(function, calls)
    if function.do_all is not None:
        results: list[Value] = [NA] * len(calls)
        going = [at for at in range(len(calls)) if at not in stops]
        found = function.do_all([calls[at] for at in going], resources) if going else []
        for at, value in zip(going, found, strict=True):
            results[at] = _placed(value, node) if isinstance(value, Failure) else value
    else:
        results = _each(function, calls, stops, node)
    for at, value in stops.items():
        results[at] = value
    return results


def _each(function: Function, calls: Sequence[Call], stops: dict[int, Value], node: Node) -> list[Value]:
    do = function.do
    assert do is not None  # noqa: S101 (a function has one of the two; the plan deals with the others)
    results: list[Value] = []
    add = results.append
    for at, call in enumerate(calls):
        if stops and at in stops:
            add(NA)
            continue
        try:
            add(do(*call))
        except Wrong as wrong:
            add(Failure(wrong.message, wrong.hint, node.at, node.origin))
    return results


def _placed(failure: Failure, node: Node) -> Failure:
    if failure.at.line or not node.at.line:
        return failure
    return Failure(failure.message, failure.hint, node.at, node.origin)


def _stops(function: Function, calls: Sequence[Call]) -> dict[int, Value]:
    """The calls that need not be done, with their results."""
    kinds = set(map(type, chain.from_iterable(calls)))
    looks = not function.sees_failures and (Failure in kinds or Array in kinds)
    skips = not function.sees_na and NotAvailable in kinds
    if not looks and not skips:
        return {}
    stops: dict[int, Value] = {}
    for at, call in enumerate(calls):
        if looks:
            failed = next((found for value in call if (found := _failure_in(value)) is not None), None)
            if failed is not None:
                stops[at] = failed
                continue
        if skips and NA in call:
            stops[at] = NA
    return stops


def _failure_in(value: Value) -> Failure | None:
    if isinstance(value, Failure):
        return value
    return value.failure if isinstance(value, Array) else None


def leaves(value: Value) -> tuple[Shape, list[Array | TableValue]]:
    """The innermost arrays of a value (a table is one, a single value too), and how to put their results in its
    form."""
    found: list[Array | TableValue] = []
    shape = _leaf_shape(value, found)
    return shape, found


def _leaf_shape(value: Value, found: list[Array | TableValue]) -> Shape:
    if isinstance(value, Array) and value.depth > 1:
        return Level(value.layout, [_leaf_shape(item, found) for item in value.items])
    if isinstance(value, Failure):
        return value
    found.append(value if isinstance(value, Array | TableValue) else Array([value]))
    return len(found) - 1


def put_back(shape: Shape, results: Sequence[Value], gives: int) -> Value:
    """The results for the innermost arrays in the form of the value they came from."""
    return _rebuilt(shape, results, gives)
