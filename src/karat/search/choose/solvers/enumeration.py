"""Every combination of options at once, where they are few enough: the best choice for many parts of the questions, and
the figures that a front is made from.

A part of the questions is a row of weights: how often each question is in it. What a combination passes is a product of
matrices, in whole numbers that floating point holds exactly; everything else is a sum over fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm, prod

import numpy as np
from numpy.typing import NDArray

from karat.search.choose.problem import Problem
from karat.search.choose.solvers.combinations import RECALL_PARTS, Program
from karat.search.records import Integers

SMALL = 20_000
"""Combinations that are looked at for each of many parts of the questions."""
LARGE = 4_000_000
"""Combinations that are looked at once."""
CELLS = 2_000_000
"""Numbers of one block."""

Grid = NDArray[np.int64]


@dataclass(frozen=True)
class Figures:
    """Of every combination, in the order of :func:`numpy.unravel_index`."""

    sizes: tuple[int, ...]
    passed: Integers
    recall: Integers
    tokens: Integers
    rest: Integers

    def taken(self, place: int) -> tuple[int, ...]:
        """The options of the combination at this place."""
        return tuple(int(at) for at in np.unravel_index(place, self.sizes))


def figures_of(program: Program) -> Figures | None:
    """None where there are too many combinations."""
    sizes = tuple(len(field.options) for field in program.fields)
    if prod(sizes) > LARGE:
        return None
    passed = _passed(program.found, program.need, program.weights[:, None].astype(np.float64))[:, 0]
    columns = [_sums([column[a:b] for a, b in _ranges(program)]) for column in (program.recall, program.tokens)]
    rest = _sums([program.rest[a:b] for a, b in _ranges(program)])
    return Figures(sizes, passed.astype(np.int64), columns[0], columns[1], rest)


def _ranges(program: Program) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in zip(program.starts[:-1], program.starts[1:], strict=True)]


def few_combinations(problem: Problem) -> bool:
    """Whether :func:`choices_for` can be used."""
    return prod(len(one.n) for one in problem.candidates) <= SMALL


def choices_for(problem: Problem, weights: Integers) -> Integers:
    """[part, field]: the best candidate of each field for each part of the questions, chosen on that part alone.

    ``weights``: [part, question]. The order of the objective is that of a single choice.
    """
    questions = problem.asked
    found = [one.found[:, questions] for one in problem.candidates]
    recalls = _recall_parts(problem, weights)
    costs = [_worst(one.cost, weights) for one in problem.candidates]
    models = 2 + max(int(one.model.max()) for one in problem.candidates)
    dearest = 1 + len(found) * models
    rest = _sums([(one.n * dearest + one.dearness) * dearest + one.model + 1 for one in problem.candidates])
    sizes = tuple(len(one.n) for one in problem.candidates)
    step = max(1, CELLS // len(rest))
    best: list[Integers] = []
    for low in range(0, len(weights), step):
        part = slice(low, low + step)
        own = weights[part][:, questions].T.astype(np.float64)
        passed = _passed(found, problem.need[questions], own)
        recall = _sums([column[:, part] for column in recalls])
        tokens = _sums([column[:, part] for column in costs])
        fits = tokens <= problem.limits.budget
        alive = fits
        for figure in (passed, recall, -tokens, np.broadcast_to(-rest[:, None], tokens.shape)):
            shown = np.where(alive, figure, -np.inf if figure.dtype.kind == "f" else np.iinfo(np.int64).min)
            alive = alive & (shown == shown.max(axis=0))
        best.append(alive.argmax(axis=0))
    places = np.concatenate(best) if best else np.empty(0, np.int64)
    return np.stack(np.unravel_index(places, sizes), axis=1)


def _passed(found: Sequence[Integers], need: Integers, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """[combination, part]: the weight of the questions that pass."""
    sizes = tuple(len(part) for part in found)
    total = prod(sizes)
    small = [part.astype(np.int32) for part in found]
    result = np.empty((total, weights.shape[1]))
    step = max(1, CELLS // max(1, len(need)))
    for low in range(0, total, step):
        places = np.unravel_index(np.arange(low, min(low + step, total)), sizes)
        counts = small[0][places[0]]
        for part, own in zip(small[1:], places[1:], strict=True):
            counts = counts + part[own]
        result[low : low + step] = (counts >= need).astype(np.float64) @ weights
    return result


def _sums(columns: Sequence[Integers]) -> Grid:
    """[combination, …]: the sum of one number of each field."""
    total = columns[0]
    for column in columns[1:]:
        total = (total[:, None] + column[None, :]).reshape(-1, *column.shape[1:])
    return total


def _recall_parts(problem: Problem, weights: Integers) -> list[Grid]:
    """For each field [candidate, part]: the sum of found / expected, in a common denominator."""
    expected = problem.expected
    common = lcm(*(int(number) for number in np.unique(expected[expected > 0])))
    sums = []
    for one, number in zip(problem.candidates, expected, strict=True):
        used = number > 0
        exact = common <= RECALL_PARTS
        share = common // number[used] if exact else RECALL_PARTS / number[used]
        sums.append(np.rint((one.found[:, used] * share) @ weights[:, used].T.astype(np.float64)).astype(np.int64))
    return sums


def _worst(cost: Integers, weights: Integers) -> Grid:
    """[candidate, part]: the cost in the worst question of the part."""
    return np.stack([cost[:, row > 0].max(axis=1, initial=0) for row in weights], axis=1)
