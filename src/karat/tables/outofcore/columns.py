"""The columns of a CSV file too large to hold, as one pass of DuckDB sums them up, and which could be the same
column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.tables.options import CompareOptions
from karat.tables.small.bipartite import perfect_matching
from karat.tables.values.numbers import NOISE, SLACK, TWO_DIGITS, VAST, half_unit

if TYPE_CHECKING:
    import duckdb


class ColumnSums(msgspec.Struct, frozen=True, array_like=True):
    """What a column adds up to, whatever the order of its rows. The numbers are those of plain numbers, without
    codes."""

    hashes: int
    mixed_hashes: int
    nulls: int
    others: int
    """How many cells are neither null nor a plain number."""
    wholes: int
    """How many numbers are whole: see :mod:`karat.tables.values.numbers`."""
    decimals: int | None
    """The fewest decimals that a number shows, exponents aside."""
    numbers: int
    vast_digits: int
    """A sum over the digits of the numbers that a float does not hold."""
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
        """Whether all cells are plain numbers or nulls."""
        return not self.others

    @property
    def whole(self) -> bool:
        """Whether all numbers are whole."""
        return self.wholes == self.numbers

    @property
    def vast(self) -> bool:
        """Whether there are numbers so large that a float does not hold every whole one."""
        return self.largest >= VAST


class File(msgspec.Struct, frozen=True):
    """A CSV file as DuckDB reads it, with the columns that are compared and what they add up to."""

    source: str
    names: tuple[str, ...]
    columns: tuple[int, ...]
    rows: int
    sums: tuple[ColumnSums, ...]


def text_hash(columns: Sequence[int]) -> str:
    """A hash of the texts of some columns, each letter with its accents written in one way (NFC)."""
    return f"hash({', '.join(f'nfc_normalize(c{column})' for column in columns)})"


def number(column: int) -> str:
    """The plain number in a cell; null for anything else that the cast would take, and for digits with leading
    zeros."""
    c = f"c{column}"
    refused = f"({c} LIKE '0_%' AND {c} NOT LIKE '0.%') OR contains({c}, '_') OR contains({c}, ' ')"
    return f"CASE WHEN {refused} THEN NULL ELSE TRY_CAST({c} AS DOUBLE) END"


def whole(column: int, number: str) -> str:
    """Whether the number in a cell is whole: see :func:`karat.tables.values.numbers.whole_number`."""
    c, n = f"c{column}", number
    written = f"NOT contains({c}, '.') OR abs({n}) < {VAST!r} OR NOT regexp_matches({c}, '\\.[0-9]*[1-9]')"
    return f"coalesce({n} = floor({n}) AND NOT contains(lower({c}), 'e') AND ({written}), false)"


def whole_digits(column: int) -> str:
    """The digits of a whole number, one way for each number."""
    return f"regexp_replace(regexp_replace(c{column}, '\\.0*$', ''), '^[+]|^-(0*)$', '\\1')"


def decimals(column: int) -> str:
    """How many decimals a plain number shows; with an exponent, as many as are left of them."""
    c = f"c{column}"
    after = f"length(regexp_extract({c}, '\\.([0-9]*)', 1))"
    power = f"coalesce(TRY_CAST(regexp_extract({c}, '[eE]([+-]?[0-9]+)$', 1) AS BIGINT), 0)"
    plain = f"CASE WHEN contains({c}, '.') THEN length({c}) - instr({c}, '.') ELSE 0 END"
    return f"CASE WHEN contains(lower({c}), 'e') THEN greatest(-300, {after} - {power}) ELSE {plain} END"


def scan(connection: duckdb.DuckDBPyConnection, path: Path, names: Sequence[str], columns: tuple[int, ...]) -> File:
    structure = ", ".join(f"'c{index}': 'VARCHAR'" for index in range(len(names)))
    quoted = str(path).replace("'", "''")
    source = (
        f"read_csv('{quoted}', columns={{{structure}}}, auto_detect=false, header=true, delim=',', quote='\"', "
        "escape='\"', "
        "nullstr='', strict_mode=true, max_line_size=16777216)"
    )
    wanted = sorted(set(columns))
    sums = ", ".join(
        f"sum({text_hash([c])}::HUGEINT), bit_xor({text_hash([c])}), count(*) - count(c{c}), "
        f"count(c{c}) - count(*) FILTER (WHERE isfinite(n{c})), count(*) FILTER (WHERE {whole(c, f'n{c}')}), "
        f"min({decimals(c)}) FILTER (WHERE isfinite(n{c})), count(*) FILTER (WHERE isfinite(n{c})), "
        f"coalesce(sum(CASE WHEN abs(n{c}) >= {VAST!r} THEN hash({whole_digits(c)}) END::HUGEINT), 0), "
        f"min(n{c}), max(n{c}), sum(n{c}), sum(abs(n{c}))"
        for c in wanted
    )
    cells = ", ".join(f"c{c}, {number(c)} AS n{c}" for c in wanted)
    found = connection.execute(f"SELECT count(*), {sums} FROM (SELECT {cells} FROM {source})").fetchall()[0]
    width = len(ColumnSums.__struct_fields__)
    grouped = {c: ColumnSums(*found[1 + width * i : 1 + width * (i + 1)]) for i, c in enumerate(wanted)}
    return File(source, tuple(names), columns, int(found[0]), tuple(grouped[c] for c in columns))


def could_equal(gold: ColumnSums, pred: ColumnSums, rows: int, options: CompareOptions) -> bool:
    """Whether two columns of plain numbers could be paired within the tolerance: their ends and their sums are as near
    as it allows."""
    if not gold.plain or not pred.plain or gold.nulls != pred.nulls:
        return False
    rel_tol, abs_tol = options.rel_tol, options.abs_tol
    unit = half_unit(min(gold.decimals or 0, pred.decimals or 0)) * SLACK if options.rounding else 0.0
    if options.exact_whole and gold.whole and pred.whole:
        rel_tol = abs_tol = unit = 0.0
        if gold.vast_digits != pred.vast_digits:
            return False
    ends = ((gold.least or 0.0, pred.least or 0.0), (gold.most or 0.0, pred.most or 0.0))
    for a, b in ends:
        largest = max(abs(a), abs(b))
        if abs(a - b) > max(abs_tol, rel_tol * largest, min(unit, TWO_DIGITS * largest * SLACK)) + NOISE * largest:
            return False
    # Adding up in another order moves the sum a little, too.
    size = (gold.size or 0.0) + (pred.size or 0.0)
    moved = max(abs_tol * rows, min(unit * rows, TWO_DIGITS * SLACK * size)) + (rel_tol + 1e-9) * size
    return abs((gold.total or 0.0) - (pred.total or 0.0)) <= abs_tol * rows + moved


def mappings(candidates: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The likeliest mapping of columns, then for every other candidate of a column the likeliest in which it has that
    one."""
    tried = []
    choices = [(0, options) for options in candidates[:1]]
    choices += [(g, [p]) for g, options in enumerate(candidates) for p in options[1:]]
    for g, only in choices:
        mapping = perfect_matching([only if index == g else options for index, options in enumerate(candidates)])
        if mapping is not None and mapping not in tried:
            tried.append(mapping)
            yield mapping


def certainly_missing(gold: ColumnSums, free: Sequence[ColumnSums]) -> bool:
    """Whether a gold column without candidates is in no other form there either: it is plain numbers, and so is every
    prediction column that no other gold column needs for its texts.
    """
    return gold.plain and all(pred.plain for pred in free)
