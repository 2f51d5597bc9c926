"""Why code is right or not: its error, what its result lacks, how it differs from the reference."""

from __future__ import annotations

from karat.core.explanation import Explanation, Part, differing_lines
from karat.suites.codegen.details import Details
from karat.suites.codegen.failures import failure_of
from karat.suites.codegen.missing_parts import lacked
from karat.suites.codegen.records import Task
from karat.suites.codegen.steps.form import sentence
from karat.tables.explain.cells import cells_of
from karat.tables.explain.reason_sentences import first_difference


def explain(details: Details, task: Task | None) -> Explanation:
    """The reason is the error of the last attempt, or why its result is wrong."""
    wrong = details.error is not None or (details.correctness.score is not None and not details.correctness.passed)
    if details.steps and any(step.number in details.steps.final for step in details.steps.unsettled):
        return Explanation(
            outcome="needs_review", reason=details.correctness.reason, headline=sentence(details.steps), extra=details
        )
    reference = task.reference if task is not None else ""
    return Explanation(
        outcome="wrong" if wrong else "right",
        reason=details.reason,
        headline=sentence(details.steps) if details.steps else _headline(details),
        parts=(Part("requirements", missing=tuple(map(lacked, details.missing))),) if details.missing else (),
        cells=cells_of(details.correctness.evidence),
        lines=differing_lines(reference, details.code) if reference and details.code else (),
        failures=(failure_of(details),) if wrong else (),
        extra=details,
    )


def _headline(details: Details) -> str:
    """The reason, with the first cell that differs where that is what is wrong."""
    cell = first_difference(details.correctness.evidence) if details.reason == "values_differ" else None
    return details.reason if cell is None else f"{details.reason}: expected {cell[0]}, got {cell[1]}"
