"""Period: half for the right start, half for the right end. Only cases whose target has a period count."""

from __future__ import annotations

from karat.core.scores import Score, not_applicable
from karat.core.suite import Metric
from karat.suites.data_query.comparison import Comparison


def score(comparison: Comparison) -> Score:
    ends = comparison.period_ends
    return not_applicable("the case has no period") if ends is None else Score(sum(ends) / 2)


metric = Metric("period", "period", "(start right + end right) / 2", score, zero_on_error=False)
