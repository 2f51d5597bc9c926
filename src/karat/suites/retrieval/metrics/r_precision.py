"""R-precision: the share of the first R results that are relevant, where R is the number of relevant keys (``Rprec`` of
trec_eval).

The mean over the fields, without those of spans of documents.
"""

from __future__ import annotations

from bisect import bisect_right

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.retrieval.comparison import Comparison, FieldComparison
from karat.suites.retrieval.metrics.fields import mean_over_fields


def value(field: FieldComparison) -> float | None:
    counts = field.relevant and not field.spans
    return bisect_right(field.ranks, field.relevant) / field.relevant if counts else None


def score(comparison: Comparison) -> Score:
    return mean_over_fields(comparison, value)


metric = Metric(
    "r_precision", "R-precision", "relevant keys among the first R results / R, R relevant keys in all", score
)
