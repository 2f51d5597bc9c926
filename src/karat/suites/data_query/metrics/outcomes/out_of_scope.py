"""Out of scope: 1 when the answer says what the case says about being in scope, else 0.

Only cases whose target states ``is_out_of_scope`` count. An answer that does not say so itself is out of scope when it
selects nothing. One that states another outcome (``no_data``, ``clarification``) says that the question is in scope.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.suites.data_query.comparison import Comparison


def score(comparison: Comparison) -> Score:
    right = comparison.scope_right
    if right is None:
        return not_applicable("the case does not say whether it is out of scope")
    return Score(1.0 if right else 0.0)


metric = Metric(
    "out_of_scope",
    "out-of-scope accuracy",
    "1 if the answer is out of scope exactly when the case is",
    score,
    kind="rate",
    zero_on_error=False,
)
