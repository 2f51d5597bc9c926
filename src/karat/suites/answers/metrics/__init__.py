"""One metric, one file. Both profiles, each over what was submitted and over all gold, and what lies between right and
wrong."""

from karat.core.metric import Metric
from karat.suites.answers.comparison import Comparison
from karat.suites.answers.metrics import (
    cell_f1,
    needs_review,
    official,
    query_speed,
    row_share,
    spider2,
    spider2_of_gold,
    strict,
    strict_of_gold,
)

METRICS: tuple[Metric[Comparison], ...] = (
    spider2.metric,
    strict.metric,
    spider2_of_gold.metric,
    strict_of_gold.metric,
    needs_review.metric,
    cell_f1.metric,
    row_share.metric,
    *official.metrics,
    *query_speed.metrics,
)
"""In the order in which reports show them."""
