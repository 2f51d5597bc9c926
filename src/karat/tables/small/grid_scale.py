"""A scale on which equal numbers lie about the same distance apart everywhere, for finding the rows near a row.

Two equal numbers of size m differ by at most max(abs_tol, rel_tol × m, min(half a unit, m / 20)): see
:func:`karat.tables.values.numbers.widest`. So the scale is logarithmic up to where m / 20 is half a unit, then linear,
then logarithmic again. A cell of the grid is four such distances wide.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log1p
from typing import Any  # Any: a number or an array of numbers, as the given logarithm takes them

from karat.tables.options import CompareOptions
from karat.tables.values.numbers import TWO_DIGITS, half_unit

REACH = 0.2501 + 1e-6
"""The largest distance of two equal numbers on the scale, and a little more for what the scale and floats add."""
_LEAST = 1e-12


def grid_scale(options: CompareOptions, least_decimals: int, log: Callable[[Any], Any] = log1p) -> Callable[[Any], Any]:
    """The place of a number without its sign, where no number shows fewer decimals. ``log`` is log(1 + x), of arrays
    too."""
    relative = max(options.rel_tol, 1e-9)
    unit = half_unit(least_decimals) if options.rounding else 0.0
    far = _part(max(options.abs_tol, unit, _LEAST), relative, log)
    if not options.rounding or relative >= TWO_DIGITS:
        return far
    near = _part(max(options.abs_tol, _LEAST), TWO_DIGITS, log)
    turn = unit / TWO_DIGITS
    shift = near(turn) - far(turn)

    def place(size: Any) -> object:
        if isinstance(size, float):
            return near(size) if size < turn else far(size) + shift
        import numpy

        return numpy.where(size < turn, near(size), far(size) + shift)

    return place


def _part(floor: float, relative: float, log: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Linear up to where ``relative`` of a number is the ``floor``, and logarithmic beyond."""
    bend, width = floor / relative, 4 * relative / max(0.01, 1 - relative)
    return lambda size: log(size / bend) / width
