"""Recall: the share of the relevant keys that were retrieved, at any rank (``set_recall`` of trec_eval); the mean over
all fields of the question. A field without a relevant key counts 1, as ``RECALL`` of an empty truth does: nothing was
asked, nothing is missing.

R@k: the share of the relevant keys that are among the first k results (``recall`` of trec_eval). With more than k
relevant keys it cannot reach 1.
"""

from __future__ import annotations

from bisect import bisect_right

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.retrieval.comparison import Comparison, FieldComparison
from karat.suites.retrieval.metrics.fields import at_cutoffs, mean_over_fields


def value(field: FieldComparison) -> float | None:
    return len(field.ranks) / field.relevant if field.relevant else None


def value_at(field: FieldComparison, k: int) -> float | None:
    return bisect_right(field.ranks, k) / field.relevant if field.relevant else None


def score(comparison: Comparison) -> Score:
    return mean_over_fields(comparison, value, empty=1.0)


metric = Metric(
    "recall",
    "recall",
    "relevant keys retrieved / relevant keys",
    score,
    headline=True,
    held_out_by="held_out_recall",
)
metrics = at_cutoffs(
    "recall_at",
    "R",
    "relevant keys among the first {cutoff} / relevant keys",
    value_at,
    headline=10,
    empty=1.0,
)
