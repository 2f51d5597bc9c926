"""Micro F1: 2 TP / (2 TP + FP + FN) over the terms of all dimensions together. No term on either side: not
applicable."""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.metrics.averages import NOTHING_AT_ALL, number_or, pooled


def score(comparison: Comparison) -> Score:
    counts, zero = pooled(comparison), comparison.options.zero_division
    return number_or(counts.f(1.0, zero), NOTHING_AT_ALL)


metric = Metric("micro_f1", "micro F1", "2 TP / (2 TP + FP + FN), counts of all dimensions together", score)
