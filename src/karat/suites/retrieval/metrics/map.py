"""AP: the sum of the precision at the rank of each retrieved relevant key / relevant keys (``map`` of trec_eval); the
mean over the fields.

Its mean over questions is MAP. A key that was not retrieved adds 0. It has no value for spans of documents.

AP@k: the same over the first k results alone, still / all relevant keys (``map_cut`` of trec_eval).
"""

from __future__ import annotations

from bisect import bisect_right

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.retrieval.comparison import Comparison, FieldComparison
from karat.suites.retrieval.metrics.fields import at_cutoffs, mean_over_fields


def value(field: FieldComparison) -> float | None:
    if not field.relevant or field.spans:
        return None
    return field.precision_sums[-1] / field.relevant if field.ranks else 0.0


def value_at(field: FieldComparison, k: int) -> float | None:
    if not field.relevant or field.spans:
        return None
    count = bisect_right(field.ranks, k)
    return field.precision_sums[count - 1] / field.relevant if count else 0.0


def score(comparison: Comparison) -> Score:
    return mean_over_fields(comparison, value)


metric = Metric("map", "MAP", "sum of the precision at each relevant key / relevant keys", score, headline=True)
metrics = at_cutoffs(
    "map_at", "MAP", "sum of the precision at each relevant key among the first {cutoff} / relevant keys", value_at
)
