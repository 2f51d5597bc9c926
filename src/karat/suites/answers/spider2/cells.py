"""The rule for two cells, and for two columns of any cells, one cell at a time: for what is neither all numbers nor all
texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any  # Any: a cell as pandas reads it: a number, a text, a null or a date

import numpy as np
from numpy.typing import NDArray

RELATIVE = 1e-9
ABSOLUTE = 1e-2


def near(gold: NDArray[np.float64], found: NDArray[np.float64]) -> bool:
    """Whether all pairs of numbers are equal within tolerance, as ``math.isclose`` has it. NaN equals only NaN."""
    with np.errstate(invalid="ignore", over="ignore"):
        within = np.abs(found - gold) <= np.maximum(RELATIVE * np.maximum(np.abs(gold), np.abs(found)), ABSOLUTE)
    within &= np.isfinite(gold) & np.isfinite(found)
    return bool(np.all(within | (gold == found) | (np.isnan(gold) & np.isnan(found))))


def same_cell(gold: Any, found: Any) -> bool:
    """Numbers (booleans too) within tolerance, anything else exactly; null equals only null. Raises for cells that have
    no one truth value, such as lists of several elements."""
    if isinstance(gold, (int, float)) and isinstance(found, (int, float)):
        return math.isclose(gold, found, rel_tol=RELATIVE, abs_tol=ABSOLUTE) or (gold != gold and found != found)
    return (is_null(gold) and is_null(found)) or bool(gold == found)


def is_null(cell: Any) -> bool:
    import pandas

    return bool(pandas.isna(cell))


def nulls_as_zero(cells: Sequence[Any]) -> list[Any]:
    return [0 if is_null(cell) else cell for cell in cells]


def in_order(cells: Sequence[Any]) -> list[Any]:
    """Sorted by (is None, text, is number), the order in which columns are compared when rows may come in any. NaN is a
    text here."""
    return sorted(cells, key=lambda cell: (cell is None, str(cell), isinstance(cell, (int, float))))
