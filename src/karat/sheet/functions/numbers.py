"""Functions of numbers: over an array, or of single numbers. Those over an array skip empty cells; an NA among the
elements is their result, as it is of ``+``. Without numbers they give NA, and SUM gives 0. COUNT counts NA.

NA in place of the whole array is NA. Given several arguments, SUM, AVERAGE, MIN, MAX and MEDIAN are over those, element
by element.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal

from karat.sheet.functions.definition import Example, Form, Function, Parameter
from karat.sheet.values import NA, Array, NotAvailable, TableValue, Value, Wrong, many, number, whole

_OVER_ONE: Form = (Parameter("array", "the numbers", "array"),)
_OVER_SEVERAL: Form = (
    Parameter("number", "the first number"),
    Parameter("more", "the other numbers", repeated=True),
)

Numbers = Sequence[int | float]


def filled_items(array: Value, name: str) -> list[Value] | None:
    """The elements of an array without empty cells; None where one of them is NA."""
    source = many(array)
    if isinstance(source, TableValue):
        raise Wrong(f"{name} needs numbers, but was given a table", "Name one of its fields: T[field].")
    return None if NotAvailable in source.types else [item for item in source.items if item != ""]


def over_numbers(array: Value, name: str, compute: Callable[[Numbers], Value]) -> Value:
    """What is computed of the numbers of an array; NA where one of them is, or where there are none."""
    found = filled_items(array, name)
    if not found:
        return NA
    return compute(_numbers(found, name))


def _numbers(items: list[Value], name: str) -> list[int | float]:
    return items if all(isinstance(item, int | float) for item in items) else [number(item, name) for item in items]


def _aggregate(
    name: str,
    summary: str,
    example: Example,
    compute: Callable[[Numbers], Value],
    *,
    of_none: Value = NA,
    texts: bool = False,
) -> Function:
    """``texts``: texts have a smallest and a largest too, where there are no numbers among them."""

    def do(*arguments: Value) -> Value:
        given = arguments[0] if len(arguments) == 1 else Array(arguments)
        found = None if given is NA else filled_items(given, name)
        if not found:
            return NA if found is None else of_none
        if texts and all(isinstance(item, str) for item in found):
            return compute(found)
        return compute(_numbers(found, name))

    return Function(name, "numbers", (_OVER_ONE, _OVER_SEVERAL), summary, example, do, sees_na=True)


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
    at = -1 if share == "" else number(share, "PERCENTILE")
    if not 0 <= at <= 1:
        return NA
    return over_numbers(array, "PERCENTILE", lambda found: percentile(found, at))


def _stdevs(found: Numbers) -> Value:
    return statistics.stdev(map(float, found)) if len(found) > 1 else 0


def _count(*arguments: Value) -> Value:
    if len(arguments) > 1:
        return len(_filled(arguments))
    given = arguments[0]
    if given is NA:
        return NA
    source = many(given)
    return len(source) if isinstance(source, TableValue) else len(_filled(source.items))


def _filled(items: Iterable[Value]) -> list[Value]:
    return [item for item in items if item is NA or item != ""]


_MANY_DIGITS = Context(prec=700)
"""Enough for the largest float with as many decimals as ROUND takes."""
_LARGEST_WHOLE = 2**63


def rounded(value: Value, digits: Value = 0) -> Value:
    """Halves go away from zero, as on paper; the decimals are those one sees, so 2.675 is 2.68."""
    found, places = number(value, "ROUND"), whole(digits, "ROUND")
    if abs(places) > 300:
        raise Wrong("ROUND needs between -300 and 300 digits")
    exact = Decimal(repr(found)) if isinstance(found, float) else Decimal(int(found))
    result = exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, _MANY_DIGITS)
    return int(result) if places <= 0 and abs(result) < _LARGEST_WHOLE else float(result)


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
    _aggregate(
        "SUM", "The sum; 0 if there are no values, NA if one is NA.", Example("SUM({1, 2, 4})", 7), _sum, of_none=0
    ),
    _aggregate(
        "AVERAGE",
        "The mean of one array, or of several single values; empty cells are skipped; NA if one is NA.",
        Example("AVERAGE(1, 0)", 0.5),
        _average,
    ),
    _aggregate("MIN", "The smallest number, or the first text.", Example("{3, 1, 2}.MIN()", 1), min, texts=True),
    _aggregate("MAX", "The largest number, or the last text.", Example("MAX(3, 5)", 5), max, texts=True),
    _aggregate("MEDIAN", "The median value.", Example("MEDIAN({1, 5, 2, 9})", 3.5), statistics.median),
    Function(
        "STDEVS",
        "numbers",
        (_OVER_ONE,),
        "The standard deviation of a sample (divided by n - 1); 0 for one value, NA for none.",
        Example("STDEVS({2, 4})", 1.4142135623730951),
        lambda array: over_numbers(array, "STDEVS", _stdevs),
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
        "How many values an array has, without empty cells, or how many rows a table has. NA counts.",
        Example('COUNT({1, "", NA})', 2),
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
