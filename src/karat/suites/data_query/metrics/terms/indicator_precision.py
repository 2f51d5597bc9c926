"""Indicator precision: macro precision over the indicator dimensions (option ``indicator_dimensions``). None there: not
applicable."""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.metrics.averages import PRECISION, macro


def score(comparison: Comparison) -> Score:
    names = comparison.options.indicator_dimensions
    chosen = [d for d in comparison.dimensions if d.dimension in names]
    return macro(comparison, PRECISION, chosen, "nothing was selected in such a dimension")


metric = Metric("indicator_precision", "indicator precision", "mean over indicator dimensions of TP / (TP + FP)", score)
