"""RR@k: 1 / the rank of the first relevant key when that is k or less, else 0; the mean over the fields."""

from __future__ import annotations

from karat.suites.retrieval.comparison import FieldComparison
from karat.suites.retrieval.metrics.fields import at_cutoffs


def value(field: FieldComparison, k: int) -> float | None:
    if not field.relevant:
        return None
    return 1 / field.ranks[0] if field.ranks and field.ranks[0] <= k else 0.0


metrics = at_cutoffs("rr_at", "RR", "1 / rank of the first relevant key, 0 below rank {cutoff}", value)
