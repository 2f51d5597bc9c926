"""Fully right: 1 when everything that the case asks for is right, else 0. Its mean is the pass rate of the suite.

- The answer declines exactly when the case is out of scope, where the case says so. An answer that declines where terms
  or datasets are expected is wrong.
- ``exact_match`` is 1, no dataset is missing or unexpected, and ``period`` is 1 or not asked for.

Nothing expected and nothing selected is 1.
"""

from __future__ import annotations

from karat.core.scores import Score
from karat.core.suite import Metric
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.failure_reasons import failure_reasons


def score(comparison: Comparison) -> Score:
    return Score(1.0) if comparison.wholly_right else Score(0.0, reason="; ".join(failure_reasons(comparison)))


metric = Metric(
    "fully_right",
    "fully right",
    "1 if scope, all terms, datasets and period are right, each where the case asks for it",
    score,
    kind="rate",
    headline=True,
)
