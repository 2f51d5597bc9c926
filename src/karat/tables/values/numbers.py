"""When two numbers are equal: the one rule that every comparison of numbers here obeys, in ``answers`` and in
``codegen``.

1. Two whole numbers are equal only when they are the same, however large. A whole number is written in digits alone,
   with or without separators and zeros after the point: ``30000``, ``30,000`` and ``30000.0`` are whole, ``1e5`` and
   ``1.5`` are not.
2. Otherwise they are equal within ``rel_tol`` of the larger, or ``abs_tol``.
3. Otherwise, by ``rounding``: the one that shows more decimals, rounded to the decimals that the other shows, gives the
   other, and that other shows at least two significant digits. 0.12 stands for 0.1234; 0.0 does not stand for 0.0049. A
   number halfway between two roundings may have been rounded either way.

The rule has no sides: it says the same of a and b as of b and a. Of a float without a text, the shortest text that
gives it back is what is shown. Large tables state the same rule for arrays (``large.columns``), files too large to hold
in SQL (``outofcore.rows``); a test holds all of them to this one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from karat.tables.options import CompareOptions

VAST = 2.0**53
"""From here on a float does not hold every whole number, and the digits themselves are compared."""
SLACK = 1 + 1e-9
"""What floats may add to half a unit."""
NOISE = 4e-16
"""What floats may add to a number, as a share of it."""
TWO_DIGITS = 0.05
"""Half a unit of the last digit of a number with two digits is at most this share of it: no rounding moves a number
further."""
_LARGEST_POWER, _LONGEST_POWER = 300, 9


class Figure(Protocol):
    """A number as it is written. ``decimals`` is below 0 where an exponent leaves fewer than all whole digits: -3 in
    ``1e3``."""

    @property
    def number(self) -> float: ...
    @property
    def decimals(self) -> int: ...
    @property
    def whole(self) -> int | None: ...


def why_equal(a: Figure, b: Figure, options: CompareOptions, scale: float = 1.0) -> str | None:
    """Why two numbers are equal: ``""`` exactly, ``tolerance``, ``rounding``; None when they are not. ``scale`` is what
    the absolute tolerance is multiplied by: less than 1 among small numbers, see :func:`small_scale`.
    """
    if options.exact_whole and a.whole is not None and b.whole is not None:
        return "" if a.whole == b.whole else None
    difference = abs(a.number - b.number)
    if difference == 0:
        return ""
    largest = max(abs(a.number), abs(b.number))
    if difference <= max(options.abs_tol * scale, options.rel_tol * largest):
        return "tolerance"
    if options.rounding and a.decimals != b.decimals:
        shorter = a if a.decimals < b.decimals else b
        near = difference <= half_unit(shorter.decimals) * SLACK + NOISE * largest
        if near and abs(shorter.number) * SLACK >= 10.0 ** (1 - shorter.decimals):
            return "rounding"
    return None


def half_unit(decimals: int) -> float:
    """How far rounding to this many decimals moves a number. Whole digits are never rounded away."""
    return 0.5 * 10.0 ** -max(0, decimals)


def widest(largest: float, least_decimals: int, options: CompareOptions, scale: float = 1.0) -> float:
    """How far apart two equal numbers can be at most, where the larger is so large and none shows fewer decimals."""
    allowed = max(options.abs_tol * scale, options.rel_tol * largest)
    if not options.rounding:
        return allowed
    return max(allowed, min(half_unit(least_decimals), TWO_DIGITS * largest) * SLACK + NOISE * largest)


def small_scale(sizes: Iterable[float]) -> float:
    """What the absolute tolerance of gold's numbers is multiplied by: the largest of them where all are smaller than 1.
    Among probabilities like 1e-20 it would make all numbers equal otherwise. Where gold is 0, noise around it is
    forgiven.
    """
    return min(1.0, max((abs(size) for size in sizes), default=1.0)) or 1.0


def decimals_shown(digits: str, exponent: str) -> int:
    """The decimals of a number that is written with these digits, a point among them, and this exponent (or none)."""
    shown = len(digits.partition(".")[2])
    if not exponent:
        return shown
    power = int(exponent[:_LONGEST_POWER])  # one with more digits makes no number, or a zero
    return max(-_LARGEST_POWER, shown - power)


def whole_number(digits: str, number: float) -> int | None:
    """A number written without an exponent, with all its digits, if it is whole. ``digits`` may have a sign, no
    separators."""
    if number != number // 1:
        return None
    if abs(number) < VAST:
        return int(number)
    before, _, after = digits.partition(".")
    return int(before) if not after.strip("0") else None


def may_be_percent(above_one: int, others: int) -> bool:
    """Whether numbers without a sign may be meant in percent, so that 43.35 is 43.35%: more of them are above 1 in size
    than not, zeros aside. A number up to 1 is a share: 0.4335 is 43.35%, and never 0.4335%.
    """
    return above_one > others
