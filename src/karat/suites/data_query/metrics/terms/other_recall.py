"""Other recall: macro recall over the dimensions that are not indicators. None there: not applicable."""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.metrics.averages import RECALL, macro


def score(comparison: Comparison) -> Score:
    names = comparison.options.indicator_dimensions
    chosen = [d for d in comparison.dimensions if d.dimension not in names]
    return macro(comparison, RECALL, chosen, "the target has no such dimension")


metric = Metric("other_recall", "other recall", "mean over target other dimensions of TP / (TP + FN)", score)
