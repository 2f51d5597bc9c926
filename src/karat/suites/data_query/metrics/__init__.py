"""One metric, one file. Each begins with its formula and its edge cases."""

from karat.core.suite import Metric
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.metrics import (
    dataset_precision,
    dataset_recall,
    exact_match,
    f_beta,
    fully_right,
    fully_right_by_id,
    indicator_precision,
    indicator_recall,
    macro_f1,
    macro_precision,
    macro_precision_by_id,
    macro_precision_target_dims,
    macro_recall,
    macro_recall_by_id,
    micro_f1,
    micro_precision,
    micro_recall,
    other_precision,
    other_recall,
    out_of_scope,
    period,
    unexpected_dataset,
)

METRICS: tuple[Metric[Comparison], ...] = (
    macro_recall.metric,
    macro_precision.metric,
    macro_f1.metric,
    macro_precision_target_dims.metric,
    macro_recall_by_id.metric,
    macro_precision_by_id.metric,
    micro_recall.metric,
    micro_precision.metric,
    micro_f1.metric,
    f_beta.metric,
    dataset_recall.metric,
    dataset_precision.metric,
    unexpected_dataset.metric,
    fully_right.metric,
    fully_right_by_id.metric,
    exact_match.metric,
    indicator_recall.metric,
    indicator_precision.metric,
    other_recall.metric,
    other_precision.metric,
    out_of_scope.metric,
    period.metric,
)
"""In the order in which reports show them."""
