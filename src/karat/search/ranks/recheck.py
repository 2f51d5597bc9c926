"""Deciding the pairs that a float32 product leaves open: first by products in float64, and what those leave open by the
exact score."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from karat.search.ranks.kernels import Steps
from karat.search.ranks.score import Doubles, doubles_slack, turning_points
from karat.search.records import Floats, Integers

CROWDED = 32
"""Where more than one value in this many is open for a question, all values are multiplied with it again."""
_ROWS = 128
"""Questions in such a product."""
_FINER = 2.0**-28
"""How much less a product in float64 strays than one in float32, with a factor of two to spare."""


def settle(
    steps: Steps,
    questions: Floats,
    values: Floats,
    rows: Integers,
    columns: Integers,
    marks: Doubles,
    slacks: Doubles,
) -> NDArray[np.bool_]:
    """For each pair of a question (row) and a value (column) whether its exact score passes its mark, a turning point.

    ``slacks`` are those of the float32 product, for each question.
    """
    apart = np.zeros(len(rows))
    within = np.full(len(rows), np.inf)
    crowded = np.bincount(rows, minlength=len(questions)) * CROWDED > len(values)
    if crowded.any():
        _together(questions, values, np.flatnonzero(crowded), rows, columns, apart, within)
    alone = np.flatnonzero(~crowded[rows])
    apart[alone] = steps.sums(questions, values, rows[alone], columns[alone])
    within[alone] = slacks[rows[alone]] * _FINER
    apart -= marks
    passes = apart > 0
    near = np.flatnonzero(np.abs(apart) <= within)
    scores = steps.scores(questions, values, rows[near], columns[near])
    # A sum on the turning point itself rounds either way: the rounded score decides.
    passes[near] = turning_points(scores) >= marks[near]
    return passes


def _together(
    questions: Floats,
    values: Floats,
    crowded: Integers,
    rows: Integers,
    columns: Integers,
    sums: Doubles,
    within: Doubles,
) -> None:
    """The same for questions with very many open pairs (all values alike, say), where whole products are quicker."""
    against = values.astype(np.float64)
    for low in range(0, len(crowded), _ROWS):
        some = crowded[low : low + _ROWS]
        here = np.flatnonzero(np.isin(rows, some))
        asking = questions[some].astype(np.float64)
        place = np.searchsorted(some, rows[here])
        sums[here] = (asking @ against.T)[place, columns[here]]
        within[here] = doubles_slack(values.shape[1], asking, against)[place]
