"""Dataset precision: the share of the datasets used that are expected. No dataset used: not applicable."""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.metrics.averages import number_or


def score(comparison: Comparison) -> Score:
    return number_or(comparison.datasets.precision(comparison.options.zero_division), "no dataset was used")


metric = Metric("dataset_precision", "dataset precision", "expected datasets found / datasets found", score)
