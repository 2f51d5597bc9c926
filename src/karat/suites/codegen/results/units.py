"""Results with a unit, read in the unit that is expected.

``'2500 g'`` is 2.5 where kilograms are expected; so is a quantity of pint or astropy. A number without a unit is taken
to be in the expected unit already. Where a percentage is expected, such a number may also be the share itself: 0.4335
is 43.35 %, and ``'0.4335 %'`` is not. Currencies are compared by their codes and never converted. Several amounts of
one kind add up: ``'2 h 30 min'``. A comma before decimals is read where it cannot be one between thousands: ``2,5`` and
``1.234,50`` have one, ``2,500`` has none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

from karat.sandbox import Column, Plain, Series, Table, Unordered
from karat.suites.codegen.results.tables import is_quantity
from karat.suites.codegen.results.timestamps import seconds_of, span_text
from karat.suites.codegen.results.unit_names import unit_of
from karat.suites.codegen.results.unit_table import SCALES, SIGNS, Unit
from karat.tables.values.number_texts import GROUPED, LAKHS, MINUS, SPACES, bare_digits

Change = Callable[[Plain], Plain]
UNIT_DIFFERS = "unit_differs"
PERCENT = unit_of("%")
LONGEST = 200
_SIGN = "|".join(map(re.escape, SIGNS))
_SCALE = "|".join(sorted(map(re.escape, SCALES), key=len, reverse=True))
_SPACE = f"[{SPACES}]"
_WITH_COMMA = (
    rf"[1-9]\d{{0,2}}(?:\.\d{{3}})+,\d+|[1-9]\d{{0,2}}(?:{_SPACE}\d{{3}})+,\d+|0,\d+|\d+,(?:\d{{1,2}}|\d{{4,}})"
)
"""Numbers with a decimal comma that cannot be read otherwise."""
_DIGITS = rf"(?:(?:{LAKHS}|{GROUPED}|\d+)(?:\.\d+)?|\.\d+|{_WITH_COMMA})(?![\d,])"
_NUMBER = rf"[+-]?{_DIGITS}(?:[eE][+-]?\d{{1,3}})?"
_AFTER = re.compile(rf"(?P<number>{_NUMBER})\s*(?P<unit>[^\d\s.,+-][^\n]{{0,60}})")
_BEFORE = re.compile(
    rf"(?P<minus>-)?(?P<unit>{_SIGN}|[A-Z]{{3}})\s?(?P<number>{_NUMBER})\s?(?P<scale>{_SCALE})?(?![A-Za-z])"
)
_COMMA = re.compile(_WITH_COMMA)
_PART = re.compile(rf"(?P<number>{_DIGITS})\s*(?P<unit>[^\W\d]+)(?:,?\s+(?:and\s+|und\s+)?|(?=\d)|$)")
_BARE = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")


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
    return _each(value, lambda one: _single_in(one, unit))


def _times_100(value: Plain, unit: Unit) -> Plain:
    """Every bare number as a share of 1."""
    return _each(value, lambda one: _single_in(one, unit) if (number := _bare(one)) is None else 100 * number)


def _has_bare(value: Plain) -> bool:
    found: list[bool] = []
    _each(value, lambda one: found.append(_bare(one) is not None))
    return any(found) and not is_quantity(value)


def _bare(value: Plain) -> int | float | Decimal | None:
    """A number without a unit, also written as text."""
    if isinstance(value, str):
        return Decimal(value.strip()) if len(value) <= LONGEST and _BARE.fullmatch(value.strip()) else None
    return value if isinstance(value, int | float | Decimal) and not isinstance(value, bool) else None


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


def _single_in(value: Plain, unit: Unit) -> Plain:
    """A number with a unit, or a span of time, as a number in that unit; any other value as it is."""
    if isinstance(value, str):
        seconds = seconds_of(value)
        if seconds is None:
            return _text_in(value, unit)
    elif isinstance(value, timedelta):
        seconds = seconds_of(span_text(value))
    else:
        return value
    return _in_unit(seconds, "s", unit)


def _text_in(text: str, unit: Unit) -> Plain:
    found = _read(text)
    if found is None:
        return text
    parts = _parts(text)
    if len(parts) < 2 or {unit_of(name).kind for _, name in parts} != {unit.kind}:
        return _in_unit(found[0], found[1], unit)
    return _plain_number(sum((Fraction(str(_in_unit(number, name, unit))) for number, name in parts), Fraction(0)))


def _parts(text: str) -> list[tuple[str, str]]:
    """``2 h 30 min`` as its two amounts; one amount as itself; nothing where something else is in the text."""
    bare = text.strip()
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(bare):
        part = _PART.match(bare, at)
        if part is None:
            return []
        found.append((_digits(part["number"]), part["unit"]))
        at = part.end()
    return found


def _read(text: str) -> tuple[str, str] | None:
    """The number and the unit of a text; None when it has not both."""
    if len(text) > LONGEST:
        return None
    bare = text.strip().replace(MINUS, "-")
    if bare.startswith("(") and bare.endswith(")"):  # below zero, in accounts
        bare = f"-{bare[1:-1]}"
    before = _BEFORE.fullmatch(bare)
    if before is not None:
        scale = f"{before['scale']} " if before["scale"] else ""
        return _digits((before["minus"] or "") + before["number"]), f"{scale}{before['unit']}"
    after = _AFTER.fullmatch(bare)
    return None if after is None else (_digits(after["number"]), after["unit"].strip().rstrip("."))


def _digits(number: str) -> str:
    """The number with a point, and nothing between its thousands."""
    if _COMMA.fullmatch(number.lstrip("+-").partition("e")[0].partition("E")[0]):
        return re.sub(f"[.{SPACES}]", "", number).replace(",", ".")
    return bare_digits(number)


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
    return _plain_number((base - expected.offset) / expected.factor)


def _plain_number(number: Fraction) -> int | float:
    return int(number) if number.denominator == 1 else float(number)
