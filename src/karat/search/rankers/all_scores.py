"""The score of every value for every question, exactly as ``ranks.score`` defines it.

A product in float64 strays from the defined sum by much less than float32 can show. Only where rounding it up or down a
little gives another float32 number is the pair scored as defined.
"""

from __future__ import annotations

import numpy as np

from karat.search.ranks.score import doubles_slack, pair_scores
from karat.search.records import Floats

VALUES_AT_ONCE = 16_384


def all_scores(questions: Floats, values: Floats) -> Floats:
    """[question, value]."""
    scores = np.empty((len(questions), len(values)), np.float32)
    asking = questions.astype(np.float64)
    for start in range(0, len(values), VALUES_AT_ONCE):
        part = values[start : start + VALUES_AT_ONCE]
        against = part.astype(np.float64)
        sums = asking @ against.T
        slack = doubles_slack(questions.shape[1], asking, against)[:, None]
        rounded = (sums + slack).astype(np.float32)
        rows, columns = np.nonzero(rounded != (sums - slack).astype(np.float32))
        if len(rows):
            rounded[rows, columns] = pair_scores(questions, part, rows, columns)
        scores[:, start : start + len(part)] = rounded
    return scores
