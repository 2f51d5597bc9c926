"""Micro recall: TP / (TP + FN) over the terms of all dimensions together. An empty target: not applicable."""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.metrics.averages import NOTHING_EXPECTED, number_or, pooled


def score(comparison: Comparison) -> Score:
    counts, zero = pooled(comparison), comparison.options.zero_division
    return number_or(counts.recall(zero), NOTHING_EXPECTED)


metric = Metric("micro_recall", "micro recall", "TP / (TP + FN), counts of all dimensions together", score)
