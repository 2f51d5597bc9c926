"""``steps``: right steps / all steps of a session, each in the state that the answer's own code built.

A step that was not answered, or that came after a budget ran out, is missing: it counts as neither right nor wrong (see
``first_wrong_step``). A failed step leaves no trace; the next one runs from the last good state. If a step needs review
(its earlier steps could not be repeated), there is no figure. A task without steps: not applicable.

By hand: 4 steps, step 2 is wrong, 3 and 4 build on it and are wrong too: 1/4 = 0.25.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison

NO_STEPS = "the task has no steps"


def score(comparison: Comparison) -> Score:
    session = comparison.session
    if session is None:
        return not_applicable(NO_STEPS)
    if session.unsettled:
        step = session.unsettled[0]
        return not_applicable(f"step {step.number} needs review: {step.trouble}")
    return Score(session.right / len(session.steps), "scored", session.ran_out)


metric = Metric(
    "steps", "right steps", "right steps / all steps, each after the answer's own steps", score, zero_on_error=False
)
