"""Rankers over texts: the ranks of the truths and the first values, for all rankers of a field together.

Some questions at a time: each model scores all values for them once, whatever the number of rankers that use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from karat.search.rankers.all_scores import all_scores
from karat.search.rankers.combined import CombinedModel
from karat.search.rankers.formulas import Doubles
from karat.search.rankers.mmr import Similar, mmr_order
from karat.search.rankers.order import Order, order
from karat.search.rankers.tree import Mmr
from karat.search.ranks.sources import CELLS, embedded_both, own_scores
from karat.search.records import NOT_A_VALUE, Floats, Integers, Model
from karat.search.rerankers.cache import ScoreCache
from karat.search.rerankers.reranker import Reranker

if TYPE_CHECKING:
    from karat.search.models.vectors import VectorCache
    from karat.search.ranks.ranking import Pass


def combined_passes(
    models: Sequence[CombinedModel],
    questions: Sequence[str],
    values: Sequence[str],
    wanted: Sequence[Sequence[int]],
    depth: int,
    cache: VectorCache | None,
    *,
    scored: bool,
) -> list[Pass]:
    """What each ranker gives, as :func:`karat.search.ranks.ranking.rank_passes` says. The scores of the first values
    only where they are asked for: with many rankers they would fill the memory."""
    depth = max(0, min(depth, len(values)))
    ranks: list[list[Integers]] = [[] for _ in models]
    positions = np.zeros((len(models), len(questions), depth), np.int64)
    scores = np.full((len(models), len(questions), depth if scored else 0), np.nan, np.float32)
    if questions and values:
        parts = {name: part for model in models for name, part in model.parts.items()}
        rerankers = {name: one for model in models for name, one in model.rerankers.items()}
        scorer = _Scorer(parts, rerankers, questions, values, ScoreCache(cache.folder if cache else None), cache)
        step = max(1, CELLS // len(values) // max(1, len(parts)))
        for low in range(0, len(questions), step):
            scorer.block(low, min(low + step, len(questions)))
            for row in range(low, min(low + step, len(questions))):
                known: dict[str, Order] = {}
                asked = _Asked(scorer, row)
                for number, model in enumerate(models):
                    own, first, near = _one(model, asked, wanted[row], depth, known)
                    ranks[number].append(own)
                    positions[number, row] = first
                    if scored:
                        scores[number, row] = near
    else:
        ranks = [[np.full(len(row), NOT_A_VALUE, np.int64) for row in wanted] for _ in models]
    return [(ranks[number], positions[number], scores[number]) for number in range(len(models))]


def _one(
    model: CombinedModel, asked: _Asked, wanted: Sequence[int], depth: int, known: dict[str, Order]
) -> tuple[Integers, Integers, Doubles]:
    """(ranks of the wanted positions, first positions, their scores) of one ranker for one question."""
    if isinstance(model.ranker, Mmr):
        near = asked.scores(model.ranker.model.name)
        similar = asked.scorer.similar(model.ranker.model.name)
        ranks, first = mmr_order(near, similar, float(model.ranker.share), wanted, depth)
        return ranks, first, near[first]
    found = order(model.ranker, asked, known)
    ranks = np.array([NOT_A_VALUE if place < 0 else found.ranks[place] for place in wanted], np.int64)
    first = found.first(depth)
    return ranks, first, np.full(depth, np.nan) if found.scores is None else found.scores[first]


@dataclass
class _Scorer:
    """All models and rerankers over the values; the scores of the current block of questions."""

    models: dict[str, Model]
    rerankers: dict[str, Reranker]
    questions: Sequence[str]
    values: Sequence[str]
    kept: ScoreCache
    cache: VectorCache | None
    low: int = 0
    scores: dict[str, Floats] = field(default_factory=dict)
    _vectors: dict[str, tuple[Floats, Floats]] = field(default_factory=dict)
    _similar: dict[tuple[str, int], Doubles] = field(default_factory=dict)

    def block(self, low: int, high: int) -> None:
        """Begin with another block of questions."""
        self.low = low
        self.scores = {name: self._block(model, low, high) for name, model in self.models.items()}

    def _block(self, model: Model, low: int, high: int) -> Floats:
        if model.score is not None:
            return own_scores(model, self.questions[low:high], self.values)
        asking, against = self._both(model.name)
        return all_scores(asking[low:high], against)

    def _both(self, name: str) -> tuple[Floats, Floats]:
        if name not in self._vectors:
            self._vectors[name] = embedded_both(self.models[name], self.questions, self.values, self.cache)
        return self._vectors[name]

    def similar(self, name: str) -> Similar:
        """The cosine of one value with every value. Rows are kept while they are few: the lists of one question share
        most of them."""

        def of(place: int) -> Doubles:
            if (name, place) not in self._similar:
                if (len(self._similar) + 1) * len(self.values) > CELLS:
                    self._similar.clear()
                against = self._both(name)[1]
                self._similar[name, place] = all_scores(against[place : place + 1], against)[0].astype(np.float64)
            return self._similar[name, place]

        return of


@dataclass(frozen=True)
class _Asked:
    """One question of the current block."""

    scorer: _Scorer
    row: int

    def scores(self, name: str) -> Doubles:
        return np.asarray(self.scorer.scores[name][self.row - self.scorer.low], np.float64)

    def rerank(self, name: str, positions: Integers) -> Doubles:
        texts = [self.scorer.values[place] for place in positions.tolist()]
        return self.scorer.kept.scores(self.scorer.rerankers[name], self.scorer.questions[self.row], texts)
