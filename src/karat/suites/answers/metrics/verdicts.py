"""What the metrics of this folder share: a verdict as a score, and whether there are tables to look into."""

from __future__ import annotations

from karat.core.scores import Score, not_applicable
from karat.suites.answers.comparison import Comparison
from karat.suites.answers.records import Verdict


def has_tables(comparison: Comparison) -> bool:
    """Whether gold judges by a table, so that cells and rows can be counted."""
    if comparison.queries is not None:
        return True
    return any(entry.func not in ("string_match", "number_match") for entry in comparison.gold.entries)


def of_tables(comparison: Comparison, value: float | None, what: str) -> Score:
    """A share of gold's cells or rows. An answer that should have been a table, and is none that could be looked into,
    has none of them."""
    if not has_tables(comparison):
        return not_applicable(f"gold is not a table to compare {what}")
    if value is not None:
        return Score(value)
    if comparison.strict.state == "wrong":
        return Score(0.0, "scored", comparison.strict.reason)
    return not_applicable(f"no table to compare {what}")


def right_or_not(verdict: Verdict) -> Score:
    """1 when it is right and 0 when it is anything else but the gold's own fault."""
    if verdict.state in ("gold_error", "not_judged"):
        return not_applicable(verdict.reason or verdict.state)
    return Score(1.0 if verdict.state == "right" else 0.0, "scored", verdict.reason)


def score_of(verdict: Verdict) -> Score:
    """1 or 0 with the reason; not applicable where no rule can settle it."""
    value = verdict.score
    if value is None:
        said = verdict.reason not in ("", verdict.state)
        return not_applicable(f"{verdict.state}: {verdict.reason}" if said else verdict.state)
    return Score(float(value), "scored", verdict.reason)
