"""Exact series: 1 when the answer selects exactly the expected series, and no values in a dimension that the target
does not name; else 0.

Values that the system filled in by itself, and ``all``, in such a dimension do not matter.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.suites.data_query.comparison import Comparison


def score(comparison: Comparison) -> Score:
    exact = comparison.series.exact
    return not_applicable(comparison.series.undefined) if exact is None else Score(1.0 if exact else 0.0)


metric = Metric(
    "exact_series",
    "exact series",
    "1 if A = T and nothing is selected beside the target's dimensions",
    score,
    kind="rate",
)
