"""The first rows of a table, small enough to be kept with a verdict, so that a person sees what was given."""

from __future__ import annotations

import msgspec

from karat.tables.table import Table

ROWS, COLUMNS, LETTERS = 12, 8, 60
"""What is kept of a table."""


class TableSample(msgspec.Struct, frozen=True):
    """Column names, the first rows as texts (a null is None), and how many rows and columns there are in all."""

    columns: tuple[str, ...]
    """The column names."""
    rows: tuple[tuple[str | None, ...], ...]
    """The first rows as text; a null is None."""
    full_size: tuple[int, int] = (0, 0)
    """How many rows and columns the whole table has."""


class TablePair(msgspec.Struct, frozen=True, omit_defaults=True):
    """The first rows of an expected table and of the given one, as they are in their files, whatever the verdict."""

    gold: TableSample
    """The expected table."""
    answer: TableSample
    """The table that was given."""
    table: str = ""
    """Which table it is, if several are expected."""
    compared_columns: tuple[str, ...] = ()
    """The expected columns that are compared, if not all are."""
    rows_in_any_order: bool = False
    """Whether rows may come in any order."""
    gold_tables: int = 1
    """How many expected tables there are of which any may be met; this one is the nearest."""


def sample_of(table: Table, rows: int = ROWS, most: int = COLUMNS) -> TableSample:
    """The first rows and columns, long texts cut."""
    width, first = min(table.width, most), table.head(rows)
    columns = [[_cut(text) for text in first.texts(place)] for place in range(width)]
    names = tuple(_cut(name) or "" for name in table.names[:width])
    return TableSample(names, tuple(zip(*columns, strict=True)), (table.height, table.width))


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= LETTERS else f"{text[: LETTERS - 1]}…"
