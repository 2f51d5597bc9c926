"""Σ 1/rank: the sum of 1 / rank over the relevant keys that were retrieved; its mean over questions is the MRR that
``karat tune`` prints.

``mrr = AVERAGE(SUM(1 / rank_i))``. A key that was not retrieved adds 0. It is above 1 when several keys are near the
top: four keys at the first four ranks have 1 + 1/2 + 1/3 + 1/4 = 2.083. Several fields: the mean over them.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.retrieval.comparison import Comparison, FieldComparison
from karat.suites.retrieval.metrics.fields import mean_over_fields


def value(field: FieldComparison) -> float | None:
    return sum(1 / rank for rank in field.ranks) if field.relevant else None


def score(comparison: Comparison) -> Score:
    return mean_over_fields(comparison, value)


metric = Metric("mrr_sum", "Σ 1/rank", "sum of 1 / rank over the relevant keys", score, kind="quantity")
