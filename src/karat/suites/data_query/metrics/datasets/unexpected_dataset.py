"""Unexpected dataset: 1 when the answer uses a dataset that is not expected, else 0. Its mean is the share of such
cases."""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison


def score(comparison: Comparison) -> Score:
    return Score(1.0 if comparison.unexpected_datasets else 0.0)


metric = Metric(
    "unexpected_dataset",
    "unexpected dataset",
    "1 if a dataset is used that is not expected",
    score,
    kind="rate",
    higher_is_better=False,
    zero_on_error=False,
)
