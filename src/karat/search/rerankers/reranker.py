"""What a reranker is: it scores pairs of a question and a text. Counted and timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from karat.core.problems import UserError, count_of
from karat.search.rankers.formulas import Doubles


@dataclass
class Use:
    """What a reranker did: pairs it scored, pairs whose score was in the cache, seconds that the scoring took."""

    scored: int = 0
    cached: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Reranker:
    """(question, texts) → a score for each text; higher is better. The same name and revision always give the same
    scores: they are cached by them."""

    name: str
    revision: str
    score: Callable[[str, Sequence[str]], object]
    batch: int = 0
    """The most texts of one call; what one call brought is kept when the next one fails. 0: all."""
    use: Use = field(default_factory=Use)


def scores_of(reranker: Reranker, question: str, texts: Sequence[str]) -> Doubles:
    """A score for each text, checked."""
    began = time.perf_counter()
    try:
        given = reranker.score(question, list(texts))
    finally:
        reranker.use.seconds += time.perf_counter() - began
    try:
        scores = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        scores = np.zeros((0, 0))
    if scores.shape != (len(texts),):
        got = count_of(len(scores), "score") if scores.ndim == 1 else "something else"
        raise UserError(
            f'the reranker "{reranker.name}" gave {got} for {count_of(len(texts), "text")}',
            hint="It must return a list with one number for each text, in the order of the texts.",
        )
    if not np.isfinite(scores).all():
        bad = texts[int(np.argmin(np.isfinite(scores)))]
        raise UserError(
            f'the reranker "{reranker.name}" gave NaN or an infinite number for "{bad[:60]}" and the question '
            f'"{question[:60]}"'
        )
    reranker.use.scored += len(texts)
    return scores
