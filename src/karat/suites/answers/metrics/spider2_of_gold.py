"""``spider2_of_gold``: as ``spider2``, over all gold: an instance that was not submitted, failed, or needs
review counts 0."""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.answers.comparison import Comparison
from karat.suites.answers.metrics.verdicts import right_or_not


def score(comparison: Comparison) -> Score:
    return right_or_not(comparison.spider2)


metric = Metric(
    "spider2_of_gold",
    "spider2, of all gold",
    "right / all gold, by the spider2 profile",
    score,
    kind="rate",
    headline=True,
    counts_all=True,
)
