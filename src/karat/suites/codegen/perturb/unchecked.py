"""How many right answers were not checked on changed tables, and why: such a pass says less than the others."""

from __future__ import annotations

from collections import Counter

from karat.core.results.result import RunResult
from karat.suites.codegen.details import tries

OFF = "perturb is off"


def unchecked_passes(result: RunResult) -> Counter[str]:
    """Why, and for how many tries. That the user switched the check off is no news."""
    found: Counter[str] = Counter()
    for _, details in tries(result):
        checked = details.correctness.perturbed
        if details.correctness.passed and checked is not None and not checked.tried and checked.note:
            found[checked.note] += 1
    found.pop(OFF, None)
    return found
