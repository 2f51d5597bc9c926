"""Micro precision: TP / (TP + FP) over the terms of all dimensions together. Nothing selected: not applicable."""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.metrics.averages import NOTHING_SELECTED, number_or, pooled


def score(comparison: Comparison) -> Score:
    counts, zero = pooled(comparison), comparison.options.zero_division
    return number_or(counts.precision(zero), NOTHING_SELECTED)


metric = Metric("micro_precision", "micro precision", "TP / (TP + FP), counts of all dimensions together", score)
