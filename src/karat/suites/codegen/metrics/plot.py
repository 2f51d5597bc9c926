"""``plot``: how far a plot shows what is expected: Σ weight × score / Σ weight over the stated items.

Data weighs 8, type 4, order 2, each other item 1; ``plots.score`` has the rules. Code that drew nothing, or did not
run, has 0. A task that expects no plot: not applicable; so is a plot that cannot be read, which needs a review.

By hand: type bar, three points and both labels are expected (4 + 8 + 1 + 1 = 14). A line with the right points and one
label: (0 + 8 + 1 + 0) / 14 = 0.643.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison


def score(comparison: Comparison) -> Score:
    found = comparison.correctness
    if found.plot is None:
        expects = comparison.task.expected is not None and comparison.task.expected.plot is not None
        return not_applicable(found.reason if expects else "the task expects no plot")
    lost = ", ".join(dict.fromkeys(item.name for item in found.plot.lost))
    return Score(found.plot.score, "scored", found.plot.problem or (f"lost: {lost}" if lost else ""))


metric = Metric("plot", "plot", "what a plot shows: data 8, type 4, order 2, each other stated item 1", score)
