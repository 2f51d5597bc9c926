"""Ranking a field's values for questions: the n best of them, and the rank of every truth in one pass.

A rank says how many other values score at least as much, plus one: a tie never helps. From one rank for each truth
follows what is found at every n, so no n is ever tried. ``ranks.score`` says what the score of two vectors is, exactly;
a model with scores of its own is taken at its word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: arguments of the block that is computed elsewhere

import numpy as np

from karat.search.ranks.dense import Found, Watch, rank_rows, unwatched
from karat.search.ranks.device import on_gpu
from karat.search.ranks.sources import CELLS, embedded_both, own_scores
from karat.search.records import NOT_A_VALUE, FieldRanks, Floats, Integers, Model, ModelRanks

if TYPE_CHECKING:
    from karat.search.models.vectors import VectorCache

Block = tuple[list[Integers], Integers]
Pass = tuple[list[Integers], Integers, Floats]
"""The ranks of each question's truths, the positions of the best values, and their scores."""
Spread = Callable[[Callable[..., Block], Sequence[tuple[Any, ...]]], list[Block]]
"""(work, arguments of each call) → what each call gives, in order; wherever they are made."""

AT_ONCE = 256
"""Questions of one call elsewhere."""


def best(
    model: Model, questions: Sequence[str], values: Sequence[str], n: int, cache: VectorCache | None = None
) -> tuple[Integers, Floats]:
    """(positions, scores) of the n best values, a row for each question; equal scores in the order of the values, which
    are distinct.

    There are fewer than n columns where there are fewer values. A ranker that gives only an order has NaN for scores.
    """
    _, positions, scores = rank_passes([model], questions, values, [()] * len(questions), n, cache, scored=True)[0]
    return positions, scores


def rank_field(
    field: str,
    values: Sequence[str],
    questions: Sequence[str],
    truths: Sequence[Sequence[str]],
    models: Sequence[Model],
    *,
    depth: int,
    keys: Sequence[str] | None = None,
    encoding: str | None = "o200k_base",
    cache: VectorCache | None = None,
    watch: Watch = unwatched,
    spread: Spread | None = None,
) -> FieldRanks:
    """One pass of each model over the values: the rank of every truth, and what the n best values cost, for n up to
    ``depth``.

    Truths name values by their text, and of equal values the first counts, the others are left out; or by their
    ``keys``, one for each value, and then equal texts are different values. Without an ``encoding`` every value costs
    1. ``watch`` receives how many values are
    done, of how many, for all models. ``spread`` does the passes elsewhere, some questions at a time; the ranks are the
    same. Where the values are chunks, the truths are spans of their documents.
    """
    from karat.search.chunks.rank import chunks_in, rank_chunks

    if keys is None and (chunks := chunks_in(values)):
        return rank_chunks(
            field,
            chunks,
            questions,
            truths,
            models,
            depth=depth,
            encoding=encoding,
            cache=cache,
            watch=watch,
            spread=spread,
        )
    texts = list(values) if keys is not None else list(dict.fromkeys(values))
    places = {key: place for place, key in enumerate(texts if keys is None else keys)}
    wanted = [[places.get(truth, -1) for truth in of_question] for of_question in truths]
    costs = TokenCosts(texts, encoding)
    found = [
        ModelRanks(model.name, model.cost, tuple(ranks), np.cumsum(costs.of(positions), axis=1))
        for model, (ranks, positions, _) in zip(
            models, rank_passes(models, questions, texts, wanted, depth, cache, watch, spread), strict=True
        )
    ]
    free = texts.count("") if encoding else 0
    return FieldRanks(field, tuple(tuple(of_question) for of_question in truths), tuple(found), free)


def rank_passes(
    models: Sequence[Model],
    questions: Sequence[str],
    values: Sequence[str],
    wanted: Sequence[Sequence[int]],
    depth: int,
    cache: VectorCache | None = None,
    watch: Watch = unwatched,
    spread: Spread | None = None,
    *,
    scored: bool = False,
) -> list[Pass]:
    """What each model gives for texts that are all different values. ``wanted`` are positions; below 0: not a value.
    Rankers that share models are computed together, and have scores only when these are asked for."""
    from karat.search.rankers.combined import CombinedModel

    found: dict[str, Pass] = {}
    together: list[CombinedModel] = []
    for number, model in enumerate(models):

        def of_all(done: int, of: int, number: int = number) -> None:
            watch(number * of + done, len(models) * of)

        if spread is not None:
            ranks, positions = _spread_pass(model, questions, values, wanted, depth, spread)
            found[model.name] = (ranks, positions, np.zeros(positions.shape, np.float32))
            of_all(len(values), len(values))
        elif isinstance(model, CombinedModel):
            together.append(model)
        else:
            found[model.name] = _pass(model, questions, values, wanted, depth, cache, of_all)
    if together:
        from karat.search.rankers.texts import combined_passes

        passes = combined_passes(together, questions, values, wanted, depth, cache, scored=scored)
        found.update(zip((model.name for model in together), passes, strict=True))
        watch(len(models) * len(values), len(models) * len(values))
    return [found[model.name] for model in models]


