"""What is wrong with a selection, for failure groups: each dimension with the codes that were asked and given, then
datasets, period and scope. Turns are left out, so that the same fault is the same in any turn."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from karat.core.explanation import Failure, Part
from karat.core.results.failures.failures import part_failure, values_failure
from karat.suites.data_query.details import Details, DimensionDetails
from karat.suites.data_query.selection.selection import Term


def dimension_failures(details: Details) -> Iterator[Failure]:
    """Of the dimensions that are not as expected."""
    if details.dimensions and not any(_selected(part) for part in details.dimensions):
        yield Failure("nothing selected")
        return
    for part in details.dimensions:
        if part.everything_selected is True and (part.false_positives or part.false_negatives):
            yield Failure(f"{part.dimension} everything selected")
        elif part.false_positives or part.false_negatives:
            yield values_failure(part.dimension, *codes(part.false_negatives, part.false_positives))


def other_failure(part: Part, reason: str) -> Failure:
    """Of what is wrong beside the dimensions; ``reason``: in words, without values."""
    return Failure(reason) if reason.startswith(("answered", "declined")) else part_failure(part)


def left_over(details: Details) -> Iterator[Failure]:
    """Where nothing else says why the answer is not fully right: the label of its main reason."""
    if details.main_reason is not msgspec.UNSET:
        yield Failure(details.main_reason.replace("_", " "))


def _selected(part: DimensionDetails) -> bool:
    return bool(part.true_positives or part.false_positives or part.everything_selected is True)


def codes(missed: tuple[Term, ...], extra: tuple[Term, ...]) -> tuple[list[str], list[str]]:
    """Codes alone, which many cases share; with names where the same code is on both sides."""
    alike = {term.id for term in missed} & {term.id for term in extra}

    def shown(term: Term) -> str:
        if term.id and term.name and term.id in alike:
            return f"{term.id} · {term.name}"
        return term.id or term.name

    return [shown(term) for term in missed], [shown(term) for term in extra]
