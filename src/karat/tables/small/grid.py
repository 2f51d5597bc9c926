"""Which rows of one table are close to a row of another, in several numbers at once.

The grid is that of :mod:`karat.tables.small.grid_scale`: cells four tolerances wide, and for each row all cells within
one tolerance are looked at, so that nothing is lost at an edge. Every pair found is compared in full.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from karat.tables.large.columns import LargeColumn
from karat.tables.options import CompareOptions
from karat.tables.small.bipartite import Unsettled
from karat.tables.small.grid_scale import REACH, grid_scale

if TYPE_CHECKING:
    from karat.tables.arrays import Array

MAX_PAIRS = 200_000_000
MAX_ALLOWED = 40_000_000
_CHUNK = 4_000_000
_DIRECTIONS = 3
_SAMPLE = 20_000


class Grid:
    """The rows of the prediction in a grid of up to three of their numbers, those that spread them most."""

    def __init__(
        self, pred_rows: Array, numeric: Sequence[tuple[LargeColumn, LargeColumn]], options: CompareOptions
    ) -> None:
        import numpy

        self.numeric = numeric
        self.options = options
        least = [min(gold.least_decimals, pred.least_decimals) for gold, pred in numeric]
        self._scales = [grid_scale(options, decimals, numpy.log1p) for decimals in least]
        cells = [
            numpy.floor(self._scaled(pred.numbers[pred_rows], index)).astype(numpy.int64)
            for index, (_, pred) in enumerate(numeric)
        ]
        spread = sorted(range(len(numeric)), key=lambda index: -len(numpy.unique(cells[index][:_SAMPLE])))
        self.directions = spread[:_DIRECTIONS]
        hashes = _hashed([cells[index] for index in self.directions])
        order = numpy.argsort(hashes, kind="stable")
        hashes = hashes[order]
        self.rows = pred_rows[order]
        starts = numpy.flatnonzero(numpy.concatenate(([True], hashes[1:] != hashes[:-1])))
        self.hashes = hashes[starts]
        self.starts = numpy.append(starts, len(order))

    def _scaled(self, numbers: Array, index: int) -> Array:
        """The numbers of one pair of columns in widths of a grid cell."""
        import numpy

        scaled: Array = numpy.sign(numbers) * self._scales[index](numpy.abs(numbers))
        return scaled

    def allowed(self, gold_rows: Array) -> tuple[Array, Array]:
        """All pairs (place of the gold row in ``gold_rows``, prediction row) that are equal in every number."""
        import numpy

        bounds = []
        for index in self.directions:
            scaled = self._scaled(self.numeric[index][0].numbers[gold_rows], index)
            slack = REACH + 1e-15 * numpy.abs(scaled)
            bounds.append(
                (numpy.floor(scaled - slack).astype(numpy.int64), numpy.floor(scaled + slack).astype(numpy.int64))
            )
        lefts, rights = [], []
        for sides in product((0, 1), repeat=len(bounds)):
            asking = numpy.ones(len(gold_rows), dtype=bool)
            for side, (low, high) in zip(sides, bounds, strict=True):
                if side:
                    asking &= low != high
            places = numpy.flatnonzero(asking)
            hashes = _hashed([bound[side][places] for side, bound in zip(sides, bounds, strict=True)])
            left, right = self._found(gold_rows, places, hashes)
            lefts.append(left)
            rights.append(right)
        return numpy.concatenate(lefts), numpy.concatenate(rights)

    def _found(self, gold_rows: Array, places: Array, hashes: Array) -> tuple[Array, Array]:
        import numpy

        # Sorted questions find their answers near each other in memory: several times quicker.
        order = numpy.argsort(hashes)
        places, hashes = places[order], hashes[order]
        cell = numpy.searchsorted(self.hashes, hashes)
        hit = self.hashes[numpy.minimum(cell, len(self.hashes) - 1)] == hashes
        places, cell = places[hit], cell[hit]
        start, counts = self.starts[cell], self.starts[cell + 1] - self.starts[cell]
        ends = numpy.cumsum(counts)
        if len(ends) and ends[-1] > MAX_PAIRS:
            raise Unsettled
        lefts, rights = [numpy.empty(0, numpy.int64)], [numpy.empty(0, numpy.int64)]
        first = kept = 0
        while first < len(counts):
            before = int(ends[first - 1]) if first else 0
            last = max(first + 1, int(numpy.searchsorted(ends, before + _CHUNK)))
            number = counts[first:last]
            left = numpy.repeat(places[first:last], number)
            steps = numpy.arange(len(left)) - numpy.repeat(numpy.cumsum(number) - number, number)
            right = self.rows[numpy.repeat(start[first:last], number) + steps]
            for gold, pred in self.numeric:
                keep = gold.equal_to(pred, gold_rows[left], right)
                left, right = left[keep], right[keep]
            kept += len(left)
            if kept > MAX_ALLOWED:
                raise Unsettled
            lefts.append(left)
            rights.append(right)
            first = last
        return numpy.concatenate(lefts), numpy.concatenate(rights)


def _hashed(cells: Sequence[Array]) -> Array:
    """One number for a cell of the grid. Two cells may share one: what is found there is compared anyway."""
    import numpy

    hashed = numpy.zeros(len(cells[0]), dtype=numpy.uint64)
    for cell in cells:
        hashed ^= cell.view(numpy.uint64)
        hashed *= numpy.uint64(0x9E3779B97F4A7C15)
        hashed ^= hashed >> numpy.uint64(31)
    return hashed
