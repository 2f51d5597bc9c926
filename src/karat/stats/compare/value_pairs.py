"""Which values two runs have in one metric, pair by pair, and how often each pair of values comes.

A metric with k different values has at most k² pairs of them, however many cases there are: means, tests and intervals
are computed from these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from karat.core.results.columns.packed_numbers import Coded

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Integers = NDArray[np.int64]


class ValuePairs(NamedTuple):
    """``counts[i]`` cases have the values ``a[i]`` and ``b[i]``, or one case each; NaN: no value."""

    a: Floats
    b: Floats
    counts: Integers | None = None

    def known(self) -> ValuePairs:
        """Those with a value in both runs."""
        import numpy as np

        both = ~(np.isnan(self.a) | np.isnan(self.b))
        return ValuePairs(self.a[both], self.b[both], None if self.counts is None else self.counts[both])

    def number(self, which: Flags) -> int:
        """How many cases have these of the pairs."""
        return int(which.sum() if self.counts is None else self.counts[which].sum())


class ValueCells:
    """The cells of a table: the values of run a down, those of run b across."""

    def __init__(self, a: Coded, b: Coded) -> None:
        import numpy as np

        self._a, self._b = a.table, b.table
        self._cells = a.codes.astype(np.uint16) * np.uint16(len(b.table)) + b.codes

    def counted(self, rows: Integers | None = None) -> ValuePairs:
        """The pairs of values of these cases, or of all."""
        import numpy as np

        counts = np.bincount(self._cells if rows is None else self._cells[rows])
        cells = np.flatnonzero(counts)
        return ValuePairs(self._a[cells // len(self._b)], self._b[cells % len(self._b)], counts[cells])

    def known(self) -> Flags:
        """The cases that have both values."""
        import numpy as np

        found: Flags = ~(np.isnan(self._a)[:, None] | np.isnan(self._b)).ravel()[self._cells]
        return found
