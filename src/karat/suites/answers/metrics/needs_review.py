"""``needs_review``: 1 when no rule of the strict profile can settle the answer, else 0. Its mean is the share for
people to look at."""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.answers.comparison import Comparison


def score(comparison: Comparison) -> Score:
    return Score(1.0 if comparison.strict.state == "needs_review" else 0.0)


metric = Metric(
    "needs_review",
    "needs review",
    "1 if the strict profile cannot settle it",
    score,
    kind="rate",
    higher_is_better=False,
    zero_on_error=False,
)
