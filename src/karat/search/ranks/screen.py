"""Looking through a tile of float32 products: what is surely over a truth's score is counted, what may be is handed on
to be scored exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.search.ranks.score import Doubles, surely
from karat.search.records import Floats, Integers

Mask = NDArray[np.bool_]
Bits = NDArray[np.uint8]
"""Eight columns to a byte, the first in its highest bit."""

_NOTHING: Integers = np.empty(0, np.int64)
_FAR = np.float32(np.inf)
_CHUNK = 1 << 17
"""Products looked at together: half a megabyte, so that comparing them again and again reads the processor's cache."""
_FEW = 32
"""Where at most one product in this many may matter, those few are taken out and looked at alone."""


@dataclass(frozen=True)
class Seen:
    """What a look at a tile gave. Places are flat in it."""

    counts: Integers
    """[level, row]: the values surely over the mark."""
    unsure: Integers
    """Places too near to a mark to tell."""
    levels: Integers
    """Of which level."""
    wanted: Integers
    """Places that may be among the best values of their question, those of a row together and in order."""


@dataclass(frozen=True)
class Screen:
    """The products of some questions (rows) with a block of values (columns), and the levels to hold them against."""

    tile: Floats
    lows: Floats
    """[level, row]: a product below is surely under the mark. Levels go down: the lowest marks are on the last."""
    highs: Floats
    """[level, row]: a product from here on is surely over it."""
    depth: int
    """How many best values are gathered."""
    wanted: Doubles
    """[row]: a sum above may be among the best; minus infinity where all may be."""
    slacks: Doubles

    def look(self) -> Seen:
        """At the whole tile, some rows after the others."""
        count, width = self.tile.shape
        step = max(1, _CHUNK // max(1, width))
        room = np.empty((min(step, count), width), bool)
        wanted = surely(self.wanted, self.slacks)[0] if self.depth else None
        # What this level and those before it can need. A question with fewer levels has its lowest mark on an earlier
        # one.
        floors = np.minimum.accumulate(self.lows if wanted is None else np.minimum(self.lows, wanted), axis=0)
        same = floors == self.lows
        counts = np.zeros(self.lows.shape, np.int64)
        unsure, levels, found = [_NOTHING], [_NOTHING], [_NOTHING]
        taken: list[_Few] = []
        done = np.zeros(count, np.int64)
        for low in range(0, count, step):
            chunk = slice(low, low + step)
            left, few, over, between = self._look(chunk, floors[:, chunk], same[:, chunk].all(axis=1), room)
            counts[left:, chunk] = over
            done[chunk] = left
            unsure.append(low * width + between[1])
            levels.append(left + between[0])
            if few is not None:
                taken.append(few.moved(low, width))
            elif wanted is not None:
                found.append(low * width + self._wanted(self.tile[chunk], wanted[chunk], self.slacks[chunk]))
        few = _together(taken)
        for level in range(len(self.lows)):
            # On the levels where all of a row was looked at, its few say nothing new.
            still = level < done
            marks = (np.where(still, ends[level], _FAR) for ends in (self.lows, self.highs))
            more, between_few = few.split(*marks)
            counts[level] += more
            unsure.append(between_few)
            levels.append(np.full(len(between_few), level))
        if wanted is not None:
            found.append(few.at_least(wanted))
        return Seen(
            counts,
            np.concatenate(unsure),
            np.concatenate(levels),
            np.concatenate(found) if len(found) < 3 else np.sort(np.concatenate(found)),
        )

    def _look(
        self, chunk: slice, floors: Floats, same: Mask, room: Mask
    ) -> tuple[int, _Few | None, Integers, tuple[Integers, Integers]]:
        """(first level that was looked at in full, the few that those before it need, how many of each row are over on
        the others, (level, place) of those between). Levels are looked at from the lowest on until few products can
        matter."""
        products = self.tile[chunk]
        left, few = len(floors), None
        low_bits: list[Bits] = []
        high_bits: list[Bits] = []
        while left:
            bits = _reached(products, floors[left - 1], room)
            if int(np.bitwise_count(_words(bits)).sum()) * _FEW <= products.size:
                rows, places = _places(bits, products.shape[1], bits)
                few = _Few(places, rows, products.ravel()[places])
                break
            left -= 1
            low_bits.append(bits if same[left] else _reached(products, self.lows[left, chunk], room))
            high_bits.append(_reached(products, self.highs[left, chunk], room))
        if not low_bits:
            return left, few, np.zeros((0, len(products)), np.int64), (_NOTHING, _NOTHING)
        over, between = np.concatenate(high_bits[::-1]), np.concatenate(low_bits[::-1])
        between ^= over
        level_rows, places = _places(between, products.shape[1], _words(between))
        level, row = np.divmod(level_rows, len(products))
        counts = _counted(over).reshape(-1, len(products))
        return left, few, counts, (level, places - (level_rows - row) * products.shape[1])

    def best_of(self, rows: Integers, lows: Floats) -> Integers:
        """Places that may be among the best of these rows, of which a great part reaches ``lows``."""
        width = self.tile.shape[1]
        places = self._wanted(self.tile[rows], lows, self.slacks[rows])
        return np.asarray(rows[places // width] * width + places % width)

    def _wanted(self, products: Floats, lows: Floats, slacks: Doubles) -> Integers:
        places = np.flatnonzero(products >= lows[:, None])
        if len(places) > 2 * self.depth * len(products) and self.depth < products.shape[1]:
            # More than enough in this block alone, as in the first: only those as good as the best of this block can be
            # wanted.
            kth = np.partition(products, -self.depth, axis=1)[:, -self.depth].astype(np.float64)
            lows = np.maximum(lows, surely(kth, 2 * slacks)[0])
            places = places[products.ravel()[places] >= lows[places // products.shape[1]]]
        return places


@dataclass(frozen=True)
class _Few:
    """The few products that may matter."""

    places: Integers
    rows: Integers
    products: Floats

    def moved(self, row: int, width: int) -> _Few:
        """The same, of rows that begin at this one."""
        return _Few(self.places + row * width, self.rows + row, self.products)

    def at_least(self, lows: Floats) -> Integers:
        return self.places[self.products >= lows[self.rows]]

    def split(self, lows: Floats, highs: Floats) -> tuple[Integers, Integers]:
        """(how many of each row are surely over, the places of those between)."""
        over = self.products >= highs[self.rows]
        between = (self.products >= lows[self.rows]) & ~over
        return np.bincount(self.rows[over], minlength=len(lows)), self.places[between]


def _together(parts: Sequence[_Few]) -> _Few:
    return _Few(
        np.concatenate([_NOTHING, *(part.places for part in parts)]),
        np.concatenate([_NOTHING, *(part.rows for part in parts)]),
        np.concatenate([np.empty(0, np.float32), *(part.products for part in parts)]),
    )


def _reached(products: Floats, marks: Floats, room: Mask) -> Bits:
    """Which products reach their row's mark: a bit for each, so that many are counted, or passed over, at once."""
    mask = room[: len(products)]
    np.greater_equal(products, marks[:, None], out=mask)
    whole = products.shape[1] % 8 == 0  # packed as one row, which is quicker
    return np.packbits(mask).reshape(len(products), -1) if whole else np.packbits(mask, axis=1)


def _words(bits: Bits) -> NDArray[np.unsignedinteger]:
    """The same bits in words of sixty-four where they fill them."""
    return bits.view(np.uint64) if bits.shape[-1] % 8 == 0 else bits


def _counted(bits: Bits) -> Integers:
    """How many bits of each row are set."""
    return np.asarray(np.bitwise_count(_words(bits)).sum(axis=1, dtype=np.int64))


def _places(bits: Bits, width: int, units: NDArray[np.unsignedinteger]) -> tuple[Integers, Integers]:
    """(rows, flat places) of the bits that are set, in order. Units (bytes or words) without any are not opened."""
    units = units.ravel()
    held = np.flatnonzero(units != 0)
    opened = np.flatnonzero(np.unpackbits(units[held].view(np.uint8)))
    shift = (8 * units.itemsize).bit_length() - 1
    rows = np.repeat(np.arange(len(bits)), _counted(bits))
    places = (held[opened >> shift] << shift) + (opened & ((1 << shift) - 1))
    places -= rows * (8 * bits.shape[1] - width)
    return rows, places
