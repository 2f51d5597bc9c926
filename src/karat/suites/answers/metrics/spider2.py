"""``spider2``: 1 when the answer is right by the public Spider2 evaluator, quirks included; else 0.

Over what was submitted. An answer that no rule can settle (needs review, gold error): not applicable.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.answers.comparison import Comparison
from karat.suites.answers.metrics.verdicts import score_of


def score(comparison: Comparison) -> Score:
    return score_of(comparison.spider2)


metric = Metric("spider2", "spider2", "right / submitted, by the spider2 profile", score, kind="rate", headline=True)
