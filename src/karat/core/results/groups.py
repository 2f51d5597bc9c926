"""The groups that a suite's explanation of a case names: dimensions, fields, functions."""

from __future__ import annotations

from karat.core.explanation import Explanation
from karat.core.presentation.case_explanation import explanation_of
from karat.core.results.result import CaseResult

Figures = dict[tuple[str, str, str], float]
"""(kind, name, metric) → the case's value."""


def case_groups(
    suite: str, case: CaseResult, explanation: Explanation | None = None
) -> tuple[Figures, list[tuple[str, str]]]:
    """The case's figures in its groups, mean over turns and repeats; and the groups to which it belongs as a whole.
    ``explanation``: the case's, where it is known; repeats have their own."""
    found: dict[tuple[str, str, str], list[float]] = {}
    named: dict[tuple[str, str], None] = {}
    for one in case.repeats or (case,):
        if not one.details:
            continue
        known = explanation if one is case and explanation is not None else explanation_of(suite, one)
        for group in known.groups:
            if not group.figures:
                named[group.kind, group.name] = None
            for metric, value in group.figures:
                found.setdefault((group.kind, group.name, metric), []).append(value)
    means = {key: sum(numbers) / len(numbers) for key, numbers in found.items()}
    return means, list(named)
