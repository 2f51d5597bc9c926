"""Intervals, and the gates that use them.

>>> from karat import stats
>>> found = stats.estimate([0.0, 1.0, 1.0, 1.0], "rate")
>>> found.mean, found.n, round(found.low, 2), round(found.high, 2)
(0.75, 4, 0.3, 0.95)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from karat.core.results.result import Estimate
    from karat.stats.intervals.estimates import estimate

__all__ = ["Estimate", "estimate"]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "estimate":  # on first use: it needs numpy
        return import_module("karat.stats.intervals.estimates").estimate
    if name == "Estimate":
        return import_module("karat.core.results.result").Estimate
    raise AttributeError(f"module 'karat.stats' has no attribute {name!r}")
