"""``row_share``: the share of gold rows that the answer has, as whole rows under the best alignment. Only for tables."""

from __future__ import annotations

from karat.core.scores import Score, not_applicable
from karat.core.suite import Metric
from karat.suites.answers.comparison import Comparison
from karat.suites.answers.metrics.verdicts import has_tables


def score(comparison: Comparison) -> Score:
    value = comparison.strict.row_share
    return (
        Score(value)
        if has_tables(comparison) and value is not None
        else not_applicable("no table to compare row by row")
    )


metric = Metric("row_share", "share of rows", "gold rows found / gold rows", score)
