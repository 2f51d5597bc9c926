"""The operators, as functions of single values.

NA goes through all of them. ``0 AND anything`` is 0 and ``1 OR anything`` is 1 also where the other side failed, so
that a condition can guard the next one. In arithmetic a text that reads as a number is that number, and an empty one
is 0; a comparison of a text with a number compares texts, and an empty text is neither smaller nor larger than a
number. A date plus or minus days is a date.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from karat.sheet.functions.definition import Example, Function, Parameter
from karat.sheet.scalars import Date
from karat.sheet.values import LONGEST_TEXT, NA, Array, Failure, Value, Wrong, described, key_of, number, text, truth

_LARGEST = 2**63


def _sized(result: int | float) -> int | float:
    """Whole numbers stay whole as far as 64 bits go; beyond that they are floats, and beyond those a mistake."""
    if isinstance(result, int) and not -_LARGEST <= result < _LARGEST:
        result = float(result)
    if isinstance(result, float) and not math.isfinite(result):
        raise Wrong("the result is too large for a number")
    return result


def _arithmetic(sign: str, compute: Callable[[int | float, int | float], Value]) -> Callable[[Value, Value], Value]:
    def do(left: Value, right: Value) -> Value:
        if isinstance(left, str) or isinstance(right, str):
            left, right = number(left, sign), number(right, sign)
        try:
            result = compute(left, right)
        except TypeError:
            number(left, sign), number(right, sign)
            raise
        except OverflowError:
            raise Wrong("the result is too large for a number") from None
        return result if result is NA else _dated(sign, left, right, _sized(result))

    return do


def _dated(sign: str, left: Value, right: Value, result: int | float) -> int | float:
    """A date plus or minus a number of days is a date; so is what is left of one after MOD."""
    one, other = isinstance(left, Date), isinstance(right, Date)
    if (one != other and sign == "+") or (one and not other and sign in ("-", "MOD")):
        return Date(result)
    return result


def _checked(sign: str, compute: Callable[[int | float, int | float], Value]) -> Callable[[Value, Value], Value]:
    """For signs that Python also has for texts."""

    def do(left: Value, right: Value) -> Value:
        try:
            result = compute(number(left, sign), number(right, sign))
        except OverflowError:
            raise Wrong("the result is too large for a number") from None
        return result if result is NA else _dated(sign, left, right, _sized(result))

    return do


def _divide(left: int | float, right: int | float) -> Value:
    if right == 0:
        return NA
    result = left / right
    return int(result) if isinstance(left, int) and isinstance(right, int) and left % right == 0 else result


def _mod(left: int | float, right: int | float) -> Value:
    if right == 0:
        return NA
    return left % right


def power(left: int | float, right: int | float) -> Value:
    """``left ^ right``; NA where that is not a number."""
    if (left == 0 and right < 0) or (left < 0 and not float(right).is_integer()):
        return NA
    if isinstance(left, int) and isinstance(right, int) and right >= 0 and left.bit_length() * right <= 128:
        return int(left**right)
    return math.pow(left, right)


def _join(left: Value, right: Value) -> str:
    joined = text(left, "&") + text(right, "&")
    if len(joined) > LONGEST_TEXT:
        raise Wrong(f"the text would be longer than {LONGEST_TEXT:,} characters")
    return joined


def equal(left: Value, right: Value) -> bool:
    """Whether two values are the same; a text is the number, the date or the TRUE that is written just so."""
    if not (isinstance(left, int | float | str) and isinstance(right, int | float | str)):
        return key_of(left) == key_of(right)
    if isinstance(left, str) is not isinstance(right, str):
        return text(left, "=") == text(right, "=")
    return bool(left == right)


def _compare(sign: str, compute: Callable[[Value, Value], bool]) -> Callable[[Value, Value], bool]:
    def do(left: Value, right: Value) -> bool:
        if not (isinstance(left, int | float | str) and isinstance(right, int | float | str)):
            hint = "Numbers and texts can be ordered; = and <> work for all values."
            raise Wrong(f"{sign} cannot compare {described(left)} and {described(right)}", hint)
        if isinstance(left, str) is not isinstance(right, str):
            if left == "" or right == "":
                return False
            left, right = text(left, sign), text(right, sign)
        return compute(left, right)

    return do


def _and(left: Value, right: Value) -> Value:
    return _logical(left, right, "AND", decides=False)


def _or(left: Value, right: Value) -> Value:
    return _logical(left, right, "OR", decides=True)


def _logical(left: Value, right: Value, name: str, *, decides: bool) -> Value:
    if left is NA or right is NA:
        return NA
    known = [truth(value, name) for value in (left, right) if not isinstance(value, Failure)]
    if decides in known:
        return decides
    failed = next((value for value in (left, right) if isinstance(value, Failure)), None)
    return not decides if failed is None else failed


def _negative(value: Value) -> Value:
    return NA if isinstance(value, Date) else -number(value, "-")


def _not(value: Value) -> Value:
    return value != "" and not truth(value, "NOT")


_TWO = (Parameter("left", "the left side"), Parameter("right", "the right side"))
_ONE = (Parameter("value", "the value"),)
_NONE = Example("1", 1)


def _binary(sign: str, do: Callable[[Value, Value], Value], *, logical: bool = False) -> Function:
    return Function(sign, "operators", (_TWO,), "", _NONE, do, sees_na=logical, sees_failures=logical, kind="Formula")


BINARY: dict[str, Function] = {
    function.name: function
    for function in (
        _binary("+", _checked("+", lambda a, b: a + b)),
        _binary("-", _arithmetic("-", lambda a, b: a - b)),
        _binary("*", _checked("*", lambda a, b: a * b)),
        _binary("/", _arithmetic("/", _divide)),
        _binary("MOD", _checked("MOD", _mod)),
        _binary("^", _checked("^", power)),
        _binary("&", _join),
        _binary("=", equal),
        _binary("<>", lambda a, b: not equal(a, b)),
        _binary("<", _compare("<", lambda a, b: a < b)),
        _binary(">", _compare(">", lambda a, b: a > b)),
        _binary("<=", _compare("<=", lambda a, b: a <= b)),
        _binary(">=", _compare(">=", lambda a, b: a >= b)),
        _binary("AND", _and, logical=True),
        _binary("OR", _or, logical=True),
    )
}

UNARY: dict[str, Function] = {
    "-": Function("-", "operators", (_ONE,), "", _NONE, _negative, kind="Formula"),
    "NOT": Function("NOT", "operators", (_ONE,), "", _NONE, _not, kind="Formula"),
}


def _array(*items: Value) -> Array:
    return Array(list(items))


ARRAY = Function(
    "{}",
    "operators",
    ((Parameter("item", "an element", "any", optional=True, repeated=True),),),
    "",
    _NONE,
    _array,
    sees_na=True,
    sees_failures=True,
    gives=1,
    kind="Array",
)
"""``{a, b}``: the values as they are."""
