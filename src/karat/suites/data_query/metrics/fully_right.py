"""Fully right: 1 when everything that the case asks for is right, else 0. Its mean is the pass rate of the suite.

- The outcome is right: the response answers, asks back or refuses as the case expects, where the case says so.
- Where that is to answer: ``exact_match`` is 1, ``exact_series`` is 1 or undefined, no dataset is missing or
  unexpected, and ``period`` is 1 or not asked for.

Nothing expected and nothing selected is 1.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.reason_sentences import failure_reasons


def score(comparison: Comparison) -> Score:
    return Score(1.0) if comparison.wholly_right else Score(0.0, reason="; ".join(failure_reasons(comparison)))


metric = Metric(
    "fully_right",
    "fully right",
    "1 if outcome, all terms, series, datasets and period are right, each where the case asks for it",
    score,
    kind="rate",
    headline=True,
)
