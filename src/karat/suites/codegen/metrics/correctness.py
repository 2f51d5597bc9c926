"""``correctness``: whether the result is the expected one, in part for cells that are; see ``karat.suites.codegen.correctness``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.scores import Score, not_applicable
from karat.core.suite import Metric

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison


def score(comparison: Comparison) -> Score:
    found = comparison.correctness
    return not_applicable(found.reason) if found.score is None else Score(found.score, "scored", found.reason)


metric = Metric(
    "correctness",
    "correctness",
    "1 if the result equals the expected one, else half of the cell F1; 0 if it did not run",
    score,
)
