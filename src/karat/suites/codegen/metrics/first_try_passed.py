"""``first_try_passed``: 1 when the first try gave the right result, else 0; repairs do not count.

By hand: the first code fails with a KeyError, its repair is right: ``passed`` is 1, ``first_try_passed`` is 0.
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
    return Score(float(comparison.first_passed))


metric = Metric("first_try_passed", "passed at first try", "right results at the first try / tasks", score, kind="rate")
