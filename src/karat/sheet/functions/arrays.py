"""Functions over the elements of an array or the rows of a table. In FILTER, SORTBY, UNIQUEBY, MINBY, MAXBY and FIND,
``$`` is the element in question.

Sorting is stable: numbers first, then texts, then empty cells, NA last. What is said here of arrays holds for tables,
whose elements are their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from karat.sheet.functions.definition import Example, Function, Parameter
from karat.sheet.values import (
    NA,
    Array,
    Failure,
    Many,
    TableValue,
    Value,
    Wrong,
    described,
    element,
    elements,
    key_of,
    many,
    number,
    order_of,
    taken,
    truth,
    whole,
)

_SOURCE = Parameter("source", "an array or a table", "array")
_COUNT = Parameter("count", "how many")

# -- queries: for each element something was computed; ``positions`` says for which elements
# ----------------------------

Keys = Sequence[Sequence[Value]]
Flags = Sequence[bool]


def _holding(positions: Sequence[int], keys: Sequence[Value], name: str) -> list[int]:
    """The positions whose condition holds; NA does not hold."""
    return [at for at, key in zip(positions, keys, strict=True) if key is not NA and truth(key, name)]


def _filter(source: Many, positions: Sequence[int], keys: Keys, _: Flags) -> Value:
    return taken(source, _holding(positions, keys[0], "FILTER"))


def _find(source: Many, positions: Sequence[int], keys: Keys, _: Flags) -> Value:
    found = _holding(positions, keys[0], "FIND")
    return element(source, found[0]) if found else NA


def _sortby(source: Many, positions: Sequence[int], keys: Keys, descending: Flags) -> Value:
    return taken(source, sorted_positions(positions, keys, descending))


def sorted_positions(positions: Sequence[int], keys: Keys, descending: Flags) -> list[int]:
    """The positions in the order of their keys, the first key first; NA is last in either direction."""
    order = list(range(len(positions)))
    for values, down in reversed(list(zip(keys, descending, strict=True))):
        for value in values:
            if isinstance(value, Array | TableValue):
                raise Wrong(f"a sort key must be a single value, but was {described(value)}")
        ranks = [order_of(value) for value in values]
        if any(isinstance(value, int | float) for value in values):  # among numbers an empty cell is last but NA
            ranks = [(2, "") if value == "" else rank for value, rank in zip(values, ranks, strict=True)]
        missing = [at for at in order if values[at] is NA]
        known = [at for at in order if values[at] is not NA]
        known.sort(key=ranks.__getitem__, reverse=down)
        order = known + missing
    return [positions[at] for at in order]


def _uniqueby(source: Many, positions: Sequence[int], keys: Keys, _: Flags) -> Value:
    first: dict[object, int] = {}
    for at, *values in zip(positions, *keys, strict=True):
        first.setdefault(tuple(map(key_of, values)), at)
    return taken(source, list(first.values()))


# -- the elements themselves
# --------------------------------------------------------------------------------------------


def _sort(source: Value, order: Value = 1) -> Value:
    found = many(source)
    if isinstance(found, TableValue):
        raise Wrong("SORT cannot order whole rows", "Name the sort key: SORTBY(T, $[field]).")
    return taken(found, sorted_positions(range(len(found)), [found.items], [descends(order, "SORT")]))


def descends(order: Value, name: str) -> bool:
    """Whether an order is the falling one."""
    if order is NA or order == "":
        return False
    found = number(order, name)
    if found not in (1, -1):
        raise Wrong(f"{name} needs 1 (smallest first) or -1 (largest first), but was given {described(order)}")
    return found == -1


def _unique(source: Value) -> Value:
    found = many(source)
    first: dict[object, int] = {}
    for at, item in enumerate(elements(found)):
        first.setdefault(key_of(item), at)
    return taken(found, list(first.values()))


def _index(source: Value, place: Value) -> Value:
    found, at = many(source), whole(place, "INDEX")
    at = at - 1 if at > 0 else len(found) + at
    return element(found, at) if 0 <= at < len(found) else NA


def _first(source: Value, count: Value = None) -> Value:
    if count is None:
        return _index(source, 1)
    found = many(source)
    return taken(found, range(min(_counted(count, "FIRST"), len(found))))


def _last(source: Value, count: Value = None) -> Value:
    if count is None:
        return _index(source, -1)
    found = many(source)
    return taken(found, range(max(0, len(found) - _counted(count, "LAST")), len(found)))


def _counted(count: Value, name: str) -> int:
    found = whole(count, name)
    if found < 0:
        raise Wrong(f"{name} needs a count of 0 or more, but was given {found}")
    return found


def _single(source: Value) -> Value:
    found = many(source)
    return element(found, 0) if len(found) == 1 else NA


def _extreme(*, largest: bool) -> Callable[[Many, Sequence[int], Keys, Flags], Value]:
    def do(source: Many, positions: Sequence[int], keys: Keys, _: Flags) -> Value:
        known = [(order_of(key), at) for at, key in zip(positions, keys[0], strict=True) if key is not NA and key != ""]
        if not known:
            return NA
        best = max(known, key=lambda one: one[0]) if largest else min(known, key=lambda one: one[0])
        return element(source, best[1])

    return do


# -- sets
# ---------------------------------------------------------------------------------------------------------------


def _distinct(source: Value, name: str) -> dict[object, Value]:
    found = many(source)
    if isinstance(found, TableValue):
        raise Wrong(f"{name} needs arrays, but was given a table", "Name one of its fields: T[field].")
    return {key_of(item): item for item in reversed(found.items)}


def _ordered(found: dict[object, Value]) -> list[tuple[object, Value]]:
    return list(reversed(found.items()))


def _union(*sources: Value) -> Value:
    both: dict[object, Value] = {}
    for source in sources:
        for key, item in _ordered(_distinct(source, "UNION")):
            both.setdefault(key, item)
    return Array(list(both.values()))


def _intersect(first: Value, *others: Value) -> Value:
    among = [_distinct(other, "INTERSECT") for other in others]
    kept = [item for key, item in _ordered(_distinct(first, "INTERSECT")) if all(key in other for other in among)]
    return Array(kept)


def _subtract(first: Value, second: Value) -> Value:
    without = _distinct(second, "SUBTRACT")
    return Array([item for key, item in _ordered(_distinct(first, "SUBTRACT")) if key not in without])


_SETS = (Parameter("array", "the first array", "array"), Parameter("other", "the other arrays", "array", repeated=True))


def _intersection(name: str) -> Function:
    summary = "The distinct elements of the first array that are in all the others."
    if name == "INTERSECTION":
        summary = "The same as INTERSECT."
    example = Example(f'{{"a", "b"}}.{name}({{"b", "c"}})', ["b"])
    return Function(name, "arrays", (_SETS,), summary, example, _intersect, gives=1)


ARRAYS = (
    Function(
        "FILTER",
        "arrays",
        ((_SOURCE, Parameter("condition", "which elements to keep; $ is the element", "condition")),),
        "The elements for which the condition is true; NA counts as false.",
        Example("RANGE(5).FILTER($ > 3)", [4, 5]),
        _filter,
        gives=1,
    ),
    Function(
        "FIND",
        "arrays",
        (
            (
                _SOURCE,
                Parameter(
                    "condition",
                    "which element; or, without $, the value, or the values of the table's keys",
                    "condition",
                    repeated=True,
                ),
            ),
        ),
        "The first element for which the condition is true, or NA. T.FIND(k) is the row of T with that key.",
        Example('Fruit.FIND("Pear")[price]', 4, sheet="Fruit"),
        _find,
    ),
    Function(
        "SORT",
        "arrays",
        ((_SOURCE, Parameter("order", "1 for the smallest first, as if left out; -1 for the largest", optional=True)),),
        "The elements in order: numbers, texts, empty cells, NA.",
        Example("{3, 1, 2}.SORT()", [1, 2, 3]),
        _sort,
        gives=1,
    ),
    Function(
        "SORTBY",
        "arrays",
        (
            (
                _SOURCE,
                Parameter(
                    "key",
                    "what to sort by; -key, or -1 as the argument after it, for the largest first",
                    "key",
                    repeated=True,
                ),
            ),
        ),
        "The elements in the order of their keys; SORTBY(x, key1, 1, key2, -1) says the order after each key.",
        Example("Fruit.SORTBY(-$[price])[name]", ["Pear", "Apple", "Lemon"], sheet="Fruit"),
        _sortby,
        gives=1,
    ),
    Function(
        "UNIQUE",
        "arrays",
        ((_SOURCE,),),
        "Each element once, at its first position.",
        Example("{2, 1, 2}.UNIQUE()", [2, 1]),
        _unique,
        gives=1,
    ),
    Function(
        "UNIQUEBY",
        "arrays",
        ((_SOURCE, Parameter("key", "what must differ", "key", repeated=True)),),
        "The first element for each key.",
        Example("Fruit.UNIQUEBY($[kind])[name]", ["Apple", "Lemon"], sheet="Fruit"),
        _uniqueby,
        gives=1,
    ),
    Function(
        "INDEX",
        "arrays",
        ((_SOURCE, Parameter("place", "from 1; -1 is the last")),),
        "The element at a position; NA outside the array.",
        Example('{"a", "b"}.INDEX(2)', "b"),
        _index,
    ),
    Function(
        "FIRST",
        "arrays",
        ((_SOURCE,), (_SOURCE, _COUNT)),
        "The first element, NA if there is none; with a count N the first N, or all if there are fewer.",
        Example("{5, 6, 7}.FIRST(2)", [5, 6]),
        _first,
        array_from=2,
    ),
    Function(
        "LAST",
        "arrays",
        ((_SOURCE,), (_SOURCE, _COUNT)),
        "The last element, NA if there is none; with a count N the last N, in their order.",
        Example("{5, 6}.LAST()", 6),
        _last,
        array_from=2,
    ),
    Function(
        "MINBY",
        "arrays",
        ((_SOURCE, Parameter("key", "what must be smallest; $ is the element", "key")),),
        "The element with the smallest key; NA keys do not count.",
        Example("Fruit.MINBY($[price])[name]", "Lemon", sheet="Fruit"),
        _extreme(largest=False),
    ),
    Function(
        "MAXBY",
        "arrays",
        ((_SOURCE, Parameter("key", "what must be largest; $ is the element", "key")),),
        "The element with the largest key; NA keys do not count.",
        Example("Fruit.MAXBY($[price])[name]", "Pear", sheet="Fruit"),
        _extreme(largest=True),
    ),
    Function(
        "SINGLE",
        "arrays",
        ((_SOURCE,),),
        "The only element; NA if there is none or there are several.",
        Example("{5}.SINGLE()", 5),
        _single,
    ),
    Function(
        "UNION",
        "arrays",
        (_SETS,),
        "The distinct elements of all the arrays.",
        Example("{1, 2}.UNION({2, 3})", [1, 2, 3]),
        _union,
        gives=1,
    ),
    _intersection("INTERSECT"),
    _intersection("INTERSECTION"),
    Function(
        "SUBTRACT",
        "arrays",
        ((Parameter("array", "the first array", "array"), Parameter("other", "what to leave out", "array")),),
        "The distinct elements of the first array that are not in the other.",
        Example("{1, 2, 3}.SUBTRACT({2})", [1, 3]),
        _subtract,
        gives=1,
    ),
)


def first_failure(values: Sequence[Value]) -> Failure | None:
    """The first that failed."""
    return next((value for value in values if isinstance(value, Failure)), None)
