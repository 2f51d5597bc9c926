"""nDCG@k: as nDCG over the first k results, / that of the first k of the best possible order (``ndcg_cut`` of trec_eval).

The mean over the fields.
"""

from __future__ import annotations

from bisect import bisect_right

from karat.suites.retrieval.comparison import FieldComparison
from karat.suites.retrieval.metrics.fields import at_cutoffs


def value(field: FieldComparison, k: int) -> float | None:
    if not field.ideal_sums:
        return None
    count = bisect_right(field.gain_ranks, k)
    return field.gain_sums[count - 1] / field.ideal_sums[min(k, len(field.ideal_sums)) - 1] if count else 0.0


metrics = at_cutoffs(
    "ndcg_at",
    "nDCG",
    "Σ relevance / log2(rank + 1) over the first {cutoff}, / that of the best possible order",
    value,
    headline=10,
)
