"""P@k: the share of the first k results that are relevant (``P`` of trec_eval); the mean over the fields.

It is always over k, also when fewer results were retrieved. With fewer than k relevant keys it cannot reach 1. It has
no value for spans of documents.
"""

from __future__ import annotations

from bisect import bisect_right

from karat.suites.retrieval.comparison import FieldComparison
from karat.suites.retrieval.metrics.fields import at_cutoffs


def value(field: FieldComparison, k: int) -> float | None:
    return bisect_right(field.ranks, k) / k if field.relevant and not field.spans else None


metrics = at_cutoffs("precision_at", "P", "relevant keys among the first {cutoff} / {cutoff}", value)
