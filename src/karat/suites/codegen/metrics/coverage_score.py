"""``coverage``: whether the code does all that is asked for; the formula is in ``coverage`` beside this file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.scores import Score
from karat.core.suite import Metric

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison


def score(comparison: Comparison) -> Score:
    missing = comparison.coverage.details.missing_requirements
    return Score(comparison.coverage.coverage_score, "scored", "; ".join(missing))


metric = Metric(
    "coverage", "coverage", "0.3 filters + 0.3 groups + 0.2 sorting + 0.2 joins, the share of each that is met", score
)
