"""Under-refusal: 1 when only a refusal was expected and the response answers, else 0. Lower is better.

Only cases that expect nothing but ``no_data``, ``invalid_period`` or ``out_of_scope`` count.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.selection.outcomes import REFUSALS


def score(comparison: Comparison) -> Score:
    outcome = comparison.outcome
    if not outcome.expected or not set(outcome.expected) <= set(REFUSALS):
        return not_applicable("a refusal is not all that is expected")
    return Score(1.0 if outcome.found == "answer" else 0.0)


metric = Metric(
    "under_refusal",
    "under-refusal",
    "1 if only a refusal is expected and the response answers",
    score,
    kind="rate",
    higher_is_better=False,
    zero_on_error=False,
)
