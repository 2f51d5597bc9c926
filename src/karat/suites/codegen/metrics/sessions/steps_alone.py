"""``steps_alone``: right steps / all steps of a session, each started from the *reference's* state.

One early mistake then counts once, not in every step that builds on it. It needs a reference for every step: without
one, not applicable. Steps that were not answered do not count as right.

By hand: 4 steps, step 2 is wrong, 3 and 4 build on it and are wrong; after the references of the steps before them they
are right: 3/4 = 0.75, where ``steps`` is 0.25.
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
    if session.no_alone:
        return not_applicable(session.no_alone)
    unsettled = [step for step in session.steps if step.alone == "review"]
    if unsettled:
        return not_applicable(f"step {unsettled[0].number} needs review")
    return Score(session.right_alone / len(session.steps), "scored", session.ran_out)


metric = Metric(
    "steps_alone",
    "right steps alone",
    "right steps / all steps, each after the references' steps",
    score,
    zero_on_error=False,
)
