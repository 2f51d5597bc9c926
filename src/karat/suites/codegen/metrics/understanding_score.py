"""``understanding``: whether the code does what the question speaks of; the formula is in ``understanding`` beside this file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.scores import Score
from karat.core.suite import Metric

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison


def score(comparison: Comparison) -> Score:
    return Score(comparison.understanding.understanding_score)


metric = Metric("understanding", "understanding", "0.4 columns (F1) + 0.3 language + 0.3 statistics", score)
