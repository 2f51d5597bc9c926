"""McNemar's exact test: pass or fail of the same cases in two runs.

Only cases with two different verdicts tell anything. Were the runs equally good, each of those would fall to either
side like a coin; the p-value is the two-sided binomial test of that. No such case: p = 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.stats.intervals.quantiles import binomial_tail

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]


class McNemar(msgspec.Struct, frozen=True):
    """How many cases passed in both runs, in one of them, in neither; and the exact p-value."""

    both: int
    only_a: int
    only_b: int
    neither: int
    p: float

    @property
    def odds(self) -> float | None:
        """Effect size: cases gained for each case lost, with half a case added to each so that it is always finite.

        Above 1 when b is better. None when no verdict changed: then there is nothing to measure.
        """
        if not self.only_a and not self.only_b:
            return None
        return (self.only_b + 0.5) / (self.only_a + 0.5)


def mcnemar(a: Sequence[bool], b: Sequence[bool]) -> McNemar:
    """The table and test for two sequences of verdicts on the same cases, in the same order."""
    if len(a) != len(b):
        raise ValueError(f"verdicts come in pairs: {len(a)} and {len(b)} were given")
    both = only_a = only_b = 0
    for passed_a, passed_b in zip(a, b, strict=True):
        both += bool(passed_a and passed_b)
        only_a += bool(passed_a and not passed_b)
        only_b += bool(passed_b and not passed_a)
    return mcnemar_table(both, only_a, only_b, len(a) - both - only_a - only_b)


def mcnemar_of(a: Flags, b: Flags) -> McNemar:
    """The same for two columns of verdicts."""
    import numpy as np

    both, only_a, only_b = (int(np.count_nonzero(which)) for which in (a & b, a & ~b, b & ~a))
    return mcnemar_table(both, only_a, only_b, len(a) - both - only_a - only_b)


def mcnemar_table(both: int, only_a: int, only_b: int, neither: int) -> McNemar:
    """The same for a table that is known."""
    return McNemar(both, only_a, only_b, neither, coin_p(only_b, only_a + only_b))


def coin_p(heads: int, throws: int) -> float:
    """The two-sided exact p-value of this many heads from a fair coin; 1 without a throw.

    Twice the smaller tail, as a fair coin is symmetric: what ``scipy.stats.binomtest`` gives.
    """
    return min(1.0, 2 * binomial_tail(min(heads, throws - heads), throws)) if throws else 1.0
