"""Macro F1: the mean over all dimensions of 2 TP / (2 TP + FP + FN).

It is 0 for a dimension not in the target, and for a target dimension where nothing was selected. Neither side has any
term: not applicable.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.matching.dimension_comparison import Counts
from karat.suites.data_query.metrics.averages import NOTHING_AT_ALL, macro


def _f1(counts: Counts, zero: float | None) -> float | None:
    return counts.f(1.0, zero)


def score(comparison: Comparison) -> Score:
    return macro(comparison, _f1, comparison.dimensions, NOTHING_AT_ALL)


metric = Metric("macro_f1", "macro F1", "mean over dimensions of 2 TP / (2 TP + FP + FN)", score)
