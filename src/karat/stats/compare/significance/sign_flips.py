"""The paired permutation test: could the differences as well have come with the other sign?

Were the two runs alike, swapping the two values of a case would change nothing, so every pattern of signs is equally
likely. p is the share of patterns whose sum is at least as far from 0 as the one seen, on both sides. Cases of one
cluster are swapped together: the caller gives their sum. A difference of 0 has no sign and takes no part.

How the patterns are gone through, by the number m of differences that are not 0:
- all of the same size (pass/fail): the exact binomial test, for any m; this is McNemar's test;
- m ≤ 13: every one of the 2^m patterns, exact;
- m < 1,000: 9,999 random patterns and the one seen, so p is never below 1/10,000; the same data give the same patterns;
- from there on: the normal distribution with the variance that the patterns have, Σd².
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.stats.compare.significance.mcnemar import coin_p
from karat.stats.intervals.counted import counted
from karat.stats.intervals.seeds import SEED, generator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Counts = NDArray[np.int64]
    Floats = NDArray[np.float64]

EXACT = 13
MANY = 1_000
PATTERNS = 9_999
ROWS = 1_024
ROUNDING = 1e-9
"""Sums that are equal on paper differ in their last digits; they count as equal."""


def sign_flip_p(
    differences: Sequence[float] | Floats,
    counts: Counts | None = None,
    *,
    seed: int = SEED,
    patterns: int = PATTERNS,
) -> float:
    """The two-sided p-value that the differences are centred at 0. ``counts``: how often each of them comes."""
    import numpy as np

    found, own = counted(np.asarray(differences, dtype=np.float64), counts)
    scale = float(np.abs(found).max(initial=0.0))
    if not scale:
        return 1.0
    found = found / scale  # so that rounding and squares are judged on one scale
    large = np.abs(found) > ROUNDING
    found, own = found[large], own[large]
    sizes, count = np.abs(found), int(own.sum())
    if sizes.max() - sizes.min() <= ROUNDING:
        return coin_p(int(own[found > 0].sum()), count)
    total = abs(float((own * found).sum()))
    if count >= MANY:
        return math.erfc(total / math.sqrt(2 * float((own * np.square(found)).sum())))
    found = np.repeat(found, own)
    seen = total - ROUNDING * count
    sizes = np.sort(np.abs(found))
    if len(found) <= EXACT:
        signs = (np.arange(2 ** len(found))[:, None] >> np.arange(len(found))) & 1
        return float(np.mean(np.abs(_sums(signs, sizes)) >= seen))
    return (1 + _as_far(sizes, seen, seed, patterns)) / (1 + patterns)


def _as_far(sizes: Floats, seen: float, seed: int, patterns: int) -> int:
    """How many of the random sign patterns have a sum at least as far from 0 as the one seen.

    A pattern is drawn as bytes, and the sum of the eight sizes that a byte chooses is looked up: an eighth of the
    additions, and no number for each bit.
    """
    import numpy as np

    rng = generator(seed, sizes)  # by the sizes alone: the signs are what is tested
    width = -(-len(sizes) // 8)
    chosen = _sums_by_byte(sizes, width)
    places = np.arange(width) * 256
    total = sizes.sum()
    count = 0
    for start in range(0, patterns, ROWS):  # in blocks, so that memory stays small
        rows = min(ROWS, patterns - start)
        drawn = np.frombuffer(rng.bytes(rows * width), dtype=np.uint8).reshape(rows, width)
        count += int((np.abs(2 * chosen.take(drawn + places).sum(axis=1) - total) >= seen).sum())
    return count


def _sums_by_byte(sizes: Floats, width: int) -> Floats:
    """For each eight sizes the sums that the 256 bytes choose of them, one after the other."""
    import numpy as np

    eights = np.zeros((width, 8))
    eights.ravel()[: len(sizes)] = sizes
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    found: Floats = (eights[:, None, :] * bits).sum(axis=2).ravel()
    return found


def _sums(bits: NDArray[np.integer], sizes: Floats) -> Floats:
    """The sum of the sizes with a plus where the bit is 1 and a minus where it is 0."""
    totals: Floats = 2 * (bits.astype(sizes.dtype) @ sizes) - sizes.sum()
    return totals
