"""The columns of a CSV file too large to hold, as one pass of DuckDB sums them up, and which could be the same column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.tables.bipartite import perfect_matching
from karat.tables.cells import half_unit
from karat.tables.options import CompareOptions

if TYPE_CHECKING:
    import duckdb

_VAST = 2.0**53
"""From here on a float does not hold every whole number."""


class ColumnSums(msgspec.Struct, frozen=True, array_like=True):
    """What a column adds up to, whatever the order of its rows. The numbers are those of plain numbers, without codes."""

    hashes: int
    mixed_hashes: int
    nulls: int
    others: int
    """How many cells are neither null nor a plain number."""
    fractions: int
    least: float | None
    most: float | None
    total: float | None
    size: float | None
    """The sum of all numbers without their signs."""

    def same_texts(self, other: ColumnSums) -> bool:
        return (self.hashes, self.mixed_hashes, self.nulls) == (other.hashes, other.mixed_hashes, other.nulls)

    @property
    def largest(self) -> float:
        return max(abs(self.least or 0.0), abs(self.most or 0.0))

    @property
    def plain(self) -> bool:
        """Whether all cells are plain numbers or nulls, and a float holds each of the numbers."""
        return not self.others and (self.fractions > 0 or self.largest < _VAST)


class File(msgspec.Struct, frozen=True):
    """A CSV file as DuckDB reads it, with the columns that are compared and what they add up to."""

    source: str
    names: tuple[str, ...]
    columns: tuple[int, ...]
    rows: int
    sums: tuple[ColumnSums, ...]


def number(column: int) -> str:
    """The plain number in a cell; null for anything else that the cast would take, and for digits with leading zeros."""
    c = f"c{column}"
    refused = f"({c} LIKE '0_%' AND {c} NOT LIKE '0.%') OR contains({c}, '_') OR contains({c}, ' ')"
    return f"CASE WHEN {refused} THEN NULL ELSE TRY_CAST({c} AS DOUBLE) END"


def scan(connection: duckdb.DuckDBPyConnection, path: Path, names: Sequence[str], columns: tuple[int, ...]) -> File:
    structure = ", ".join(f"'c{index}': 'VARCHAR'" for index in range(len(names)))
    quoted = str(path).replace("'", "''")
    source = (
        f"read_csv('{quoted}', columns={{{structure}}}, auto_detect=false, header=true, delim=',', quote='\"', escape='\"', "
        "nullstr='', strict_mode=true, max_line_size=16777216)"
    )
    wanted = sorted(set(columns))
    sums = ", ".join(
        f"sum(hash(c{c})::HUGEINT), bit_xor(hash(c{c})), count(*) - count(c{c}), "
        f"count(c{c}) - count(*) FILTER (WHERE isfinite(n{c})), count(*) FILTER (WHERE n{c} <> floor(n{c})), "
        f"min(n{c}), max(n{c}), sum(n{c}), sum(abs(n{c}))"
        for c in wanted
    )
    cells = ", ".join(f"c{c}, {number(c)} AS n{c}" for c in wanted)
    found = connection.execute(f"SELECT count(*), {sums} FROM (SELECT {cells} FROM {source})").fetchall()[0]  # noqa: S608
    width = len(ColumnSums.__struct_fields__)
    grouped = {c: ColumnSums(*found[1 + width * i : 1 + width * (i + 1)]) for i, c in enumerate(wanted)}
    return File(source, tuple(names), columns, int(found[0]), tuple(grouped[c] for c in columns))


def could_equal(gold: ColumnSums, pred: ColumnSums, rows: int, options: CompareOptions) -> bool:
    """Whether two columns of plain numbers could be paired within the tolerance: their ends and their sums are as near as it allows."""
    if not gold.plain or not pred.plain or gold.nulls != pred.nulls:
        return False
    floor = max(options.abs_tol, half_unit(2) * (1 + 1e-9) if options.rounding else 0.0)
    ends = ((gold.least or 0.0, pred.least or 0.0), (gold.most or 0.0, pred.most or 0.0))
    if any(abs(a - b) > max(floor, options.rel_tol * max(abs(a), abs(b))) for a, b in ends):
        return False
    # Adding up in another order moves the sum a little, too.
    size = (gold.size or 0.0) + (pred.size or 0.0)
    return abs((gold.total or 0.0) - (pred.total or 0.0)) <= floor * rows + (options.rel_tol + 1e-9) * size


def mappings(candidates: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The likeliest mapping of columns, then for every other candidate of a column the likeliest in which it has that one."""
    tried = []
    choices = [(0, options) for options in candidates[:1]]
    choices += [(g, [p]) for g, options in enumerate(candidates) for p in options[1:]]
    for g, only in choices:
        mapping = perfect_matching([only if index == g else options for index, options in enumerate(candidates)])
        if mapping is not None and mapping not in tried:
            tried.append(mapping)
            yield mapping


def certainly_missing(gold: ColumnSums, free: Sequence[ColumnSums]) -> bool:
    """Whether a gold column without candidates is in no other form there either: it is plain numbers, and so is every prediction
    column that no other gold column needs for its texts.
    """
    return gold.plain and all(pred.plain for pred in free)
