"""Outcome right: 1 when the response does what the case expects (answer, ask back, refuse), else 0.

Only cases whose target says what to do count: by an outcome, by ``is_out_of_scope: true``, or by a selection.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.suites.data_query.comparison import Comparison


def score(comparison: Comparison) -> Score:
    outcome = comparison.outcome
    if outcome.right is None:
        return not_applicable("the case does not say what the response should do")
    return Score(1.0 if outcome.right else 0.0)


metric = Metric(
    "outcome_right",
    "outcome right",
    "1 if the response does what the case expects: answer, clarification, no data, refusal",
    score,
    kind="rate",
    zero_on_error=False,
)
