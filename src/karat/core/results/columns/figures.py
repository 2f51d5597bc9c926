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

    Codes = NDArray[np.uint8]
    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

_NAN = struct.pack("<d", math.nan)
_NO_CODE = bytes([MOST])
"""The codes of at most ``MOST`` values are below it."""
_SAME = bytes(range(256))


def plain(column: Floats | Coded) -> Floats:
    """The numbers of a column."""
    return column.table[column.codes] if isinstance(column, Coded) else column


def taken(column: Floats | Coded, places: Integers) -> Floats | Coded:
    """The numbers at these places, kept as the column is."""
    return Coded(column.table, column.codes[places]) if isinstance(column, Coded) else column[places]


class Figures(Sequence["Floats"]):
    """A column for each metric; NaN where a case has no value."""

    def __init__(self, columns: Sequence[Floats | Coded], count: int) -> None:
        self._columns, self._count = columns, count

    def __len__(self) -> int:
        return len(self._columns)

    def __getitem__(self, metric: int) -> Floats:  # type: ignore[override]  # no slices are asked for
        return plain(self._columns[metric])

    def coded(self, metric: int) -> Coded | None:
        """The column as codes; None where it is kept as numbers."""
        found = self._columns[metric]
        return found if isinstance(found, Coded) else None

    def at(self, place: int) -> list[float]:
        """The values of one case."""
        return [float(one.table[one.codes[place]] if isinstance(one, Coded) else one[place]) for one in self._columns]

    def take(self, places: Integers) -> Figures:
        """The same for these cases only."""
        return Figures([taken(one, places) for one in self._columns], len(places))

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
    """One column from those of its blocks, in order: as codes as long as the different values are few.

    The codes of a block are bytes, and are renamed to those of the whole column by ``bytes.translate``: a run of
    200,000 cases has thousands of such pieces, and an array for each would take ten times as long.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._pieces: list[bytes] = []
        self._values: Floats | None = None
        self._table: dict[int, int] = {}  # the bits of a value → its code
        self._seen: bytes | None = None
        self._renamed: bytes | None = None

    def fill(self, begin: int, end: int, data: bytes | None) -> None:
        """The values of the cases from ``begin``, where the last piece ended, to ``end``, as ``pack_floats`` gave them;
        None: no case has one."""
        import numpy as np

        size = data[-1] if data is not None else 1
        table = data[: 8 * size] if data is not None else _NAN
        if self._values is None and size and self._known(table):
            codes = bytes(end - begin) if data is None else data[8 * size : -1]
            if len(codes) != end - begin:
                raise ValueError(f"{len(codes)} codes for {end - begin} cases")
            self._pieces.append(codes if self._renamed is None else codes.translate(self._renamed))
            return
        self.fill_plain(begin, end, np.full(end - begin, np.nan) if data is None else float_values(data))

    def fill_plain(self, begin: int, end: int, values: Floats) -> None:
        """The same with the values themselves: from now on the column is kept as numbers."""
        import numpy as np

        if self._values is None:
            found = np.empty(self._count)
            if begin:
                found[:begin] = self._distinct()[self._codes()]
            self._values, self._pieces = found, []
        self._values[begin:end] = values

    def built(self) -> Floats | Coded:
        """The column."""
        return self._values if self._values is not None else Coded(self._distinct(), self._codes())

    def _known(self, table: bytes) -> bool:
        """Whether the values of a block still fit; then ``_renamed`` says the code of each, None: they are the same."""
        if table != self._seen:  # most blocks have the values of the one before
            known, values = self._table, struct.unpack(f"<{len(table) // 8}q", table)
            try:
                own = bytes(map(known.__getitem__, values))
            except KeyError:
                for value in values:
                    known.setdefault(value, len(known))
                if len(known) > MOST:
                    return False
                own = bytes(map(known.__getitem__, values))
            self._renamed = None if own == _SAME[: len(own)] else own.ljust(256, _NO_CODE)
            self._seen = table
        return True

    def _distinct(self) -> Floats:
        import numpy as np

        return np.array(list(self._table), "<i8").view("<f8")

    def _codes(self) -> Codes:
        import numpy as np

        found = np.frombuffer(b"".join(self._pieces), np.uint8)
        if len(found) and int(found.max()) >= len(self._table):
            raise ValueError("a code stands for no value")
        return found
