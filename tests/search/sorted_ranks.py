"""Ranks and best values the slow way, by scoring every pair and sorting: what the quick ways must agree with."""

from __future__ import annotations

import math

import numpy as np

from karat.search.records import NOT_A_VALUE, Floats, Integers


def tree_score(question: Floats, value: Floats) -> np.float32:
    """The score as ``ranks.score`` defines it, number by number."""
    sums = [float(a) * float(b) for a, b in zip(question, value, strict=True)]
    while len(sums) > 1:
        half = 2 ** math.ceil(math.log2(len(sums)) - 1)
        upper = sums[half:]
        sums = [number + (upper[place] if place < len(upper) else 0.0) for place, number in enumerate(sums[:half])]
    return np.float32(sums[0])


def score_table(questions: Floats, values: Floats) -> Floats:
    return np.array([[tree_score(question, value) for value in values] for question in questions], np.float32).reshape(
        len(questions), len(values)
    )


def ranks_by_sorting(scores: Floats, truths: Integers) -> Integers:
    """Sorted from the highest, the truth last among those that tie with it."""
    ranks = []
    for question, value in truths.tolist():
        if value < 0:
            ranks.append(NOT_A_VALUE)
            continue
        order = sorted(range(scores.shape[1]), key=lambda place: (-scores[question, place], place == value))
        ranks.append(order.index(value) + 1)
    return np.array(ranks, np.int64)


def best_by_sorting(scores: Floats, depth: int) -> Integers:
    return np.argsort(-scores, axis=1, kind="stable")[:, :depth]
