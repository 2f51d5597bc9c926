"""Maximal marginal relevance: each step takes the value with the largest λ · s(q, d) - (1 - λ) · max s(d, taken).

s is the cosine. The first value is the one nearest to the question. The list for n is the beginning of the list for
n + 1, so the place of a value in the list is its rank. A truth loses every tie: its rank is its place in the list that
is made with it behind all values it ties with. With λ = 1 these are the ranks of the model itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from karat.search.rankers.formulas import Doubles
from karat.search.records import DEEPER, NOT_A_VALUE, Integers

Similar = Callable[[int], Doubles]
"""The position of a value → its cosine with every value."""


def mmr_order(
    near: Doubles, similar: Similar, share: float, wanted: Sequence[int], depth: int
) -> tuple[Integers, Integers]:
    """(the rank of each wanted position, the positions of the first ``depth`` values) for one question. ``DEEPER``
    where the rank is beyond the depth, ``NOT_A_VALUE`` for a position below 0. Ties between others go to the first."""
    listed, tied = _list(near, similar, share, depth)
    ranks = []
    for place in wanted:
        if place < 0:
            ranks.append(NOT_A_VALUE)
            continue
        own = _list(near, similar, share, depth, place)[0] if place in tied else listed
        ranks.append(own.index(place) + 1 if place in own else DEEPER)
    return np.array(ranks, np.int64), np.array(listed, np.int64)


def _list(near: Doubles, similar: Similar, share: float, depth: int, loser: int = -1) -> tuple[list[int], set[int]]:
    """The first values, and all that ever tied for the next place."""
    left = np.ones(len(near), np.bool_)
    nearest_taken = np.full(len(near), -np.inf)
    taken: list[int] = []
    tied: set[int] = set()
    gain = near
    while len(taken) < min(depth, len(near)):
        best = gain[left].max()
        equal = np.flatnonzero(left & (gain == best)).tolist()
        if len(equal) > 1:
            tied.update(equal)
        taken.append(next((place for place in equal if place != loser), equal[0]))
        if taken[-1] == loser:
            break
        left[taken[-1]] = False
        nearest_taken = np.maximum(nearest_taken, similar(taken[-1]))
        gain = share * near - (1 - share) * nearest_taken
    return taken, tied
