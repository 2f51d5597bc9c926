"""One metric, one file. Each begins with its formula and its edge cases."""

from karat.core.metric import Metric
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.metrics import (
    fully_right,
    fully_right_by_id,
    hierarchy_precision,
    hierarchy_recall,
    period,
    period_overlap,
)
from karat.suites.data_query.metrics.datasets import dataset_precision, dataset_recall, unexpected_dataset
from karat.suites.data_query.metrics.outcomes import (
    out_of_scope,
    outcome_right,
    over_clarification,
    over_refusal,
    under_clarification,
    under_refusal,
)
from karat.suites.data_query.metrics.series import exact_series, series_f1, series_precision, series_recall
from karat.suites.data_query.metrics.terms import (
    exact_match,
    f_beta,
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
    period_overlap.metric,
    series_recall.metric,
    series_precision.metric,
    series_f1.metric,
    exact_series.metric,
    outcome_right.metric,
    over_refusal.metric,
    over_clarification.metric,
    under_refusal.metric,
    under_clarification.metric,
    hierarchy_recall.metric,
    hierarchy_precision.metric,
)
"""In the order in which reports show them."""
