"""How many right answers were not checked on changed tables, and why: a pass of theirs says less than that of the others."""

from __future__ import annotations

from collections import Counter

from karat.core.result import RunResult


def unchecked_passes(result: RunResult) -> Counter[str]:
    """Why, and for how many cases; switched off by the user is no reason to tell."""
    found: Counter[str] = Counter()
    for case in result.cases:
        score = case.scores.get("passed")
        about = case.details.get("correctness") or {}
        said = about.get("perturbed") or {}
        if score is not None and score.value == 1 and not said.get("tried") and said.get("note"):
            found[said["note"]] += 1
    found.pop("perturb is off", None)
    return found
