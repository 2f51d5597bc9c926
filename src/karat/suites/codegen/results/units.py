"""Results with a unit, read in the unit that is expected.

``'2500 g'`` is 2.5 where kilograms are expected; so is a quantity of pint or astropy. A number without a unit is taken
to be in the expected unit already. Where a percentage is expected, such a number may also be the share itself: 0.4335
is 43.35 %, and ``'0.4335 %'`` is not. Currencies are compared by their codes and never converted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction

from karat.sandbox import Column, Plain, Series, Table, Unordered
from karat.suites.codegen.results.tables import is_quantity
from karat.suites.codegen.results.unit_table import SIGNS, Unit, unit_of

Change = Callable[[Plain], Plain]
UNIT_DIFFERS = "unit_differs"
PERCENT = unit_of("%")
LONGEST = 200
_SIGN = "[" + "".join(map(re.escape, SIGNS)) + "]"
_NUMBER = r"[+-]?(?:\d{1,3}(?:[,  ' ]\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?|[+-]?\.\d+"
_AFTER = re.compile(rf"(?P<number>{_NUMBER})\s*(?P<unit>[^\d\s.,+-][^\n]{{0,60}})")
_BEFORE = re.compile(rf"(?P<minus>-)?(?P<unit>{_SIGN}|[A-Z]{{3}})\s?(?P<number>{_NUMBER})\s?(?P<scale>k|K|M|mn|bn|B)?")


class UnitDiffers(Exception):
    """A result in a unit that cannot be the expected one."""

    def __init__(self, given: str, expected: str) -> None:
        super().__init__(f"the result is in {given}, and {expected} is expected")


def readings_in(expected: str, result: Plain) -> list[Plain]:
    """The result as numbers in the expected unit; two of them where a bare number may be a share or its percentage.

    Raises :class:`UnitDiffers`.
    """
    unit = unit_of(expected)
    found = [_converted(result, unit)]
    if unit == PERCENT and _has_bare(result):
        found.append(_times_100(result, unit))
    return found


def same_number(result: Plain, gold: Plain) -> bool:
    """Whether a single result is the expected number in another unit: ``'2.5 g'`` where 2.5 kg are expected."""
    given = _read(result) if isinstance(result, str) else None
    if is_quantity(result) and isinstance(result.values[0], int | float):
        given = (str(result.values[0]), "")
    if given is None or isinstance(gold, bool) or not isinstance(gold, int | float):
        return False
    return math.isclose(float(given[0]), gold, rel_tol=1e-9)


def _converted(value: Plain, unit: Unit) -> Plain:
    if is_quantity(value):
        return _each(value.values[0], lambda number: _in_unit(number, str(value.values[1]), unit))
    return _each(value, lambda one: _text_in(one, unit) if isinstance(one, str) else one)


def _times_100(value: Plain, unit: Unit) -> Plain:
    """Every bare number as a share of 1."""
    return _each(value, lambda one: 100 * one if _is_number(one) else _converted(one, unit))


def _has_bare(value: Plain) -> bool:
    found: list[bool] = []
    _each(value, lambda one: found.append(_is_number(one)))
    return any(found) and not is_quantity(value)


def _is_number(value: Plain) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _each(value: Plain, change: Change) -> Plain:
    """The value with every single value in it changed; keys, names and the index stay."""
    if isinstance(value, Table):
        return Table(value.height, tuple(_column(column, change) for column in value.columns), value.index)
    if isinstance(value, Series):
        return Series(_column(value.column, change), value.index)
    if isinstance(value, Mapping):
        return {key: _each(part, change) for key, part in value.items()}
    if isinstance(value, Unordered):
        return Unordered(_each(part, change) for part in value)
    if isinstance(value, list | tuple):
        return type(value)(_each(part, change) for part in value)
    return change(value)


def _column(column: Column, change: Change) -> Column:
    return Column(column.name, column.dtype, [_each(value, change) for value in column.values])


def _text_in(text: str, unit: Unit) -> Plain:
    """A number with a unit as a number in that unit; any other text as it is."""
    found = _read(text)
    return text if found is None else _in_unit(found[0], found[1], unit)


def _read(text: str) -> tuple[str, str] | None:
    """The number and the unit of a text; None when it has not both."""
    if len(text) > LONGEST:
        return None
    bare = text.strip().replace("−", "-")
    before = _BEFORE.fullmatch(bare)
    if before is not None:
        scale = f"{before['scale']} " if before["scale"] else ""
        return _digits((before["minus"] or "") + before["number"]), f"{scale}{before['unit']}"
    after = _AFTER.fullmatch(bare)
    return None if after is None else (_digits(after["number"]), after["unit"].strip().rstrip("."))


def _digits(number: str) -> str:
    return re.sub(r"[,  ' ]", "", number)


def _in_unit(number: Plain, written: str, expected: Unit) -> Plain:
    """A number of one unit in another of its kind. In the same unit it stays as it is written."""
    given = unit_of(written)
    if given.kind != expected.kind:
        raise UnitDiffers(given.name, expected.name)
    if given.factor == expected.factor and given.offset == expected.offset:
        return number
    if number is None or (isinstance(number, float) and not math.isfinite(number)):
        return number
    base = Fraction(str(number)) * given.factor + given.offset
    found = (base - expected.offset) / expected.factor
    return int(found) if found.denominator == 1 else float(found)
