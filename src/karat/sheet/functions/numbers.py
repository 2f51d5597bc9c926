"""Functions of numbers: over an array, or of single numbers. Those over an array skip NA; with nothing left they give
NA, and SUM gives 0.

NA in place of the whole array is NA. Given several arguments, SUM, AVERAGE, MIN, MAX and MEDIAN are over those, element
by element.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal

from karat.sheet.functions.definition import Example, Form, Function, Parameter
from karat.sheet.values import NA, Array, TableValue, Value, Wrong, many, number, present, whole

_OVER_ONE: Form = (Parameter("array", "the numbers", "array"),)
_OVER_SEVERAL: Form = (
    Parameter("number", "the first number"),
    Parameter("more", "the other numbers", repeated=True),
)

Numbers = Sequence[int | float]


def numbers_in(array: Value, name: str) -> list[int | float]:
    """The numbers of an array, without NA and empty cells."""
    source = many(array)
    if isinstance(source, TableValue):
        raise Wrong(f"{name} needs numbers, but was given a table", "Name one of its fields: T[field].")
    found = present(source.items)
    if all(isinstance(item, int | float) for item in found):
        return found
    return [number(item, name) for item in found if item != ""]


def _aggregate(name: str, summary: str, example: Example, compute: Callable[[Numbers], Value]) -> Function:
    def do(*arguments: Value) -> Value:
        if len(arguments) == 1 and arguments[0] is NA:
            return NA
        given = arguments[0] if len(arguments) == 1 else Array(arguments)
        return compute(numbers_in(given, name))

    return Function(name, "numbers", (_OVER_ONE, _OVER_SEVERAL), summary, example, do, sees_na=True)


def _or_na(compute: Callable[[Numbers], Value]) -> Callable[[Numbers], Value]:
    return lambda found: compute(found) if found else NA


def _sum(found: Numbers) -> int | float:
    return math.fsum(found) if any(isinstance(item, float) for item in found) else sum(found)


def _average(found: Numbers) -> int | float:
    return math.fsum(found) / len(found)


def percentile(found: Numbers, share: float) -> float:
    """The value below which that share of the sorted numbers lies, between two of them in proportion."""
    ordered = sorted(found)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def _percentile(array: Value, share: Value) -> Value:
    at = number(share, "PERCENTILE")
    if not 0 <= at <= 1:
        return NA
    found = numbers_in(array, "PERCENTILE")
    return percentile(found, at) if found else NA


def _stdevs(found: Numbers) -> Value:
    if len(found) < 2:
        return 0 if found else NA
    return statistics.stdev(map(float, found))


def _count(*arguments: Value) -> Value:
    if len(arguments) > 1:
        return len(_filled(arguments))
    given = arguments[0]
    if given is NA:
        return NA
    source = many(given)
    return len(source) if isinstance(source, TableValue) else len(_filled(source.items))


def _filled(items: Iterable[Value]) -> list[Value]:
    return [item for item in present(items) if item != ""]


def rounded(value: Value, digits: Value = 0) -> Value:
    """Halves go away from zero, as on paper; the decimals are those one sees, so 2.675 is 2.68."""
    found, places = number(value, "ROUND"), whole(digits, "ROUND")
    if abs(places) > 300:
        raise Wrong("ROUND needs between -300 and 300 digits")
    result = Decimal(repr(found)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP) if abs(found) < 1e15 else found
    return int(result) if places <= 0 and abs(found) < 1e15 else float(result)


def _range(first: Value, last: Value = None) -> Value:
    start, end = (1, whole(first, "RANGE")) if last is None else (whole(first, "RANGE"), whole(last, "RANGE"))
    if end - start >= 10_000_000:
        raise Wrong(f"RANGE would have {end - start + 1:,} elements; at most 10,000,000 are allowed")
    return Array(list(range(start, end + 1)))


def _between(value: Value, low: Value, high: Value) -> int:
    from karat.sheet.functions.operators import BINARY

    compare = BINARY["<="].do
    assert compare is not None  # noqa: S101 (every operator has one)
    return int(bool(compare(low, value)) and bool(compare(value, high)))


NUMBERS = (
    _aggregate("SUM", "The sum; 0 if there are no values.", Example("SUM({1, 2, NA})", 3), _sum),
    _aggregate(
        "AVERAGE",
        "The mean of one array, or of several single values; NA is skipped; NA if there are no values.",
        Example("AVERAGE(1, NA, 0)", 0.5),
        _or_na(_average),
    ),
    _aggregate("MIN", "The smallest value.", Example("{3, 1, 2}.MIN()", 1), _or_na(min)),
    _aggregate("MAX", "The largest value.", Example("MAX(3, 5)", 5), _or_na(max)),
    _aggregate("MEDIAN", "The median value.", Example("MEDIAN({1, 5, 2, 9})", 3.5), _or_na(statistics.median)),
    Function(
        "STDEVS",
        "numbers",
        (_OVER_ONE,),
        "The standard deviation of a sample (divided by n - 1); 0 for one value, NA for none.",
        Example("STDEVS({2, 4})", 1.4142135623730951),
        lambda array: _stdevs(numbers_in(array, "STDEVS")),
    ),
    Function(
        "PERCENTILE",
        "numbers",
        ((Parameter("array", "the numbers", "array"), Parameter("share", "between 0 and 1")),),
        "The value below which that share of the numbers lies, interpolated; NA for a share outside 0 to 1.",
        Example("PERCENTILE({1, 2, 3, 4}, 0.5)", 2.5),
        _percentile,
    ),
    Function(
        "COUNT",
        "numbers",
        ((Parameter("array", "an array or a table", "array"),), _OVER_SEVERAL),
        "How many values that are neither NA nor empty an array has, or how many rows a table has.",
        Example("COUNT({1, NA, 3})", 2),
        _count,
        sees_na=True,
    ),
    Function(
        "ABS",
        "numbers",
        ((Parameter("number", "any number"),),),
        "The number without its sign.",
        Example("ABS(0 - 5)", 5),
        lambda value: abs(number(value, "ABS")),
    ),
    Function(
        "ROUND",
        "numbers",
        ((Parameter("number", "any number"), Parameter("digits", "decimals to keep, 0 if left out", optional=True)),),
        "The number rounded; halves are rounded away from zero.",
        Example("ROUND(2.675, 2)", 2.68),
        rounded,
    ),
    Function(
        "RANGE",
        "numbers",
        (
            (Parameter("last", "the last number"),),
            (Parameter("first", "the first number"), Parameter("last", "the last number")),
        ),
        "The whole numbers from 1, or from the first, to the last.",
        Example("RANGE(3)", [1, 2, 3]),
        _range,
        gives=1,
    ),
    Function(
        "BETWEEN",
        "numbers",
        (
            (
                Parameter("value", "a number or text"),
                Parameter("low", "the lower end"),
                Parameter("high", "the upper end"),
            ),
        ),
        "1 when the value lies between the ends or on one of them.",
        Example("BETWEEN(2, 1, 2)", 1),
        _between,
    ),
)
