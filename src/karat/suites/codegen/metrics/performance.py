"""``performance``: time and memory beside the reference; see ``karat.suites.codegen.performance``. Wrong code or no reference: not applicable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.scores import Score, not_applicable
from karat.core.suite import Metric

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison


def score(comparison: Comparison) -> Score:
    found = comparison.performance
    return not_applicable(found.reason) if found.score is None else Score(found.score)


metric = Metric(
    "performance",
    "performance",
    "0.7 time + 0.3 memory, each min(1, reference / own) over the scales, 1 where no difference is seen; right code only",
    score,
    zero_on_error=False,
    noise=0.1,
)
