"""The order that a ranker gives the values of one question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from karat.search.rankers.formulas import UNLISTED, Doubles, ranks_of, rrf, wsum
from karat.search.rankers.tree import Mmr, Named, Ranker, Rerank, Rrf, Wsum, label_of
from karat.search.records import Integers


class Asked(Protocol):
    """One question: what models and rerankers say of the values."""

    def scores(self, name: str) -> Doubles:
        """The model's score of each value; NaN where a recorded run does not list it."""

    def rerank(self, name: str, positions: Integers) -> Doubles:
        """The reranker's score of the values at these positions."""


@dataclass(frozen=True)
class Order:
    """The rank of every value for one question."""

    ranks: Integers
    """1 + the number of other values that come at least as early; ``UNLISTED`` where nothing is known of the value."""
    scores: Doubles | None = None
    """Where the order comes from comparable scores."""

    def first(self, depth: int) -> Integers:
        """The positions of the first values; values that tie in the order of the field."""
        listed = np.flatnonzero(self.ranks > UNLISTED)
        return np.asarray(listed[np.argsort(self.ranks[listed], kind="stable")][:depth])


def order(ranker: Ranker, asked: Asked, known: dict[str, Order]) -> Order:
    """The order of a ranker. ``known`` keeps the orders of this question, so that a part is computed once for all
    rankers that share it."""
    label = label_of(ranker)
    if label not in known:
        known[label] = _order(ranker, asked, known)
    return known[label]


def _order(ranker: Ranker, asked: Asked, known: dict[str, Order]) -> Order:
    match ranker:
        case Named(name):
            return _by_scores(asked.scores(name))
        case Rrf(parts, k, weights):
            ranks = [order(part, asked, known).ranks for part in parts]
            return _by_scores(rrf(ranks, float(k), [float(weight) for weight in weights]))
        case Wsum(parts, weights, norm):
            scores = [found.scores for part in parts if (found := order(part, asked, known)).scores is not None]
            return _by_scores(wsum(scores, [float(weight) for weight in weights], norm))
        case Rerank(first, reranker, depth):
            return _reranked(order(first, asked, known), reranker.name, depth, asked)
        case Mmr():
            raise TypeError("mmr has no rank for every value: see rankers.mmr")


def _by_scores(scores: Doubles) -> Order:
    return Order(ranks_of(scores), scores)


def _reranked(first: Order, reranker: str, depth: int, asked: Asked) -> Order:
    """A value whose rank is within the depth is reordered; values that tie across the cut stay behind it."""
    within = np.flatnonzero((first.ranks > UNLISTED) & (first.ranks <= depth))
    ranks = first.ranks.copy()
    if len(within):
        ranks[within] = ranks_of(asked.rerank(reranker, within))
    return Order(ranks)
