"""The values of all metrics over the cases of a run. Most metrics have few different values: these are kept once, with
a code of one byte for each case, so that statistics count codes where they would otherwise go through numbers.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.core.results.columns.packed_numbers import MOST, Coded, float_values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

_NAN = struct.pack("<d", math.nan)


class Figures(Sequence["Floats"]):
    """A column for each metric; NaN where a case has no value."""

    def __init__(self, columns: Sequence[Floats | Coded], count: int) -> None:
        self._columns, self._count = columns, count

    def __len__(self) -> int:
        return len(self._columns)

    def __getitem__(self, metric: int) -> Floats:  # type: ignore[override]  # no slices are asked for
        found = self._columns[metric]
        return found.table[found.codes] if isinstance(found, Coded) else found

    def coded(self, metric: int) -> Coded | None:
        """The column as codes; None where it is kept as numbers."""
        found = self._columns[metric]
        return found if isinstance(found, Coded) else None

    def at(self, place: int) -> list[float]:
        """The values of one case."""
        return [float(one.table[one.codes[place]] if isinstance(one, Coded) else one[place]) for one in self._columns]

    def take(self, places: Integers) -> Figures:
        """The same for these cases only."""
        taken = [
            Coded(one.table, one.codes[places]) if isinstance(one, Coded) else one[places] for one in self._columns
        ]
        return Figures(taken, len(places))

    def matrix(self) -> Floats:
        """(metric, case) → the value."""
        import numpy as np

        found = np.empty((len(self._columns), self._count))
        for row in range(len(self._columns)):
            found[row] = self[row]
        return found

    @property
    def nbytes(self) -> int:
        """How much memory the columns take."""
        return sum(one.codes.nbytes if isinstance(one, Coded) else one.nbytes for one in self._columns)


class FigureBuilder:
    """One column from those of its blocks, in order: as codes as long as the different values are few."""

    def __init__(self, count: int) -> None:
        import numpy as np

        self._count = count
        self._codes = np.empty(count, np.uint8)
        self._values: Floats | None = None
        self._table: dict[bytes, int] = {}
        self._seen: bytes | None = None
        self._own = np.zeros(0, np.uint8)

    def fill(self, begin: int, end: int, data: bytes | None) -> None:
        """The values of the cases from ``begin`` to ``end``, as ``pack_floats`` gave them; None: no case has one."""
        import numpy as np

        size = data[-1] if data is not None else 1
        table = data[: 8 * size] if data is not None else _NAN
        if self._values is None and size and self._known(table):
            codes = 0 if data is None else np.frombuffer(data, np.uint8, end - begin, 8 * size)
            self._codes[begin:end] = self._own[codes]
            return
        self.fill_plain(begin, end, np.full(end - begin, np.nan) if data is None else float_values(data))

    def fill_plain(self, begin: int, end: int, values: Floats) -> None:
        """The same with the values themselves: from now on the column is kept as numbers."""
        if self._values is None:
            self._values = self._decoded(begin)
        self._values[begin:end] = values

    def built(self) -> Floats | Coded:
        """The column."""
        import numpy as np

        if self._values is not None:
            return self._values
        return Coded(np.frombuffer(b"".join(self._table), "<f8"), self._codes)

    def _known(self, table: bytes) -> bool:
        """Whether the values of a block still fit; then ``_own`` says the code of each."""
        import numpy as np

        if table != self._seen:  # most blocks have the values of the one before
            for begin in range(0, len(table), 8):
                self._table.setdefault(table[begin : begin + 8], len(self._table))
            if len(self._table) > MOST:
                return False
            self._own = np.array([self._table[table[at : at + 8]] for at in range(0, len(table), 8)], np.uint8)
            self._seen = table
        return True

    def _decoded(self, end: int) -> Floats:
        """What was there so far as numbers: from now on the column is kept so."""
        import numpy as np

        found, codes = np.empty(self._count), self._codes[:end]
        if end:
            found[:end] = np.frombuffer(b"".join(self._table), "<f8")[codes]
        self._codes = np.empty(0, np.uint8)
        return found
