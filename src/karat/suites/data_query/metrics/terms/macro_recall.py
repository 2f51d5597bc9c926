"""Macro recall: the mean over the dimensions of the target of TP / (TP + FN).

A dimension that is not in the target has no recall. An empty target: not applicable.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.metrics.averages import NOTHING_EXPECTED, RECALL, macro


def score(comparison: Comparison) -> Score:
    return macro(comparison, RECALL, comparison.dimensions, NOTHING_EXPECTED)


metric = Metric("macro_recall", "macro recall", "mean over target dimensions of TP / (TP + FN)", score, headline=True)
