"""``row_share``: the share of gold rows that the answer has, as whole rows under the best alignment. Only if gold is a
table; an answer that is not a table has 0."""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.answers.comparison import Comparison
from karat.suites.answers.metrics.verdicts import of_tables


def score(comparison: Comparison) -> Score:
    return of_tables(comparison, comparison.strict.row_share, "row by row")


metric = Metric("row_share", "share of rows", "gold rows found / gold rows", score)
