"""S@k: 1 when a relevant key is among the first k results, else 0 (``success`` of trec_eval); the mean over the
fields."""

from __future__ import annotations

from karat.suites.retrieval.comparison import FieldComparison
from karat.suites.retrieval.metrics.fields import at_cutoffs


def value(field: FieldComparison, k: int) -> float | None:
    return float(bool(field.ranks) and field.ranks[0] <= k) if field.relevant else None


metrics = at_cutoffs("success_at", "S", "1 if a relevant key is among the first {cutoff}", value)
