"""``cell_f1``: the share of gold cells found under the best alignment, as an F1 with what is too much. Beside the verdict, to see progress.

Only for tables. A right table has 1.
"""

from __future__ import annotations

from karat.core.scores import Score, not_applicable
from karat.core.suite import Metric
from karat.suites.answers.comparison import Comparison
from karat.suites.answers.metrics.verdicts import has_tables


def score(comparison: Comparison) -> Score:
    value = comparison.strict.cell_f1
    return (
        Score(value)
        if has_tables(comparison) and value is not None
        else not_applicable("no table to compare cell by cell")
    )


metric = Metric("cell_f1", "cell F1", "F1 of equal cells under the best alignment", score)
