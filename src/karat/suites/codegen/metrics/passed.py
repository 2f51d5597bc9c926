"""``passed``: 1 if the last attempt gave the right result, also on changed tables and in every test of the task, else
0. Its mean is the pass rate. Without an expected result, it is not applicable.

By hand: three tasks. The first code of A is right. B fails with a KeyError and is right after one repair. C runs and
gives a wrong table. Passed is 1, 1 and 0; the pass rate is 2/3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison


def score(comparison: Comparison) -> Score:
    found = comparison.correctness
    return not_applicable(found.reason) if found.score is None else Score(float(found.passed), "scored", found.reason)


metric = Metric("passed", "passed", "right results / tasks, repairs included", score, kind="rate", headline=True)
