"""Dataset recall: the share of the expected datasets that the answer uses. Versions as the options say.

The expected datasets are those of ``datasets_selection``, or else of the target selection. None expected: not
applicable.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.metrics.averages import number_or


def score(comparison: Comparison) -> Score:
    return number_or(comparison.datasets.recall(comparison.options.zero_division), "no dataset is expected")


metric = Metric("dataset_recall", "dataset recall", "expected datasets found / expected datasets", score)
