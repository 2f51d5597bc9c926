"""Choosing between values, and asking whether there is one."""

from __future__ import annotations

from karat.sheet.functions.definition import Example, Function, Parameter
from karat.sheet.functions.operators import equal
from karat.sheet.values import NA, Array, Failure, TableValue, Value, by_text, elements, key_of, many, truth


def _if(condition: Value, then: Value, otherwise: Value = NA) -> Value:
    if condition is NA or isinstance(condition, Failure):
        return condition
    return then if truth(condition, "IF") else otherwise


def _ifna(value: Value, otherwise: Value) -> Value:
    return otherwise if value is NA else value


def _isna(value: Value) -> bool:
    return value is NA


def _in(value: Value, *among: Value) -> Value:
    if value is NA:
        return False
    source = many(among[0]) if len(among) == 1 else Array(among)
    if isinstance(source, TableValue):
        source = Array(elements(source))
    if by_text({type(value)}, source.types):
        return any(equal(value, item) for item in source.items if item is not NA and not isinstance(item, Failure))
    return key_of(value) in source.keys


LOGIC = (
    Function(
        "IF",
        "logic",
        (
            (
                Parameter("condition", "1 or 0"),
                Parameter("then", "the value when it holds", "any", in_step=True),
                Parameter("otherwise", "the value when not, NA if left out", "any", optional=True, in_step=True),
            ),
        ),
        "One of two values. Only the chosen value is computed, so the other one may contain an error.",
        Example('IF(1 < 2, "yes", 1 / 0)', "yes"),
        _if,
        sees_na=True,
        sees_failures=True,
    ),
    Function(
        "IFNA",
        "logic",
        ((Parameter("value", "any value"), Parameter("otherwise", "the value instead of NA", "any", in_step=True)),),
        "The value, or another one where it is NA. An error is not NA and remains an error.",
        Example("IFNA(NA, 0)", 0),
        _ifna,
        sees_na=True,
        sees_failures=True,
    ),
    Function(
        "ISNA",
        "logic",
        ((Parameter("value", "any value"),),),
        "1 when the value is NA.",
        Example("ISNA(NA)", 1),
        _isna,
        sees_na=True,
    ),
    Function(
        "IN",
        "logic",
        (
            (Parameter("value", "what to look for"), Parameter("array", "where to look", "array")),
            (Parameter("value", "what to look for"), Parameter("item", "where to look", repeated=True)),
        ),
        "1 when the value is one of the array's, or one of those listed.",
        Example('"b".IN("a", "b")', 1),
        _in,
        sees_na=True,
    ),
)
