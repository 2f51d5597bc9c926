"""The six scores as one figure.

    overall = 0.25 correctness + 0.20 quality + 0.15 performance + 0.15 understanding + 0.15 coverage + 0.10 recovery

A part that does not apply (no expected result, no reference, no error to recover from) is left out, and the other
weights are scaled to sum to 1. In the details, ``left_out`` names these parts with the reason, and ``weights`` shows
the weights that were used.

Wrong code has no performance, and does not gain from that: with the same other parts, it stays below the slowest right
code, because (0.125 + s) / 0.75 ≤ (0.25 + s) / 0.9 for every s ≤ 0.5, the most that quality, understanding and coverage
can add.

By hand: correctness 1, quality 0.9, understanding 0.8, coverage 1, the others left out. Weights sum to 0.75: (0.25 × 1
+ 0.20 × 0.9 + 0.15 × 0.8 + 0.15 × 1) / 0.75 = 0.7 / 0.75 = 0.933.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison

WEIGHTS = {
    "correctness": 0.25,
    "quality": 0.20,
    "performance": 0.15,
    "understanding": 0.15,
    "coverage": 0.15,
    "recovery": 0.10,
}


class Overall(msgspec.Struct, frozen=True):
    """The overall score, the weights that made it, and the parts that do not apply."""

    score: float | None
    """The weighted mean of the parts that apply; None if none does."""
    weights: dict[str, float]
    """Part → the weight it had."""
    left_out: dict[str, str] = {}
    """Part → why it does not apply."""


def overall_of(parts: Mapping[str, float | None], reasons: Mapping[str, str] | None = None) -> Overall:
    """The weighted mean of the parts that apply; None when none does."""
    reasons = reasons or {}
    applying = {name: value for name in WEIGHTS if (value := parts.get(name)) is not None}
    left_out = {name: reasons.get(name) or "does not apply" for name in WEIGHTS if name not in applying}
    total = sum(WEIGHTS[name] for name in applying)
    if not applying:
        return Overall(None, {}, left_out)
    weights = {name: WEIGHTS[name] / total for name in applying}
    score = sum(weight * applying[name] for name, weight in weights.items())
    return Overall(min(1.0, max(0.0, round(score, 12))), weights, left_out)


def score(comparison: Comparison) -> Score:
    overall = comparison.overall
    if overall.score is None:
        return not_applicable("no part applies")
    reason = f"without {', '.join(overall.left_out)}" if overall.left_out else ""
    return Score(overall.score, "scored", reason)


metric = Metric(
    "overall",
    "overall",
    "0.25 correctness + 0.20 quality + 0.15 performance + 0.15 understanding + 0.15 coverage + 0.10 recovery, over the "
    "parts that apply",
    score,
    headline=True,
    noise=0.02,
)
