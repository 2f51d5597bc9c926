"""Constants of the code: what names, sums and f-strings come to when nothing but constants goes in."""

from __future__ import annotations

import ast
import datetime
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any  # Any: constants of the code that is read; operators fail where their types do not fit

from karat.suites.codegen.analysis.reader.values import MISSING, Value

_LONGEST = 10_000
_MOST_PARTS = 200
_FIELD = re.compile(r"\{([A-Za-z_]\w*|\d*)\}")
_BRACES = re.compile(r"[{}]")
_TEXT_METHODS = frozenset({"lower", "upper", "title", "strip", "capitalize", "casefold", "lstrip", "rstrip"})


def as_text(value: object) -> str:
    """A constant as a filter holds it: numbers as ``f"{number:g}"``, so that 30 and 30.0 agree; empty when it is
    none."""
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int | float):
        try:
            return f"{value:g}"
        except OverflowError:
            return ""
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ") if (value.hour, value.minute, value.second) != (0, 0, 0) else str(value.date())
    return ""


def texts_of(value: Value | None) -> list[str]:
    """The texts that a value is or holds: ``"a"``, ``["a", "b"]``, ``("a", "b")``, the keys of a dict."""
    if value is None:
        return []
    if isinstance(value.const, str):
        return [value.const]
    if value.shared is not None and value.kind in ("list", "dict"):
        found = [item.const for item in value.shared.items or () if isinstance(item.const, str)]
        return found or [key for key in value.shared.pairs or () if isinstance(key, str)]
    return []


def number_in(value: Value | None) -> int | None:
    """A whole number, where the value is one."""
    if value is None or isinstance(value.const, bool) or not isinstance(value.const, int):
        return None
    return value.const


def truth_in(value: Value | None) -> bool | None:
    """Whether the value is a constant that counts as true; None when it is no constant."""
    if value is None or value.const is MISSING:
        return None
    return bool(value.const)


def fold(operator: ast.operator, left: Any, right: Any) -> object:
    """``"a" + "b"``, ``2 * 3``: the constant, or MISSING."""
    texts = isinstance(left, str) and isinstance(right, str)
    numbers = isinstance(left, int | float) and isinstance(right, int | float)
    if isinstance(operator, ast.Add) and texts and len(left) + len(right) < _LONGEST:
        return left + right
    if isinstance(operator, ast.Mod) and isinstance(left, str) and left.count("%") == left.count("%s") == 1:
        return left.replace("%s", str(right)) if isinstance(right, str | int) else MISSING
    if not numbers or abs(left) > 1e15 or abs(right) > 1e15:
        return MISSING
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div() if right:
            return left / right
        case ast.FloorDiv() if right:
            return left // right
        case ast.Mod() if right:
            return left % right
        case _:
            return MISSING


def compare(operator: ast.cmpop, left: Any, right: Any) -> object:
    """The truth of a comparison of two constants, or MISSING."""
    try:
        match operator:
            case ast.Eq():
                return left == right
            case ast.NotEq():
                return left != right
            case ast.Lt():
                return left < right
            case ast.LtE():
                return left <= right
            case ast.Gt():
                return left > right
            case ast.GtE():
                return left >= right
            case ast.Is():
                return left is right
            case ast.IsNot():
                return left is not right
            case ast.In() if isinstance(right, str):
                return left in right
            case ast.NotIn() if isinstance(right, str):
                return left not in right
            case _:
                return MISSING
    except TypeError:
        return MISSING


def call_on_text(
    text: str, method: str, arguments: Sequence[Value], named: Mapping[str, Value] | None = None
) -> object:
    """A method of a constant text, where it comes to a constant text."""
    given = [argument.const for argument in arguments]
    if method in _TEXT_METHODS and not given:
        return getattr(text, method)()
    if method in ("startswith", "endswith") and len(given) == 1 and isinstance(given[0], str):
        return getattr(text, method)(given[0])
    if method == "join":
        return _joined(text, arguments)
    if method == "replace" and len(given) == 2 and all(isinstance(part, str) for part in given):
        made = text.replace(*given) if given[0] else MISSING
        return made if isinstance(made, str) and len(made) < _LONGEST else MISSING
    if method == "format":
        return _filled(text, arguments, named or {})
    return MISSING


def _filled(text: str, arguments: Sequence[Value], named: Mapping[str, Value]) -> object:
    """``"{} by {key}".format("pay", key="city")``: fields that are nothing but a place or a name."""
    given = {str(place): value.const for place, value in enumerate(arguments)}
    given |= {name: value.const for name, value in named.items()}
    places = iter(range(len(arguments)))
    parts: list[str] = []
    for at, piece in enumerate(_FIELD.split(text)):
        value = given.get(piece or str(next(places, -1))) if at % 2 else piece
        if not isinstance(value, str | int | float) or (not at % 2 and _BRACES.search(piece)):
            return MISSING
        parts.append(str(value))
    made = "".join(parts)
    return made if len(made) < _LONGEST else MISSING


def _joined(text: str, arguments: Sequence[Value]) -> object:
    """``",".join(["a", "b"])``."""
    shared = arguments[0].shared if len(arguments) == 1 and arguments[0].kind == "list" else None
    parts = [item.const for item in shared.items or ()] if shared is not None else []
    if not parts or not all(isinstance(part, str) for part in parts):
        return MISSING
    made = text.join(parts)
    return made if len(made) < _LONGEST else MISSING


def split_text(text: str, method: str, arguments: Sequence[Value]) -> list[str] | None:
    """``"a,b".split(",")``; None for any other method, and where the parts are too many."""
    given = [argument.const for argument in arguments]
    if method not in ("split", "splitlines") or not all(isinstance(one, str) and one for one in given):
        return None
    parts = getattr(text, method)(*given[:1]) if method == "split" else text.splitlines()
    return parts if len(parts) <= _MOST_PARTS else None


def date_of(parts: Sequence[Value]) -> object:
    """``datetime(2020, 1, 31)`` as a constant."""
    numbers = [number_in(part) for part in parts]
    if not 3 <= len(numbers) <= 6 or None in numbers:
        return MISSING
    try:
        year, month, day, *clock = [number for number in numbers if number is not None]
        hour, minute, second = (*clock, 0, 0, 0)[:3]
        return datetime.datetime(year, month, day, hour, minute, second)
    except (ValueError, OverflowError):
        return MISSING


def negated(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return MISSING
    return -value
