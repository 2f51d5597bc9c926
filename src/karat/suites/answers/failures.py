"""What is wrong with an answer, for failure groups: the coded reason with the text that was asked and given; of a query
that ran, the parts in which it differs from gold (``missing GROUP BY``)."""

from __future__ import annotations

from collections.abc import Iterator

from karat.core.explanation import Failure, Part
from karat.core.results.failures.failures import part_failure
from karat.suites.answers.details import Details
from karat.suites.answers.text_to_sql.components.difference import Component

CLAUSES = {
    "filters": "WHERE",
    "grouping": "GROUP BY",
    "having": "HAVING",
    "ordering": "ORDER BY",
    "joins": "JOIN",
    "limit": "LIMIT",
    "distinct": "DISTINCT",
    "select": "column in SELECT",
    "tables": "table",
    "aggregates": "aggregate",
    "sub-queries": "sub-query",
}
"""Part of a query → how people call it."""


def failures_of_answer(details: Details, texts: tuple[Part, ...]) -> Iterator[Failure]:
    """``texts``: what the answer lacks or has too much, where it is a text."""
    if details.strict.state not in ("wrong", "needs_review") or not details.reason:
        return
    sql = details.sql
    if sql is not None and sql.components and sql.rows.get("answer") is not None:
        yield from map(_clause, sql.components)
    elif len(texts) == 1 and texts[0].label == "answer":
        found = part_failure(texts[0])
        values = found.label.removeprefix(found.family).lstrip(": ")
        yield Failure(f"{details.reason}: {values}" if values else details.reason, details.reason)
    else:
        yield Failure(details.reason)


def _clause(one: Component) -> Failure:
    if one.part == "value":
        return Failure("value in WHERE or HAVING differs")
    clause = CLAUSES.get(one.part, one.part)
    if one.missing and one.extra:
        return Failure(f"{clause} differs")
    return Failure(f"missing {clause}" if one.missing else f"extra {clause}")
