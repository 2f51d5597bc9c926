"""``quality``: how well the code is written, 1 less the points it loses; see ``karat.suites.codegen.quality`` for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.scores import Score
from karat.core.suite import Metric

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison


def score(comparison: Comparison) -> Score:
    return Score(comparison.quality.score, "scored", comparison.quality.reason)


metric = Metric(
    "quality", "quality", "1 − points lost to ruff, anti-patterns, complexity, dead code and unused names", score
)
