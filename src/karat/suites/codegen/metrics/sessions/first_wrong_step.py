"""``first_wrong_step``: the number of the first wrong step of a session, from 1; null if none is wrong.

Missing steps are not wrong. If an earlier step needs review, the value is null, because that step may be the first.

By hand: 4 steps, the second is wrong, and so are those after it: 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.suites.codegen.metrics.sessions.steps import NO_STEPS

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison


def score(comparison: Comparison) -> Score:
    session = comparison.session
    if session is None:
        return not_applicable(NO_STEPS)
    number = session.first_wrong
    before = [step for step in session.unsettled if number is None or step.number < number]
    if before:
        return not_applicable(f"step {before[0].number} needs review: {before[0].trouble}")
    if number is None:
        return not_applicable("no step is wrong")
    return Score(float(number), "scored", session.steps[number - 1].reason)


metric = Metric(
    "first_wrong_step",
    "first wrong step",
    "the number of the first wrong step, over the sessions that have one",
    score,
    kind="quantity",
    zero_on_error=False,
)
