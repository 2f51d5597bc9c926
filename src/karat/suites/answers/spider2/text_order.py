"""Numbers in the order of their texts, as Python writes them: ``-1 < -2 < 0.5 < 1.5 < 10.0 < 2.0``.

Writing a million texts and sorting them takes seconds. The same order comes from the numbers: texts without an exponent
compare by their whole part from the left (a shorter one first, since ``.`` comes before every digit), then by size. So:
sort by size, then, keeping that order among equals, by the whole part filled up with zeros to the right. The few floats
that are written with an exponent are put where their texts belong. A minus comes before every digit, and what follows
it is ordered like the rest.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any  # Any: an array of numbers of any width

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FEW = 20_000
"""How many floats with an exponent are put in place one by one; with more, all are sorted by their texts."""

POWERS = 10 ** np.arange(20, dtype=np.uint64)


def by_text(numbers: NDArray[Any]) -> Floats:
    """The numbers (integers, booleans or floats) in the order of their texts, as floats; NaN at the end."""
    if numbers.dtype.kind == "b":
        return np.sort(numbers).astype(np.float64)
    if numbers.dtype.kind == "f":
        values = numbers.astype(np.float64)
        nulls = np.isnan(values)
        values = values[~nulls]
        negative = np.signbit(values)
        below, above = _floats(-values[negative]), _floats(values[~negative])
        return np.concatenate([-below, above, np.full(int(nulls.sum()), np.nan)])
    negative = numbers < 0
    sizes = np.abs(numbers).astype(np.uint64)
    return np.concatenate([-_integers(sizes[negative]), _integers(sizes[~negative])])


def _integers(sizes: NDArray[np.uint64]) -> Floats:
    if sizes.size and int(sizes.max()) >= int(POWERS[19]):
        return np.array(sorted(sizes.tolist(), key=str), dtype=np.float64)
    ordered = np.sort(sizes)
    return ordered[_order(ordered, 19)].astype(np.float64)


def _floats(sizes: Floats) -> Floats:
    """Floats that are not negative and not NaN."""
    plain = (sizes == 0) | ((sizes >= 1e-4) & (sizes < 1e16))
    others = sizes[~plain]
    if others.size > FEW:
        return np.array(sorted(sizes.tolist(), key=repr), dtype=np.float64)
    ordered = np.sort(sizes[plain])
    ordered = ordered[_order(ordered.astype(np.uint64), 16)]
    if not others.size:
        return ordered
    inserted = sorted(others.tolist(), key=repr)
    places = [bisect_left(ordered, repr(value), key=lambda number: repr(float(number))) for value in inserted]
    return np.insert(ordered, places, inserted)


def _order(wholes: NDArray[np.uint64], digits: int) -> NDArray[np.intp]:
    """Places of sorted whole numbers in the order of their texts. Equals keep their order."""
    lengths = np.searchsorted(POWERS[1:digits], wholes, side="right") + 1
    return np.argsort(wholes * POWERS[digits - lengths], kind="stable")
