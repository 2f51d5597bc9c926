"""Under-clarification: 1 when the response should ask back and answers, else 0. Lower is better.

Only cases that expect a clarification and no answer count.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.suites.data_query.comparison import Comparison


def score(comparison: Comparison) -> Score:
    outcome = comparison.outcome
    if "clarification" not in outcome.expected or "answer" in outcome.expected:
        return not_applicable("no clarification is expected, or an answer is right too")
    return Score(1.0 if outcome.found == "answer" else 0.0)


metric = Metric(
    "under_clarification",
    "under-clarification",
    "1 if a clarification is expected and the response answers",
    score,
    kind="rate",
    higher_is_better=False,
    zero_on_error=False,
)
