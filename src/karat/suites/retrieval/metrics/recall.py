"""Recall: the share of the relevant keys that were retrieved, at any rank (``set_recall`` of trec_eval); the mean over the fields."""

from __future__ import annotations

from karat.core.scores import Score
from karat.core.suite import Metric
from karat.suites.retrieval.comparison import Comparison, FieldComparison
from karat.suites.retrieval.metrics.fields import mean_over_fields


def value(field: FieldComparison) -> float | None:
    return len(field.ranks) / field.relevant if field.relevant else None


def score(comparison: Comparison) -> Score:
    return mean_over_fields(comparison, value)


metric = Metric("recall", "recall", "relevant keys retrieved / relevant keys", score, headline=True)
