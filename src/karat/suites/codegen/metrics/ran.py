"""``ran``: 1 when the last attempt ran and left a result, right or wrong, else 0.

By hand: code that gives a wrong table has 1; code whose last repair still raises a KeyError has 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.metric import Metric
from karat.core.scores import Score

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison


def score(comparison: Comparison) -> Score:
    return Score(float(comparison.last.ran), "scored", comparison.last.error)


metric = Metric("ran", "ran", "attempts that left a result / tasks, the last attempt of each", score, kind="rate")
