"""Looking through a tile of float32 products: what is surely over a truth's score is counted, what may be is handed on to be scored exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.search.dense_score import Doubles, surely
from karat.search.records import Floats, Integers

_CHUNK = 1 << 18
"""Products looked at together: a megabyte, so that comparing them again and again reads the processor's cache."""
_FEW = 32
"""Where at most one product in this many may matter, those few are taken out and looked at alone."""


@dataclass(frozen=True)
class Seen:
    """What a look at some rows of a tile gave. Places are flat in the whole tile."""

    counts: Integers
    """[level, row]: the values surely over the mark."""
    unsure: Integers
    """Places too near to a mark to tell."""
    levels: Integers
    """Of which level."""
    wanted: Integers
    """Places that may be among the best values of their question."""


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
        step = max(1, _CHUNK // max(1, self.tile.shape[1]))
        seen = [self._look(slice(low, low + step)) for low in range(0, len(self.tile), step)]
        return Seen(
            np.concatenate([one.counts for one in seen], axis=1),
            np.concatenate([one.unsure for one in seen]),
            np.concatenate([one.levels for one in seen]),
            np.concatenate([one.wanted for one in seen]),
        )

    def _look(self, chunk: slice) -> Seen:
        products = self.tile[chunk]
        lows, highs = self.lows[:, chunk], self.highs[:, chunk]
        wanted = surely(self.wanted[chunk], self.slacks[chunk])[0] if self.depth else None
        # What this level and those before it can need. A question with fewer levels has its lowest mark on an earlier one.
        floors = np.minimum.accumulate(lows if wanted is None else np.minimum(lows, wanted), axis=0)
        same = (floors == lows).all(axis=1)
        mask = np.empty(products.shape, bool)
        counts = np.zeros(lows.shape, np.int64)
        between: list[Integers] = []
        few: _Few | None = None
        for level in reversed(range(len(lows))):
            if few is None:
                few = _few(products, floors[level], mask)
            if few is None and not same[level]:
                np.greater_equal(products, lows[level][:, None], out=mask)
            split = _split(products, highs[level], mask) if few is None else few.split(lows[level], highs[level])
            counts[level] = split[0]
            between.append(split[1])
        offset = chunk.start * products.shape[1]
        sizes = [len(part) for part in between]
        return Seen(
            counts,
            offset + np.concatenate([*between, _NOTHING]),
            np.repeat(np.arange(len(lows))[::-1], sizes),
            _NOTHING if wanted is None else offset + self._wanted(products, few, wanted, self.slacks[chunk]),
        )

    def _wanted(self, products: Floats, few: _Few | None, lows: Floats, slacks: Doubles) -> Integers:
        places = np.flatnonzero(products >= lows[:, None]) if few is None else few.at_least(lows)
        if len(places) > 2 * self.depth * len(products) and self.depth < products.shape[1]:
            # More than enough in this block alone, as in the first: only those as good as the best of this block can be wanted.
            kth = np.partition(products, -self.depth, axis=1)[:, -self.depth].astype(np.float64)
            lows = np.maximum(lows, surely(kth, 2 * slacks)[0])
            places = places[products.ravel()[places] >= lows[places // products.shape[1]]]
        return places


_NOTHING: Integers = np.empty(0, np.int64)


@dataclass(frozen=True)
class _Few:
    """The few products that may matter."""

    places: Integers
    rows: Integers
    products: Floats

    def at_least(self, lows: Floats) -> Integers:
        return self.places[self.products >= lows[self.rows]]

    def split(self, lows: Floats, highs: Floats) -> tuple[Integers, Integers]:
        over = self.products >= highs[self.rows]
        between = (self.products >= lows[self.rows]) & ~over
        return np.bincount(self.rows[over], minlength=len(lows)), self.places[between]


def _few(products: Floats, floors: Floats, mask: NDArray[np.bool_]) -> _Few | None:
    """Those from the floors on, if they are few. ``mask`` is room to work in."""
    np.greater_equal(products, floors[:, None], out=mask)
    if np.count_nonzero(mask) * _FEW > mask.size:
        return None
    places = np.flatnonzero(mask)
    return _Few(places, places // products.shape[1], products.ravel()[places])


def _split(products: Floats, highs: Floats, between: NDArray[np.bool_]) -> tuple[Integers, Integers]:
    """(how many of each row are surely over, the places of those between). ``between`` comes in as those from the lows on."""
    over = products >= highs[:, None]
    np.not_equal(over, between, out=between)
    return _trues(over), np.flatnonzero(between)


def _trues(mask: NDArray[np.bool_]) -> Integers:
    """How many of each row are true: eight at a time, added as bytes of one word, which must not grow beyond 255."""
    rows, width = mask.shape
    whole = width - width % _WORDS
    words = mask[:, :whole].view(np.uint64).reshape(rows, -1, _WORDS // 8)
    sums = np.zeros(rows, np.int64)
    for low in range(0, words.shape[1], 255):
        sums += np.add.reduce(words[:, low : low + 255], axis=1).view(np.uint8).sum(axis=1, dtype=np.int64)
    sums += np.count_nonzero(mask[:, whole:], axis=1)
    return sums


_WORDS = 128
"""Columns to a stripe, a multiple of eight."""
