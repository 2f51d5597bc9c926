"""Small CSV files as columns of texts, read with the standard library where it is sure to split a file as pandas does.

Two columns with the same texts (in the same order, or as multisets when order does not count) hold the same values,
whatever pandas takes them for: types are inferred for each column from its texts alone. Four things could break this,
and each sends the column or the file to pandas:

- pandas infers types piece by piece in long files, so that a value's type may hang on its place;
- a column with an integer that 64 bits do not hold is texts or floats, depending on which of its odd cells comes first;
- integers turn into floats when all columns of a frame are numbers and one is float, which depends on the other
  columns. It changes the order of texts only where a float is written with an exponent: from 16 digits on;
- anything unusual in the file (stray quotes, rows of another width, blank or indented lines, lone carriage returns, a
  byte order mark, other encodings), where two readers may differ.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

SMALL = 4 * 1024**2
"""Bytes up to which the standard library is quicker than loading pandas."""

LONG_INTEGER = re.compile(r"\s*[+-]?\d{16,}\s*")


class TextTable:
    """The cells of a CSV file by column, as written. The sorted form of a column is kept: several golds may ask for
    it."""

    def __init__(self, header: list[str], columns: list[tuple[str, ...]]) -> None:
        self.header = header
        self.columns = columns
        self.rows = len(columns[0])
        self._sorted: dict[int, list[str]] = {}

    def in_order(self, position: int) -> list[str]:
        """The texts of a column, sorted."""
        if position not in self._sorted:
            self._sorted[position] = sorted(self.columns[position])
        return self._sorted[position]


def read_texts(data: bytes) -> TextTable | None:
    """The table in these bytes, or None when only pandas can say what it holds."""
    if data.startswith(b"\xef\xbb\xbf") or b"\0" in data:
        return None
    if b"\r" in data and (b'"' in data or data.count(b"\r") != data.count(b"\r\n")):
        return None
    try:
        rows = [row for row in csv.reader(io.StringIO(data.decode(), newline=""), strict=True) if row]
    except (csv.Error, UnicodeDecodeError):
        return None
    if not rows or not all(map(_is_plain, rows)):
        return None
    width = len(rows[0])
    if len(rows) > rows_in_a_piece(width) or any(len(row) != width for row in rows):
        return None
    header, *cells = rows
    return TextTable(header, list(zip(*cells, strict=True)) if cells else [()] * width)


def _is_plain(row: list[str]) -> bool:
    """No line that pandas might skip as blank, or might read without its indent."""
    first = row[0]
    return not first[:1].isspace() and (bool(first) or len(row) > 1)


def rows_in_a_piece(width: int) -> int:
    """How many rows of this many columns pandas reads at once, and infers types from together."""
    room, rows = 2**20 // width, 1
    while rows * 2 < room:
        rows *= 2
    return rows


def match_texts(gold: TextTable, found: TextTable, position: int, *, ignore_order: bool) -> bool:
    """Whether some column of ``found`` is known by its texts to equal this gold column. False: not known."""
    column = gold.columns[position]
    if ignore_order and _may_turn_float(column):
        return False
    others = found.columns
    if position < len(others) and others[position] == column:
        return True
    if not ignore_order:
        return column in others
    wanted = gold.in_order(position)
    return any(found.in_order(other) == wanted for other in range(len(others)))


def _may_turn_float(column: Sequence[str]) -> bool:
    return any(len(text) > 15 and LONG_INTEGER.fullmatch(text) is not None for text in column)
