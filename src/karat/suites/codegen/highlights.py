"""What the terminal says of code beyond its figures: the recovery funnel, the commonest errors, what requirements were missed."""

from __future__ import annotations

from collections import Counter

from karat.core.result import RunResult
from karat.suites.codegen.counts import error_counts, funnel, missing_counts

SHOWN = 4


def highlights(result: RunResult) -> list[str]:
    """Three lines at most; a line that has nothing to say is left out."""
    return [line for line in (_funnel(result), _errors(result), _missing(result)) if line]


def _funnel(result: RunResult) -> str:
    steps = funnel(result)
    if not steps:
        return ""
    ran, right = (" → ".join(str(step[place]) for step in steps) for place in (2, 3))
    repairs = len(steps) - 1
    after = f" (first try → after {repairs} repair{'s' if repairs > 1 else ''})" if repairs else ""
    return f"of {steps[0][1]} tasks    {ran} ran · {right} right{after}"


def _errors(result: RunResult) -> str:
    counts = error_counts(result)
    return f"first errors    {_listed(counts)}" if counts else ""


def _missing(result: RunResult) -> str:
    counts = missing_counts(result)
    return f"asked for and not done    {_listed(counts)}" if counts else ""


def _listed(counts: Counter[str]) -> str:
    shown = [f"{name} {count}" for name, count in counts.most_common(SHOWN)]
    more = len(counts) - len(shown)
    return " · ".join(shown) + (f" · {more} kinds more" if more > 0 else "")
