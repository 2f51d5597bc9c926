"""Macro precision: the mean over all dimensions with a selection of TP / (TP + FP).

A dimension that is not in the target counts, with 0. A target dimension where nothing was selected has no precision.
Nothing selected at all: not applicable.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.metrics.averages import NOTHING_SELECTED, PRECISION, macro


def score(comparison: Comparison) -> Score:
    return macro(comparison, PRECISION, comparison.dimensions, NOTHING_SELECTED)


metric = Metric("macro_precision", "macro precision", "mean over dimensions of TP / (TP + FP)", score, headline=True)
