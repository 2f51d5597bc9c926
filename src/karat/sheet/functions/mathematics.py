"""Powers, logarithms, angles, and further figures of an array. Where the result is not a number, it is NA."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable

from karat.sheet.functions.definition import Example, Form, Function, Parameter
from karat.sheet.functions.numbers import Numbers, filled_items, over_numbers, percentile
from karat.sheet.functions.operators import BINARY
from karat.sheet.values import NA, TableValue, Value, Wrong, key_of, many, number, whole

_NUMBER = Parameter("number", "any number")
_ARRAY: Form = (Parameter("array", "the numbers", "array"),)


def _single(name: str, summary: str, example: Example, compute: Callable[[float], float]) -> Function:
    """A function of one number."""

    def do(value: Value) -> Value:
        try:
            return _whole_if(compute(number(value, name)))
        except (ValueError, OverflowError):
            return NA

    return Function(name, "numbers", ((_NUMBER,),), summary, example, do)


def _whole_if(result: float) -> Value:
    return result if math.isfinite(result) else NA


def _power(base: Value, exponent: Value) -> Value:
    do = BINARY["^"].do
    assert do is not None  # noqa: S101 (every operator has one)
    return do(base, exponent)


def _log(value: Value, base: Value = 10) -> Value:
    found, foot = number(value, "LOG"), number(base, "LOG")
    if found <= 0 or foot <= 0 or foot == 1:
        return NA
    if foot in (2, 10):  # exact for powers of these
        return math.log2(found) if foot == 2 else math.log10(found)
    return math.log(found) / math.log(foot)


def _over(name: str, summary: str, example: Example, compute: Callable[[Numbers], Value]) -> Function:
    """A figure of one array; NA where there are no numbers."""
    return Function(name, "numbers", (_ARRAY,), summary, example, lambda array: over_numbers(array, name, compute))


def _geomean(found: Numbers) -> Value:
    if min(found) <= 0:
        return NA if min(found) < 0 else 0
    return math.exp(math.fsum(map(math.log, found)) / len(found))


def _mode(array: Value) -> Value:
    found = filled_items(array, "MODE")
    keys = [key_of(item) for item in found or ()]
    key, times = Counter(keys).most_common(1)[0] if found else (NA, 0)
    return found[keys.index(key)] if found and times > 1 else NA


def _correl(first: Value, second: Value) -> Value:
    pairs = list(zip(_column(first), _column(second), strict=False))
    if len(_column(first)) != len(_column(second)):
        raise Wrong(
            f"CORREL needs arrays of one length, but was given {len(_column(first))} and {len(_column(second))}"
        )
    if any(a is NA or b is NA for a, b in pairs):
        return NA
    known = [(float(number(a, "CORREL")), float(number(b, "CORREL"))) for a, b in pairs if a != "" and b != ""]
    if len(known) < 2:
        return NA
    try:
        return statistics.correlation([a for a, _ in known], [b for _, b in known])
    except statistics.StatisticsError:
        return NA


def _column(array: Value) -> list[Value]:
    source = many(array)
    if isinstance(source, TableValue):
        raise Wrong("CORREL needs numbers, but was given a table", "Name one of its fields: T[field].")
    return list(source.items)


def _exclusive(found: Numbers, share: float) -> Value:
    """The percentile that leaves out both ends: its place is share · (n + 1)."""
    ordered = sorted(found)
    place = share * (len(ordered) + 1) - 1
    if not 0 <= place <= len(ordered) - 1:
        return NA
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def _quartile(name: str, *, exclusive: bool) -> Function:
    def do(array: Value, quarter: Value) -> Value:
        at = -1 if quarter == "" else whole(quarter, name)
        if not 0 <= at <= 4:
            return NA
        return over_numbers(array, name, lambda found: (_exclusive if exclusive else percentile)(found, at / 4))

    ends = ", without the ends" if exclusive else ", 0 for the smallest, 4 for the largest"
    value: int | float = 1.25 if exclusive else 1.75
    summary = f"A quartile of the numbers, interpolated between two of them{'; NA for the ends' if exclusive else ''}."
    form = (
        Parameter("array", "the numbers", "array"),
        Parameter("quarter", f"1 to 3{ends}" if exclusive else f"0 to 4{ends}"),
    )
    return Function(name, "numbers", (form,), summary, Example(f"{name}({{1, 2, 3, 4}}, 1)", value), do)


def _percentile_exc(array: Value, share: Value) -> Value:
    if share == "":
        return NA
    at = float(number(share, "PERCENTILE_EXC"))
    return over_numbers(array, "PERCENTILE_EXC", lambda found: _exclusive(found, at))


MATHEMATICS = (
    Function(
        "POW",
        "numbers",
        ((Parameter("base", "any number"), Parameter("exponent", "any number")),),
        "The same as base ^ exponent.",
        Example("POW(2, 3)", 8),
        _power,
    ),
    Function(
        "LOG",
        "numbers",
        ((Parameter("number", "a number above 0"), Parameter("base", "10 if left out", optional=True)),),
        "The logarithm; NA for numbers that have none.",
        Example("LOG(8, 2)", 3),
        _log,
    ),
    _single("LN", "The natural logarithm.", Example("LN(1)", 0), math.log),
    _single("LOG10", "The logarithm to base 10.", Example("LOG10(1000)", 3), math.log10),
    _single("EXP", "e to this power.", Example("EXP(0)", 1), math.exp),
    _single("SQRT", "The square root; NA for a negative number.", Example("SQRT(9)", 3), math.sqrt),
    _single("FLOOR", "The largest whole number that is not above.", Example("FLOOR(2.7)", 2), math.floor),
    _single("CEIL", "The smallest whole number that is not below.", Example("CEIL(2.2)", 3), math.ceil),
    _single("SIN", "The sine of an angle in radians.", Example("SIN(0)", 0), math.sin),
    _single("COS", "The cosine of an angle in radians.", Example("COS(0)", 1), math.cos),
    _single("TAN", "The tangent of an angle in radians.", Example("TAN(0)", 0), math.tan),
    _single("ASIN", "The angle whose sine this is; NA outside -1 to 1.", Example("ASIN(0)", 0), math.asin),
    _single("ACOS", "The angle whose cosine this is; NA outside -1 to 1.", Example("ACOS(1)", 0), math.acos),
    _single("ATAN", "The angle whose tangent this is.", Example("ATAN(0)", 0), math.atan),
    _over(
        "STDEVP",
        "The standard deviation of a whole population (divided by n).",
        Example("STDEVP({2, 4})", 1),
        lambda found: statistics.pstdev(map(float, found)),
    ),
    _over("GEOMEAN", "The geometric mean; NA if a number is below 0.", Example("GEOMEAN({2, 8})", 4), _geomean),
    Function(
        "MODE",
        "numbers",
        ((Parameter("array", "numbers or texts", "array"),),),
        "The most frequent value, of several the first; NA if none occurs twice.",
        Example("MODE({1, 2, 2})", 2),
        _mode,
    ),
    Function("PI", "numbers", ((),), "The number π.", Example("PI()", math.pi), lambda: math.pi),
    Function(
        "CORREL",
        "numbers",
        ((Parameter("first", "numbers", "array"), Parameter("second", "numbers, as many", "array")),),
        "Pearson's correlation of two arrays; pairs with an empty cell are left out; NA for fewer than two pairs.",
        Example("CORREL({1, 2, 3}, {2, 4, 6})", 1),
        _correl,
    ),
    Function(
        "PERCENTILE_EXC",
        "numbers",
        ((Parameter("array", "the numbers", "array"), Parameter("share", "between 0 and 1, without the ends")),),
        "The percentile that leaves out both ends; NA where it would lie beyond them.",
        Example("PERCENTILE_EXC({1, 2, 3}, 0.5)", 2),
        _percentile_exc,
    ),
    _quartile("QUARTILE", exclusive=False),
    _quartile("QUARTILE_EXC", exclusive=True),
)
