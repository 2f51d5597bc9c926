"""R@k: the share of the relevant keys that stand among the first k results (``recall`` of trec_eval); the mean over the fields.

With more than k relevant keys it cannot reach 1.
"""

from __future__ import annotations

from bisect import bisect_right

from karat.suites.retrieval.comparison import FieldComparison
from karat.suites.retrieval.metrics.fields import at_cutoffs


def value(field: FieldComparison, k: int) -> float | None:
    return bisect_right(field.ranks, k) / field.relevant if field.relevant else None


metrics = at_cutoffs(
    "recall_at", "R", "relevant keys among the first {cutoff} results / relevant keys", value, headline=10
)
