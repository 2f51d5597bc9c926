"""nDCG: the sum of gain / log2(rank + 1) over the results, / the same of the best possible order of all judged keys
(``ndcg`` of trec_eval).

The gain of a key is its relevance where that is above 0, else 0; the option ``relevance_level`` does not touch it. No
key with a gain: the field does not count, nor does one of spans of documents. The mean over the fields.

nDCG@k: the same over the first k results, / that of the first k of the best possible order (``ndcg_cut`` of trec_eval).
"""

from __future__ import annotations

from bisect import bisect_right

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.retrieval.comparison import Comparison, FieldComparison
from karat.suites.retrieval.metrics.fields import at_cutoffs, mean_over_fields


def value(field: FieldComparison) -> float | None:
    if not field.ideal_sums or field.spans:
        return None
    return field.gain_sums[-1] / field.ideal_sums[-1] if field.gain_sums else 0.0


def value_at(field: FieldComparison, k: int) -> float | None:
    if not field.ideal_sums or field.spans:
        return None
    count = bisect_right(field.gain_ranks, k)
    return field.gain_sums[count - 1] / field.ideal_sums[min(k, len(field.ideal_sums)) - 1] if count else 0.0


def score(comparison: Comparison) -> Score:
    return mean_over_fields(comparison, value)


metric = Metric("ndcg", "nDCG", "Σ relevance / log2(rank + 1), / that of the best possible order", score)
metrics = at_cutoffs(
    "ndcg_at",
    "nDCG",
    "Σ relevance / log2(rank + 1) over the first {cutoff}, / that of the best possible order",
    value_at,
    headline=10,
)
