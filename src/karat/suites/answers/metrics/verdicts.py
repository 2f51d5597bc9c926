"""A verdict as a score."""

from __future__ import annotations

from karat.core.scores import Score, not_applicable
from karat.suites.answers.records import Verdict


def score_of(verdict: Verdict) -> Score:
    """1 or 0 with the reason; not applicable where no rule can settle it."""
    value = verdict.score
    if value is None:
        return not_applicable(f"{verdict.state}: {verdict.reason}" if verdict.reason else verdict.state)
    return Score(float(value), "scored", verdict.reason)
