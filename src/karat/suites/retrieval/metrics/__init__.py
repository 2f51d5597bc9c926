"""One metric per file, with its value at every cutoff where it has one. The definitions are those of trec_eval where it
has the metric."""

from karat.core.metric import Metric
from karat.suites.retrieval.comparison import Comparison
from karat.suites.retrieval.metrics import (
    held_out,
    map,
    mrr_sum,
    ndcg,
    passed,
    precision,
    r_precision,
    recall,
    rr,
    success,
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
    recall.metrics,
    precision.metrics,
    ndcg.metrics,
    map.metrics,
    rr.metrics,
    success.metrics,
)
"""One row per metric, with all its cutoffs."""

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

HELD_OUT: tuple[Metric[Comparison], ...] = (held_out.passed, held_out.recall)
"""From the tuning of a sheet's own search."""

METRICS: tuple[Metric[Comparison], ...] = (*ANSWERED, *OF_ALL, *HELD_OUT)
"""In the order in which reports show them."""