def _spread_pass(
    model: Model,
    questions: Sequence[str],
    values: Sequence[str],
    wanted: Sequence[Sequence[int]],
    depth: int,
    spread: Spread,
) -> tuple[list[Integers], Integers]:
    parts = [slice(low, low + AT_ONCE) for low in range(0, max(1, len(questions)), AT_ONCE)]
    done = spread(rank_block, [(model.name, questions[part], values, wanted[part], depth) for part in parts])
    return [ranks for block, _ in done for ranks in block], np.concatenate([positions for _, positions in done])


def rank_block(
    model: str, questions: Sequence[str], values: Sequence[str], wanted: Sequence[Sequence[int]], depth: int
) -> tuple[list[Integers], Integers]:
    """What a worker does: (ranks of each question's truths, positions of the best). The model is loaded there by its
    name, and its vectors are kept in the worker's own cache."""
    from karat.core.files.project_folder import vectors_folder
    from karat.search.models.vectors import VectorCache
    from karat.search.rankers.load import load_ranker

    cache = VectorCache(vectors_folder(Path.cwd() / "any.sheet"))  # that of a sheet in the worker's folder
    ranks, positions, _ = rank_passes([load_ranker(model)], questions, values, wanted, depth, cache)[0]
    return ranks, positions


class TokenCosts:
    """The tokens of the values, counted once for each and only for those that any model puts among its best; 1 for each
    without an encoding."""

    def __init__(self, values: Sequence[str], encoding: str | None) -> None:
        self._values, self._encoding = values, encoding or ""
        self._tokens: Integers = np.full(len(values), -1 if encoding else 1, np.int64)

    def of(self, positions: Integers) -> Integers:
        """The tokens of the value at each position."""
        from karat.search.tokens import count_tokens

        needed = np.unique(positions)
        needed = needed[self._tokens[needed] < 0]
        if len(needed):
            self._tokens[needed] = count_tokens([self._values[place] for place in needed], self._encoding)
        return self._tokens[positions]


def _pass(
    model: Model,
    questions: Sequence[str],
    values: Sequence[str],
    wanted: Sequence[Sequence[int]],
    depth: int,
    cache: VectorCache | None,
    watch: Watch,
) -> Pass:
    """(ranks of each question's truths, positions of the best, their scores). ``wanted`` are positions; below 0: not a
    value."""
    depth = max(0, min(depth, len(values)))
    if not questions or not values:
        nothing = [np.full(len(of_row), NOT_A_VALUE, np.int64) for of_row in wanted]
        return nothing, np.zeros((len(questions), depth), np.int64), np.zeros((len(questions), depth), np.float32)
    if model.score is not None:
        return _scored(model, questions, values, wanted, depth, watch)
    pairs = np.array([(row, place) for row, of_row in enumerate(wanted) for place in of_row], np.int64).reshape(-1, 2)
    asking, against = embedded_both(model, questions, values, cache)
    found = _ranked(asking, against, pairs, depth, watch)
    ends = np.cumsum([len(of_row) for of_row in wanted])
    return [np.asarray(part) for part in np.split(found.ranks, ends[:-1])], found.best, found.scores


def _ranked(questions: Floats, values: Floats, truths: Integers, depth: int, watch: Watch) -> Found:
    if on_gpu(len(questions) * len(values)):
        from karat.search.gpu.ranks import rank_rows_on_gpu

        return rank_rows_on_gpu(questions, values, truths, depth=depth, watch=watch)
    return rank_rows(questions, values, truths, depth=depth, watch=watch)


def _scored(
    model: Model,
    questions: Sequence[str],
    values: Sequence[str],
    wanted: Sequence[Sequence[int]],
    depth: int,
    watch: Watch,
) -> Pass:
    """The same from a model's own scores, some questions at a time."""
    ranks: list[Integers] = []
    positions = np.zeros((len(questions), depth), np.int64)
    scores = np.zeros((len(questions), depth), np.float32)
    step = max(1, CELLS // len(values))
    for low in range(0, len(questions), step):
        some = questions[low : low + step]
        for row, own in enumerate(own_scores(model, some, values), low):
            ranks.append(np.array([_rank(own, place) for place in wanted[row]], np.int64))
            positions[row] = _first(own, depth)
            scores[row] = own[positions[row]]
        watch(len(values) * (low + len(some)) // len(questions), len(values))
    return ranks, positions, scores


def _rank(scores: Floats, place: int) -> int:
    return NOT_A_VALUE if place < 0 else int(np.count_nonzero(scores >= scores[place]))


def _first(scores: Floats, depth: int) -> Integers:
    """The positions of the highest scores, best first, equal ones in order."""
    if 0 < depth < len(scores):
        least = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        above = np.flatnonzero(scores > least)
        chosen = np.concatenate([above, np.flatnonzero(scores == least)[: depth - len(above)]])
    else:
        chosen = np.arange(len(scores))[:depth]
    return np.asarray(chosen[np.lexsort((chosen, -scores[chosen]))])
