"""``growth``: the exponent b of time = a × rows^b of right code, measured with the option ``growth``.

1 is linear, 2 quadratic; see ``timing.growth`` for how far the tables are made larger. Its reason is ``grows_faster``
where the exponent is above 1.5 and above the reference's by more than 0.4. Not measured: null with the reason.

By hand: 0.3 s with 16,000 rows and 4.8 s with 64,000: log₄(4.8 / 0.3) = 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison

SWITCHED_OFF = "switched off (option growth)"


def score(comparison: Comparison) -> Score:
    found = comparison.performance
    if not found.curves:
        return not_applicable(SWITCHED_OFF if found.score is not None else found.reason or SWITCHED_OFF)
    if found.growth is None:
        return not_applicable(found.curves.reason)
    return Score(found.growth, "scored", found.curves.flag)


metric = Metric(
    "growth",
    "growth",
    "the exponent of time over rows, from the last two of tables that grow ×4 until a run takes 1 s; right code only",
    score,
    kind="quantity",
    higher_is_better=False,
    zero_on_error=False,
    noise=0.2,
)
