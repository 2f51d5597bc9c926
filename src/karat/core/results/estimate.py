"""A mean with its interval."""

from __future__ import annotations

import msgspec


class Estimate(msgspec.Struct, frozen=True, gc=False):
    """A mean over ``n`` values with its 95 % interval; all None when there are none. Quantities that show no spread
    have no interval.

    >>> import karat
    >>> found: karat.Estimate = karat.stats.estimate([1.0, 0.0, 1.0, 1.0], "rate")
    >>> found.mean, found.n
    (0.75, 4)
    """

    mean: float | None
    """The mean; None without a value."""
    n: int
    """How many values it covers."""
    low: float | None
    """The lower end of the 95 % interval; None if there is none."""
    high: float | None
    """The upper end of the 95 % interval; None if there is none."""
