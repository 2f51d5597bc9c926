"""Holm's step-down adjustment: several tests at once, and still at most 5 % chance of any false alarm among them.

The smallest of m p-values is multiplied by m, the next by m-1, and so on; an adjusted value is never below one before
it, and never above 1. It holds whatever the dependence between the tests, which matters here: metrics of one case go
together. Two metrics with the same values in both runs are one test under two names, and count once.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def holm(p_values: Sequence[float], tests: Sequence[Hashable] | None = None) -> list[float]:
    """The adjusted p-values, in the order given. ``tests``: what each one tests; those of the same test count once."""
    if any(not 0 <= p <= 1 for p in p_values):
        raise ValueError("p-values lie between 0 and 1")
    if tests is not None:
        once = dict(zip(tests, p_values, strict=True))
        by_test = dict(zip(once, holm(list(once.values())), strict=True))
        return [by_test[test] for test in tests]
    count = len(p_values)
    adjusted = [0.0] * count
    least = 0.0
    for place, index in enumerate(sorted(range(count), key=p_values.__getitem__)):
        least = max(least, min(1.0, (count - place) * p_values[index]))
        adjusted[index] = least
    return adjusted
