"""``repaired``: 1 if a try that was wrong at first was right after its repairs, else 0. It is not applicable if the
first code was right, or if nothing is expected.

Only code that does not run is repaired, so code that ran with a wrong result stays wrong and counts 0.

By hand: A is right at first: not applicable. B fails and is right after its repair: 1. C runs and is wrong: 0. The mean
is 1/2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison


def score(comparison: Comparison) -> Score:
    if comparison.session is not None:
        return not_applicable("a session has no repairs")
    if comparison.first_passed is None:
        return not_applicable(comparison.correctness.reason)
    if comparison.first_passed:
        return not_applicable("right at the first try")
    return Score(float(comparison.correctness.passed), "scored", comparison.correctness.reason)


metric = Metric(
    "repaired",
    "right after repairs, when wrong at first",
    "right results after repairs / tasks whose first try was wrong",
    score,
    kind="rate",
)
