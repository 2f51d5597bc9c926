"""Macro precision by id alone: as macro precision, but a term is its id; what it is called does not matter."""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.metrics.averages import NOTHING_SELECTED, PRECISION, by_id, macro


def score(comparison: Comparison) -> Score:
    return macro(comparison, PRECISION, comparison.dimensions, NOTHING_SELECTED, by_id)


metric = Metric(
    "macro_precision_by_id", "macro precision by id", "mean over dimensions of TP / (TP + FP), ids alone", score
)
