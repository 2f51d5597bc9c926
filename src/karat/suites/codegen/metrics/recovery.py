"""``recovery``: what repairs came to after an error; see ``karat.suites.codegen.recovery``. The first code ran: not applicable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.core.scores import Score, not_applicable
from karat.core.suite import Metric

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison


def score(comparison: Comparison) -> Score:
    value = comparison.recovery.recovery_score
    return not_applicable("no error to recover from") if value is None else Score(value)


metric = Metric(
    "recovery",
    "recovery",
    "0.5 success rate + 0.3 fix quality + 0.2 min(repairs / 3, 1); only where the first code failed",
    score,
    zero_on_error=False,
)
