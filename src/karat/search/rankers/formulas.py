"""The formulas of fusion, for the values of one question.

- Rank of a value: 1 + the number of *other* values that score at least as much. A value that a recorded run does not
  list has no score (NaN) and no rank (0).
- rrf: s(d) = Σ w / (k + rank(d)); a value without a rank adds 0. A model for which all values tie adds the same to all
  of them, and is left out.
- wsum with minmax: s(d) = Σ w · (x(d) - min) / (max - min), over the values that have a score; 0 where max = min.
  With zscore: s(d) = Σ w · (x(d) - mean) / sd, where sd is the standard deviation of all of them (divided by n); 0
  where it is 0. A value without a score adds 0.
- The parts of a sum are added smallest first, so that the same parts give the same float, and tie.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from karat.core.problems import UserError
from karat.search.rankers.tree import Norm
from karat.search.records import Integers

Doubles = NDArray[np.float64]

UNLISTED = 0
"""The rank of a value that a recorded run does not list."""


def ranks_of(scores: Doubles) -> Integers:
    """The rank of every value; ``UNLISTED`` where the score is NaN."""
    known = ~np.isnan(scores)
    ordered = np.sort(scores[known])
    ranks = np.zeros(len(scores), np.int64)
    ranks[known] = len(ordered) - np.searchsorted(ordered, scores[known], side="left")
    return ranks


def rrf(ranks: Sequence[Integers], k: float, weights: Sequence[float]) -> Doubles:
    """The fused score of every value; NaN where no part has it."""
    parts = []
    for own, weight in zip(ranks, weights, strict=True):
        listed = own > UNLISTED
        if bool((own == len(own)).all()):
            continue  # all values tie
        part = np.zeros(len(own))
        part[listed] = weight / (k + own[listed])
        parts.append(part)
    return _only_listed(_sum(parts, len(ranks[0])), [own > UNLISTED for own in ranks])


def wsum(scores: Sequence[Doubles], weights: Sequence[float], norm: Norm) -> Doubles:
    """The weighted sum of the normalised scores; NaN where no part has the value."""
    parts = []
    for own, weight in zip(scores, weights, strict=True):
        part = np.zeros(len(own))
        known = ~np.isnan(own)
        if known.any():
            part[known] = weight * (_minmax(own[known]) if norm == "minmax" else _zscore(own[known]))
        parts.append(part)
    return _only_listed(_sum(parts, len(scores[0])), [~np.isnan(own) for own in scores])


def _minmax(scores: Doubles) -> Doubles:
    low, high = float(scores.min()), float(scores.max())
    _finite(low, high)
    return np.zeros(len(scores)) if low == high else (scores - low) / (high - low)


def _zscore(scores: Doubles) -> Doubles:
    low, high = float(scores.min()), float(scores.max())
    _finite(low, high)
    if low == high:
        return np.zeros(len(scores))
    # fsum is exact, so the mean does not depend on the order of the values.
    mean = math.fsum(scores.tolist()) / len(scores)
    off = scores - mean
    deviation = math.sqrt(math.fsum((off * off).tolist()) / len(scores))
    return off / deviation if deviation > 0 else np.zeros(len(scores))


def _finite(low: float, high: float) -> None:
    if not (math.isfinite(low) and math.isfinite(high)):
        raise UserError("wsum needs finite scores, and a model gave an infinite one", hint="Use rrf instead.")


def _sum(parts: Sequence[Doubles], size: int) -> Doubles:
    """Smallest first, value by value."""
    total = np.zeros(size)
    for part in np.sort(np.stack(parts), axis=0) if parts else ():
        total += part
    return total


def _only_listed(total: Doubles, listed: Sequence[NDArray[np.bool_]]) -> Doubles:
    total[~np.logical_or.reduce(listed)] = np.nan
    return total
