"""Over-refusal: 1 when an answer was expected and the response refuses or says nothing, else 0. Lower is better.

Only cases that expect an answer, among others, count. What is also expected is no over-refusal.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.selection.outcomes import NOT_STATED, REFUSALS


def score(comparison: Comparison) -> Score:
    outcome = comparison.outcome
    if "answer" not in outcome.expected:
        return not_applicable("no answer is expected")
    return Score(1.0 if not outcome.right and outcome.found in (*REFUSALS, NOT_STATED) else 0.0)


metric = Metric(
    "over_refusal",
    "over-refusal",
    "1 if an answer is expected and the response refuses or selects nothing",
    score,
    kind="rate",
    higher_is_better=False,
    zero_on_error=False,
)
