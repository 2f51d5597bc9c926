"""All terms right, pooled: 1 when every dimension has exactly its target terms, else 0. Its mean is the share of such
cases.

Terms pool over datasets, so this says nothing about datasets, period or scope: ``fully_right`` does. Nothing expected
and nothing selected is 1. "Everything" selected in a dimension of the target is 0.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison


def score(comparison: Comparison) -> Score:
    return Score(1.0 if comparison.terms_right else 0.0)


metric = Metric("exact_match", "all terms right (pooled)", "1 if FP = FN = 0 in every dimension", score, kind="rate")
