"""Rows from a cursor, up to a limit of rows and of size, as a table of texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from karat.engines.protocol import EngineError, ResultRows, ResultTable
from karat.engines.query.cell_text import column_text

BATCH = 10_000
"""Rows of the largest batch. The first has one row and each may be twice the one before, as long as batches stay
small."""
SMALL = 8 * 1024 * 1024
"""Characters of a batch after which the next is no larger, so that no batch is far beyond the limit."""
MOST_CHARACTERS = 512 * 1024 * 1024
"""Texts and blobs of one result together. A few huge cells must not take all memory."""

SIZED = (str, bytes)
NESTED = (list, dict, tuple, set)

Row = Sequence[object]
Fetched = tuple[list[str], list[Row], bool, float]
"""Names, rows, whether there were more, seconds: what ``as_table`` and ``as_rows`` take."""


def fetched(fetchmany: Callable[[int], Sequence[Row]], row_limit: int) -> tuple[list[Row], bool]:
    """Up to ``row_limit`` rows, and whether there were more. One row more than that is asked for, to know."""
    rows: list[Row] = []
    size, count = 0, 1
    while len(rows) <= row_limit:
        batch = fetchmany(min(count, row_limit + 1 - len(rows)))
        if not batch:
            break
        more = sum(len(cell) for row in batch for cell in row if isinstance(cell, SIZED))
        count = min(2 * count, BATCH) if more < SMALL else max(1, count // 2)
        size += more
        if size > MOST_CHARACTERS:
            raise EngineError("row_limit", f"the result has more than {MOST_CHARACTERS:,} characters")
        rows.extend(batch)
    return rows[:row_limit], len(rows) > row_limit


def batches(rows: Iterator[Row]) -> Callable[[int], Sequence[Row]]:
    """``fetchmany`` for a driver that only iterates."""
    return lambda count: list(islice(rows, count))


def as_table(names: Sequence[str], rows: Sequence[Row], truncated: bool, seconds: float) -> ResultTable:
    """Rows of Python values as a table of texts.

    >>> import karat
    >>> karat.result_table(["seats"], [(120,), (None,)], False, 0.1).height
    2
    """
    values = zip(*rows, strict=True) if rows else (() for _ in names)
    return ResultTable(tuple(names), tuple(column_text(column) for column in values), truncated, seconds)


def flat(rows: Sequence[Row]) -> list[Row]:
    """Rows whose lists, structs and documents are texts: a cell can be compared and counted."""
    return [[str(cell) if isinstance(cell, NESTED) else cell for cell in row] for row in rows]


def as_rows(names: Sequence[str], rows: Sequence[Row], truncated: bool, seconds: float) -> ResultRows:
    """Rows of Python values as they are."""
    return ResultRows(tuple(names), tuple(map(tuple, rows)), truncated, seconds)
