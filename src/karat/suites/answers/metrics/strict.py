"""``strict``: 1 if the answer is really right, by Karat's own rules; else 0. Each gold column has its own column in the
answer, whole rows agree, and a null is not a zero.

Over what was submitted. An answer that no rule can settle (needs review, gold error) is not applicable.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.answers.comparison import Comparison
from karat.suites.answers.metrics.verdicts import score_of


def score(comparison: Comparison) -> Score:
    return score_of(comparison.strict)


metric = Metric("strict", "strict", "right / submitted, by the strict profile", score, kind="rate", headline=True)
