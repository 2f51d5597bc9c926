"""A table as it was read: names, and columns of texts. Nothing is interpreted yet.

Small tables hold plain lists, so that comparing them needs no other library. Large ones hold Polars series of texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    import polars

LARGE = 20_000
"""From this many rows on, columns are held and compared outside Python's own objects."""
QUICKER_AS_LARGE = 4_000
"""From this many rows on, comparing is quicker outside Python's own objects, if the library for it has been imported or
tolerance is needed."""

Problem = Literal[
    "missing",
    "too_large",
    "binary",
    "columns",
    "separator",
    "ragged",
    "encoding",
    "empty",
    "version",
    "no_table",
    "unreadable",
]


class TableError(Exception):
    """Why a file gives no table, in one sentence, and of which kind the trouble is."""

    def __init__(self, reason: str, kind: Problem) -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind: Problem = kind


class Limits(msgspec.Struct, frozen=True):
    """How large a file may be before it is refused."""

    bytes: int = 2 * 1024**3
    columns: int = 4_096


class Table(msgspec.Struct, frozen=True):
    """Names, and as many columns of the same height; None is a null."""

    names: tuple[str, ...]
    columns: tuple[list[str | None] | polars.Series, ...]
    height: int

    @property
    def width(self) -> int:
        return len(self.columns)

    @property
    def large(self) -> bool:
        """Whether the columns are series and not lists."""
        return bool(self.columns) and not isinstance(self.columns[0], list)

    def texts(self, index: int) -> list[str | None]:
        """One column as a list."""
        column = self.columns[index]
        return column if isinstance(column, list) else column.to_list()

    def series(self, index: int) -> polars.Series:
        """One column as a series."""
        import polars

        column = self.columns[index]
        return polars.Series(column, dtype=polars.String) if isinstance(column, list) else column

    def select(self, indices: Sequence[int]) -> Table:
        """These columns only, in this order."""
        return Table(tuple(self.names[i] for i in indices), tuple(self.columns[i] for i in indices), self.height)

    def without_header(self) -> Table:
        """The same table, its first line a row like the others, and its columns without names."""
        return Table(("",) * self.width, tuple(map(_after, self.names, self.columns)), self.height + 1)

    def head(self, count: int) -> Table:
        """The first rows only, as lists."""
        if count >= self.height and not self.large:
            return self
        columns = tuple(list(column[:count]) for column in self.columns)
        return Table(self.names, columns, min(count, self.height))


def _after(name: str, column: list[str | None] | polars.Series) -> list[str | None] | polars.Series:
    """A column below its name."""
    if isinstance(column, list):
        return [name or None, *column]
    import polars

    return polars.concat([polars.Series([name or None], dtype=polars.String), column.rename("")])


def table_of(names: Sequence[str], rows: Sequence[Sequence[str | None]]) -> Table:
    """A small table from its rows."""
    columns = tuple(list(column) for column in zip(*rows, strict=True)) if rows else tuple([] for _ in names)
    return Table(tuple(names), columns, len(rows))
