"""What a model says of texts: its vectors, from the cache where there is one, or its own scores, checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from karat.core.problems import UserError
from karat.search.records import Floats, Model, Role

if TYPE_CHECKING:
    from karat.search.models.vectors import VectorCache

CELLS = 16_000_000
"""Scores of a model without vectors that are looked at together."""


def embedded(model: Model, texts: Sequence[str], role: Role, cache: VectorCache | None) -> Floats:
    """The vectors of the texts."""
    from karat.search.models.rows import checked_rows

    if cache is not None:
        return cache.embed(model, texts, role)
    if model.embed is None:
        raise TypeError(f"the model {model.name!r} has neither vectors nor scores")
    return checked_rows(model.embed(texts, role), texts, model.name)


def embedded_both(
    model: Model, questions: Sequence[str], values: Sequence[str], cache: VectorCache | None
) -> tuple[Floats, Floats]:
    """The vectors of the questions and of the values; UserError when their lengths differ."""
    asking, against = embedded(model, questions, "question", cache), embedded(model, values, "value", cache)
    if asking.shape[1] != against.shape[1]:
        raise UserError(
            f'the model "{model.name}" gave vectors of length {asking.shape[1]} for questions and {against.shape[1]} '
            "for values"
        )
    return asking, against


def own_scores(model: Model, questions: Sequence[str], values: Sequence[str]) -> Floats:
    """[question, value]: the scores of a model without vectors."""
    score: Callable[[Sequence[str], Sequence[str]], Floats] | None = model.score
    scores = np.asarray(score(questions, values), np.float32) if score is not None else np.zeros((0, 0), np.float32)
    if scores.shape != (len(questions), len(values)):
        raise UserError(
            f'the model "{model.name}" gave scores of shape {scores.shape} for {len(questions)} questions and '
            f"{len(values)} values",
            hint="It must return a row for each question, with a score for each value.",
        )
    if np.isnan(scores).any():
        row, column = np.argwhere(np.isnan(scores))[0]
        raise UserError(
            f'the model "{model.name}" did not give a number as the score of {values[column]!r} for the question '
            f"{questions[row]!r}",
            hint="A score may be any number; a value that does not match should get the lowest.",
        )
    return scores
