"""One metric, or one at every cutoff, in one file; with trec_eval's definitions where it has the metric."""

from karat.core.suite import Metric
from karat.suites.retrieval.comparison import Comparison
from karat.suites.retrieval.metrics import (
    map,
    map_at,
    mrr_sum,
    ndcg,
    ndcg_at,
    passed,
    precision_at,
    r_precision,
    recall,
    recall_at,
    rr,
    rr_at,
    success_at,
)
from karat.suites.retrieval.metrics.all_questions import of_all

WHOLE: tuple[Metric[Comparison], ...] = (
    passed.metric,
    recall.metric,
    rr.metric,
    map.metric,
    ndcg.metric,
    r_precision.metric,
    mrr_sum.metric,
)
"""Over everything that was retrieved."""

AT_CUTOFFS: tuple[tuple[Metric[Comparison], ...], ...] = (
    recall_at.metrics,
    precision_at.metrics,
    ndcg_at.metrics,
    map_at.metrics,
    rr_at.metrics,
    success_at.metrics,
)
"""One row a metric, with all its cutoffs."""

MAIN = (
    "passed",
    "recall",
    "recall_at_10",
    "recall_at_100",
    "precision_at_10",
    "rr",
    "rr_at_10",
    "map",
    "ndcg",
    "ndcg_at_10",
)

ANSWERED: tuple[Metric[Comparison], ...] = (*WHOLE, *(metric for row in AT_CUTOFFS for metric in row))
"""Over the questions that were answered."""

OF_ALL: tuple[Metric[Comparison], ...] = tuple(of_all(metric) for metric in ANSWERED if metric.name in MAIN)
"""Over all questions."""

METRICS: tuple[Metric[Comparison], ...] = (*ANSWERED, *OF_ALL)
"""In the order in which reports show them."""
