"""Passed: 1 when every relevant key of every field was retrieved, else 0. Its mean is the share of questions that could
be answered.

A question without any relevant key counts 0, unless the option ``no_relevant`` says to leave it out.
"""

from __future__ import annotations

from karat.core.metric import Metric
from karat.core.scores import Score
from karat.suites.retrieval.comparison import Comparison
from karat.suites.retrieval.metrics.fields import nothing_to_find

FEW = 3


def score(comparison: Comparison) -> Score:
    if not any(field.relevant for field in comparison.fields):
        return nothing_to_find(comparison)
    missing = [key for field in comparison.fields for key in field.missing]
    if not missing:
        return Score(1.0)
    more = f" and {len(missing) - FEW:,} more" if len(missing) > FEW else ""
    return Score(0.0, "scored", f"missing {', '.join(missing[:FEW])}{more}")


metric = Metric(
    "passed",
    "passed",
    "1 if every relevant key of every field was retrieved",
    score,
    kind="rate",
    headline=True,
    held_out_by="held_out_passed",
)
