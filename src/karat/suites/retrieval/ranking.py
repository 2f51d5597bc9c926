"""The order of results, as trec_eval has it, and the ranks of a few keys in it.

Scores are compared as float32, higher first; among equal scores the greater key comes first (as bytes, which for UTF-8
is the order of Python's strings). Only ranks of wanted keys are ever needed, so nothing but the plain scores is sorted:
the rank of a key is one more than the number of results above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from karat.suites.retrieval.records import Ranked

Ranks = NDArray[np.int64]
Scores = NDArray[np.float32]


class NotANumber(ValueError):
    """A score is NaN, so that there is no order."""


def as_scores(values: Sequence[float] | NDArray[np.float64]) -> Scores:
    """Scores as trec_eval compares them. What float32 cannot hold becomes infinite, and ties."""
    with np.errstate(over="ignore"):
        return np.asarray(values, dtype=np.float64).astype(np.float32)


def ranks_by_score(wanted_keys: Sequence[str], wanted: Scores, keys: Iterable[str], scores: Scores) -> Ranks:
    """The ranks, from 1, of the wanted keys with their scores among all the keys with theirs. Raises
    :class:`NotANumber`."""
    ordered = np.sort(scores)
    if ordered.size and np.isnan(ordered[-1]):  # NaN sorts last
        raise NotANumber("a score is not a number")
    upto = ordered.searchsorted(wanted, side="right")
    ranks: Ranks = ordered.size - upto + 1
    tied = ordered.searchsorted(wanted, side="left") < upto - 1
    if tied.any():
        _settle_ties(ranks, np.flatnonzero(tied), wanted_keys, wanted, list(keys), scores)
    return ranks


def _settle_ties(
    ranks: Ranks,
    tied: NDArray[np.intp],
    wanted_keys: Sequence[str],
    wanted: Scores,
    keys: Sequence[str],
    scores: Scores,
) -> None:
    """Add to each tied rank the number of keys that have the same score and are greater."""
    for score in set(wanted[tied].tolist()):
        equal = sorted((keys[place] for place in np.flatnonzero(scores == np.float32(score)).tolist()), reverse=True)
        places = {key: place for place, key in enumerate(equal)}
        for index in tied.tolist():
            if wanted[index] == score:
                ranks[index] += places[wanted_keys[index]]


Place = tuple[int, str, float | None]
"""(rank, key, score)"""


def all_places(ranked: Ranked) -> list[Place]:
    """Every place as it counts: by score, equal scores by key, as trec_eval has it."""
    if ranked.scores is None:
        return [(rank, key, None) for rank, key in enumerate(ranked.keys, start=1)]
    rows = sorted(zip(as_scores(ranked.scores).tolist(), ranked.keys, strict=True), key=itemgetter(0, 1), reverse=True)
    return [(rank, key, score) for rank, (score, key) in enumerate(rows, start=1)]
