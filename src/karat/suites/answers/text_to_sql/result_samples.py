"""The first rows of a query's result, kept where the answer is not right, so that a person sees both results."""

from __future__ import annotations

import msgspec

from karat.suites.answers.text_to_sql.execution import Ran
from karat.suites.answers.text_to_sql.strict.tables import table_of

ROWS, COLUMNS, LETTERS = 12, 8, 60
"""What is kept of each result."""


class ResultSample(msgspec.Struct, frozen=True):
    """Column names, and the first rows as texts; a null is None."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


def sample_of(ran: Ran) -> ResultSample | None:
    """None where the query gave no result."""
    if ran.result is None:
        return None
    table = table_of(ran.names[:COLUMNS], [row[:COLUMNS] for row in ran.rows[:ROWS]])
    columns = [[_cut(text) for text in table.texts(place)] for place in range(table.width)]
    return ResultSample(tuple(_cut(name) or "" for name in table.names), tuple(zip(*columns, strict=True)))


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= LETTERS else f"{text[: LETTERS - 1]}…"
