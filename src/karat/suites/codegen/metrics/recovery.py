"""How well the model repaired code that failed.

    recovery = 0.5 × success rate + 0.3 × fix quality + 0.2 × min(attempts / 3, 1)

- success rate: repairs that ran / repairs made
- fix quality: mean over the repairs: 1.0 if the repaired code ran, 0.5 if it failed with another class of error than
  the code before it, 0.1 if with the same class

Edge cases: if the first code ran, there is nothing to recover from, and no score. If it failed and was not repaired,
the score is 0. Only whether the code ran counts here; ``correctness`` says whether its result is right.

By hand: a KeyError, a first repair with the same KeyError, a second one that runs. Success
rate 1/2 = 0.5, fix quality (0.1 + 1.0) / 2 = 0.55, recovery 0.5 × 0.5 + 0.3 × 0.55 + 0.2 × 2/3 = 0.548.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.suites.codegen.records import Attempt

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison

SUCCESS_RATE_WEIGHT = 0.5
FIX_QUALITY_WEIGHT = 0.3
ATTEMPTS_WEIGHT = 0.2
FULL_ATTEMPTS = 3

RAN = 1.0
OTHER_ERROR = 0.5
SAME_ERROR = 0.1


class Repair(msgspec.Struct, frozen=True):
    """One repair."""

    attempt_number: int
    """The number of the repair, from 1."""
    success: bool
    """Whether the repaired code ran."""
    error: str | None
    """The error it ended with; null if it ran."""
    fix_quality: float
    """1.0 if it ran, 0.5 for another class of error, 0.1 for the same."""


class ErrorRecovery(msgspec.Struct, frozen=True):
    """Errors and repairs, as ``karat.Session`` writes them. Without an error, every figure is None."""

    has_error: bool
    """Whether the first code failed."""
    error_message: str | None
    """Its error; null if it ran."""
    recovery_attempts_count: int
    """How many repairs were made."""
    recovery_success: bool
    """Whether a repair ran."""
    recovery_success_rate: float | None
    """Repairs that ran / repairs made."""
    error_fix_quality: float | None
    """The mean ``fix_quality`` of the repairs."""
    recovery_score: float | None
    """0.5 × success rate + 0.3 × fix quality + 0.2 × min(attempts / 3, 1)."""
    recovery_details: tuple[Repair, ...]
    """Each repair."""


def recovery_of(attempts: Sequence[Attempt]) -> ErrorRecovery:
    """What became of the first error, from all attempts in their order."""
    first, *repairs = attempts
    if first.ran:
        return ErrorRecovery(False, None, 0, False, None, None, None, ())
    details = []
    for number, (before, repair) in enumerate(zip(attempts, repairs, strict=False), start=1):
        details.append(Repair(number, repair.ran, None if repair.ran else repair.error, _quality(before, repair)))
    count = len(details)
    rate = sum(repair.success for repair in details) / count if count else 0.0
    quality = sum(repair.fix_quality for repair in details) / count if count else 0.0
    effort = min(count / FULL_ATTEMPTS, 1.0)
    score = SUCCESS_RATE_WEIGHT * rate + FIX_QUALITY_WEIGHT * quality + ATTEMPTS_WEIGHT * effort
    return ErrorRecovery(
        True, first.error, count, any(r.success for r in details), rate, quality, score, tuple(details)
    )


def _quality(before: Attempt, repair: Attempt) -> float:
    if repair.ran:
        return RAN
    return OTHER_ERROR if repair.error_class != before.error_class else SAME_ERROR


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
