"""Held out: how a question does with the n and models that would have been chosen without it.

Only if n and models were chosen on the questions of the run, as for a sheet. With 20 questions or more, a value is the
mean over ten ways to split the questions. A question whose values exceed the budget does not pass; its recall counts.

By hand: a question passes with n = 5, which was chosen on all questions. Without it, n would be 3, and one of its two
truths would be missing: held out, it does not pass (0), and its recall is 0.5.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.suites.retrieval.comparison import Comparison

NOTHING_CHOSEN = "no held-out figure: nothing was chosen on these questions (recorded results, or a fixed n and model)"


def score(_: Comparison) -> Score:
    return not_applicable(NOTHING_CHOSEN)


passed = Metric(
    "held_out_passed",
    "passed, held out",
    "1 if the question passes with n and models chosen without it, within the budget; a share where this is repeated",
    score,
    noted=True,
)
recall = Metric(
    "held_out_recall",
    "recall, held out",
    "relevant keys retrieved with n and models chosen without the question / relevant keys",
    score,
    noted=True,
)
