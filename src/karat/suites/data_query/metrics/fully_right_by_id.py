"""Fully right by id: as ``fully_right``, with terms compared by id alone."""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison


def score(comparison: Comparison) -> Score:
    return Score(1.0 if comparison.wholly_right_by_id else 0.0)


metric = Metric(
    "fully_right_by_id", "fully right (by id)", "as fully right, with terms compared by id alone", score, kind="rate"
)
