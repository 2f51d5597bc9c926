"""What is wrong with a ranking, for failure groups: each relevant key that was not found, by its field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from karat.core.explanation import Failure
from karat.suites.retrieval.details import FieldDetails


def missing_keys(fields: Iterable[FieldDetails]) -> Iterator[Failure]:
    """One failure for each missing key. Keys beyond those that are listed count in the field alone."""
    for field in fields:
        family = f"{field.field} missing"
        for key in field.missing:
            yield Failure(f"{family}: {key}", family)
        if field.missing_count > len(field.missing):
            yield Failure(family)
