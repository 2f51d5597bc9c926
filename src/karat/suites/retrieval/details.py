"""What is kept of a question: for each field how much was found and which keys were not. ``details`` in the store and
in ``--json``."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.explanation import read_details
from karat.core.results.result import CaseResult
from karat.suites.retrieval.comparison import Comparison, FieldComparison

MOST_LISTED = 50
"""Keys of a question that are listed; the rest are counted."""


class FieldDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    """One field of one question."""

    field: str
    """The field."""
    retrieved: int
    """How many results there are."""
    relevant: int
    """How many keys are relevant."""
    found: int
    """How many relevant keys were found."""
    ranks: tuple[int, ...]
    """Their ranks, from 1; at most 50 are listed."""
    missing: tuple[str, ...]
    """Relevant keys that were not found; at most 50 are listed."""
    missing_count: int
    """How many relevant keys were not found."""
    turn: int | None = None
    """The turn of the conversation. Only if the case has several."""


class Details(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that was found about a question, over its turns."""

    fields: tuple[FieldDetails, ...]
    """One entry per field."""


def details(turns: Sequence[tuple[int, Comparison]]) -> Details:
    """What is kept of the comparisons of a case."""
    several = len(turns) > 1
    return Details(
        tuple(_field(field, turn if several else None) for turn, comparison in turns for field in comparison.fields)
    )


def details_of(case: CaseResult) -> Details | None:
    """The details of a case; None when it has no answer that was judged."""
    return read_details(Details, case.details)


def _field(field: FieldComparison, turn: int | None) -> FieldDetails:
    return FieldDetails(
        field.field,
        field.retrieved,
        field.relevant,
        len(field.ranks),
        field.ranks[:MOST_LISTED],
        field.missing[:MOST_LISTED],
        len(field.missing),
        turn,
    )
