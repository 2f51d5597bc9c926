"""Series precision: the share of the selected series that are expected.

Terms pool over entries, so they cannot see combinations; series can. See ``series/comparison.py`` for what is counted
and when it is undefined.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.metrics.averages import number_or_reason


def score(comparison: Comparison) -> Score:
    return number_or_reason(comparison.series.precision)


metric = Metric(
    "series_precision", "series precision", "|A∩T| / |A|, A the selected series, T the expected ones", score
)
