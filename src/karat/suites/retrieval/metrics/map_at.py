"""AP@k: as AP over the first k results alone, still / all relevant keys (``map_cut`` of trec_eval); the mean over the fields."""

from __future__ import annotations

from bisect import bisect_right

from karat.suites.retrieval.comparison import FieldComparison
from karat.suites.retrieval.metrics.fields import at_cutoffs


def value(field: FieldComparison, k: int) -> float | None:
    if not field.relevant:
        return None
    count = bisect_right(field.ranks, k)
    return field.precision_sums[count - 1] / field.relevant if count else 0.0


metrics = at_cutoffs(
    "map_at", "MAP", "sum of the precision at each relevant key among the first {cutoff} / relevant keys", value
)
