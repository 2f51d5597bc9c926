"""The operators, as functions of single values.

NA goes through all of them, with one exception: ``0 AND anything`` is 0 and ``1 OR anything`` is 1, so that a condition
can guard the next one. A text and a number are never equal, and have no order.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from karat.sheet.functions.definition import Example, Function, Parameter
from karat.sheet.values import LONGEST_TEXT, NA, Array, Failure, Value, Wrong, described, key_of, number, text, truth

_LARGEST = 2**63


def _sized(result: int | float) -> int | float:
    """Whole numbers stay whole as far as 64 bits go; beyond that they are floats, and beyond those a mistake."""
    if isinstance(result, int) and not -_LARGEST <= result < _LARGEST:
        result = float(result)
    if isinstance(result, float) and not math.isfinite(result):
        raise Wrong("the result is too large for a number")
    return result


def _arithmetic(
    sign: str, compute: Callable[[int | float, int | float], int | float]
) -> Callable[[Value, Value], Value]:
    def do(left: Value, right: Value) -> Value:
        try:
            return _sized(compute(left, right))
        except TypeError:
            number(left, sign), number(right, sign)
            raise
        except OverflowError:
            raise Wrong("the result is too large for a number") from None

    return do


def _checked(sign: str, compute: Callable[[int | float, int | float], int | float]) -> Callable[[Value, Value], Value]:
    """For signs that Python also has for texts."""

    def do(left: Value, right: Value) -> Value:
        try:
            return _sized(compute(number(left, sign), number(right, sign)))
        except OverflowError:
            raise Wrong("the result is too large for a number") from None

    return do


def _divide(left: int | float, right: int | float) -> int | float:
    if right == 0:
        raise Wrong("division by zero", "Guard it: IF(x = 0, NA, y / x).")
    result = left / right
    return int(result) if isinstance(left, int) and isinstance(right, int) and left % right == 0 else result


def _mod(left: int | float, right: int | float) -> int | float:
    if right == 0:
        raise Wrong("MOD by zero", "Guard it: IF(x = 0, NA, y MOD x).")
    return left % right


def _power(left: int | float, right: int | float) -> int | float:
    if left == 0 and right < 0:
        raise Wrong("0 to a negative power is a division by zero")
    if left < 0 and not float(right).is_integer():
        raise Wrong("a negative number to a fractional power is not a number")
    if isinstance(left, int) and isinstance(right, int) and right >= 0 and left.bit_length() * right <= 128:
        return int(left**right)
    return math.pow(left, right)


def _join(left: Value, right: Value) -> str:
    joined = text(left, "&") + text(right, "&")
    if len(joined) > LONGEST_TEXT:
        raise Wrong(f"the text would be longer than {LONGEST_TEXT:,} characters")
    return joined


def equal(left: Value, right: Value) -> bool:
    """Whether two values are the same; a text and a number never are."""
    return bool(left == right) if isinstance(left, int | float | str) else key_of(left) == key_of(right)


def _compare(sign: str, compute: Callable[[Value, Value], bool]) -> Callable[[Value, Value], int]:
    def do(left: Value, right: Value) -> int:
        words = isinstance(left, str) + isinstance(right, str)
        if words == 1 or (words == 0 and not (isinstance(left, int | float) and isinstance(right, int | float))):
            hint = "Only two numbers or two texts can be ordered; = and <> work for all values."
            raise Wrong(f"{sign} cannot compare {described(left)} and {described(right)}", hint)
        return 1 if compute(left, right) else 0

    return do


def _and(left: Value, right: Value) -> Value:
    return _logical(left, right, "AND", decides=False)


def _or(left: Value, right: Value) -> Value:
    return _logical(left, right, "OR", decides=True)


def _logical(left: Value, right: Value, name: str, *, decides: bool) -> Value:
    known = [truth(value, name) for value in (left, right) if value is not NA and not isinstance(value, Failure)]
    if decides in known:
        return int(decides)
    failed = next((value for value in (left, right) if isinstance(value, Failure)), None)
    if failed is not None:
        return failed
    return NA if len(known) < 2 else int(not decides)


def _negative(value: Value) -> Value:
    return -number(value, "-")


def _not(value: Value) -> Value:
    return 0 if truth(value, "NOT") else 1


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
        _binary("^", _checked("^", _power)),
        _binary("&", _join),
        _binary("=", lambda a, b: 1 if equal(a, b) else 0),
        _binary("<>", lambda a, b: 0 if equal(a, b) else 1),
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
