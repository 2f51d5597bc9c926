"""``time_ratio``: how many times as long as the reference right code takes, 2 ms added to both: 2 is twice as long.

The geometric mean over the scales that the code got through with the right result. Below 1 it is quicker. Code that is
the reference's own has 1 and is not measured. Not measured: null with the reason.

By hand: the medians of the pairs are 2 at ×1 and 8 at ×4: √(2 × 8) = 4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison

NO_DIFFERENCE = "no difference seen"


def score(comparison: Comparison) -> Score:
    found = comparison.performance
    if found.time_ratio is None:
        return not_applicable(found.reason or "it got through no scale with the right result")
    same = bool(found.scales) and all(scale.same_time for scale in found.scales if scale.counts)
    return Score(found.time_ratio, "scored", NO_DIFFERENCE if same else found.reason)


metric = Metric(
    "time_ratio",
    "time ratio",
    "own time / the reference's, 2 ms added to both: the geometric mean over the scales of the medians of paired runs",
    score,
    kind="quantity",
    higher_is_better=False,
    zero_on_error=False,
    noise=0.15,
)
