"""Why a question is answered or not: field by field, how much of what is relevant was found, and what was not."""

from __future__ import annotations

from karat.core.explanation import Explanation, Group, Part
from karat.suites.retrieval.details import Details, FieldDetails
from karat.suites.retrieval.failures import missing_keys
from karat.suites.retrieval.records import Truths


def explain(details: Details, _truths: Truths | None) -> Explanation:
    """Right when every relevant key was retrieved. The metrics give the reason."""
    missed = any(field.missing_count for field in details.fields)
    return Explanation(
        outcome="wrong" if missed else "right",
        parts=tuple(_part(field) for field in details.fields),
        groups=tuple(_group(field) for field in details.fields if field.relevant),
        failures=tuple(missing_keys(details.fields)),
        extra=details,
    )


def _part(field: FieldDetails) -> Part:
    found = (f"{field.found} of {field.relevant}",) if field.found else ()
    ranks = ", ".join(str(rank) for rank in field.ranks)
    return Part(field.field, found, field.missing, note=f"at rank {ranks}" if ranks else "")


def _group(field: FieldDetails) -> Group:
    return Group("field", field.field, (("recall", field.found / field.relevant),))
