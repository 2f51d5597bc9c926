"""F-beta: (1 + β²) TP / ((1 + β²) TP + β² FN + FP) over the terms of all dimensions together.

β is the option ``beta``, 2 by default: recall weighs more. With β = 1 it is micro F1. No term on either side: not
applicable.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.metrics.averages import NOTHING_AT_ALL, number_or, pooled


def score(comparison: Comparison) -> Score:
    options = comparison.options
    return number_or(pooled(comparison).f(options.beta, options.zero_division), NOTHING_AT_ALL)


metric = Metric(
    "f_beta", "F-beta", "(1 + β²) TP / ((1 + β²) TP + β² FN + FP), counts of all dimensions together", score
)
