"""Macro recall by id alone: as macro recall, but a term is its id; what it is called does not matter."""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.metrics.averages import NOTHING_EXPECTED, RECALL, by_id, macro


def score(comparison: Comparison) -> Score:
    return macro(comparison, RECALL, comparison.dimensions, NOTHING_EXPECTED, by_id)


metric = Metric(
    "macro_recall_by_id", "macro recall by id", "mean over target dimensions of TP / (TP + FN), ids alone", score
)
