"""``overall``: the six parts as one, those that do not apply left out and the others raised; see ``karat.suites.codegen.overall``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.scores import Score, not_applicable
from karat.core.suite import Metric

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison


def score(comparison: Comparison) -> Score:
    overall = comparison.overall
    if overall.score is None:
        return not_applicable("no part applies")
    reason = f"without {', '.join(overall.left_out)}" if overall.left_out else ""
    return Score(overall.score, "scored", reason)


metric = Metric(
    "overall",
    "overall",
    "0.25 correctness + 0.20 quality + 0.15 performance + 0.15 understanding + 0.15 coverage + 0.10 recovery, over the parts that apply",
    score,
    headline=True,
    noise=0.02,
)
