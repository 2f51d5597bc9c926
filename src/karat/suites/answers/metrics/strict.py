"""``strict``: 1 when the answer is right by right instead of compatible: one-to-one columns, whole rows, nulls are not
zeros; else 0.

Over what was submitted. An answer that no rule can settle (needs review, gold error): not applicable.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.answers.comparison import Comparison
from karat.suites.answers.metrics.verdicts import score_of


def score(comparison: Comparison) -> Score:
    return score_of(comparison.strict)


metric = Metric("strict", "strict", "right / submitted, by the strict profile", score, kind="rate", headline=True)
