"""Period: half for the right start, half for the right end; the mean over the entries of the answer where they differ.

Only cases whose target has a period count.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.suites.data_query.comparison import Comparison


def score(comparison: Comparison) -> Score:
    value = comparison.period
    return not_applicable("the case has no period") if value is None else Score(value)


metric = Metric("period", "period", "(start right + end right) / 2", score, zero_on_error=False)
