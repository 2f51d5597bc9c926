"""``cell_f1``: the F1 of the cells that answer and gold have in common under the best alignment. It shows progress that
the verdict does not.

Only if gold is a table. A right table has 1; an answer that is not a table at all (failed SQL, an unreadable or
missing file) has 0.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.answers.comparison import Comparison
from karat.suites.answers.metrics.verdicts import of_tables


def score(comparison: Comparison) -> Score:
    return of_tables(comparison, comparison.strict.cell_f1, "cell by cell")


metric = Metric("cell_f1", "cell F1", "F1 of equal cells under the best alignment", score)
