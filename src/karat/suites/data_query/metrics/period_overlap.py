"""Period overlap: days in both periods / days in either; the mean over the entries of the answer where they differ.

An open end on either side: not applicable. Only cases whose target has a period count.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.periods.overlap import overlap


def score(comparison: Comparison) -> Score:
    if not comparison.periods:
        return not_applicable("the case has no period")
    shares = [overlap(one.expected, one.found, comparison.options.today) for one in comparison.periods]
    known = [share for share in shares if share is not None]
    return Score(sum(known) / len(known)) if len(known) == len(shares) else not_applicable("a period has an open end")


metric = Metric("period_overlap", "period overlap", "days in both / days in either", score, zero_on_error=False)
