"""A table from a CSV file or from a DuckDB file. What cannot be read says why, and where.

CSV: comma, double quotes, UTF-8 (a byte order mark is skipped), a header in the first line, blank lines skipped. An
empty field is null, quoted or not: programs that write CSV do not agree on quoting nulls, so quotes carry no meaning
here.
"""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from karat.core.files.kinds import BINARY, LFS, MARKS, UTF_16, UTF_32, foreign_kind
from karat.core.files.reading import open_bytes, read_bytes
from karat.core.problems import count_of
from karat.tables.files.duckdb import duckdb_tables, read_duckdb
from karat.tables.table import LARGE, QUICKER_AS_LARGE, Limits, Table, TableError, table_of

if TYPE_CHECKING:
    import polars

__all__ = ["check_csv", "duckdb_tables", "header_of", "read_csv", "read_duckdb"]

_PLAIN_READER_BYTES = 1_000_000
"""Below this size Python's own reader is quicker than importing another."""
_QUICK_READER_BYTES = 100_000
"""From this size on the other is quicker, once it has been imported."""
_LONGEST_FIELD = 2**31 - 1
_SAMPLE = 65_536
_PIECE = 262_144
_BOM = b"\xef\xbb\xbf"


def read_csv(path: Path, *, limits: Limits | None = None) -> Table:
    """The table in a CSV file. Raises :class:`TableError`."""
    limits = limits or Limits()
    data = _bytes(path, limits)
    if len(data) >= (_QUICK_READER_BYTES if "polars" in sys.modules else _PLAIN_READER_BYTES):
        table = _read_quickly(data, limits)
        if table is not None:
            return table
    return _read_plainly(path.name, data, limits)


def check_csv(path: Path, limits: Limits) -> bytes:
    """The first bytes of a file that may be read as CSV. Raises :class:`TableError` for what can be seen without
    reading it."""
    if not path.is_file():
        raise TableError(f"{path.name} is not there, or not a plain file", "missing")
    try:
        size = path.stat().st_size
        if size > limits.bytes:
            raise TableError(f"{path.name} has {size:,} bytes; at most {limits.bytes:,} are read", "too_large")
        with open_bytes(path) as file:
            sample = file.read(_SAMPLE)
    except OSError as error:
        raise TableError(f"{path.name} cannot be opened: {error.strerror}", "unreadable") from None
    binary = b"\x00" in sample or sample[:4] in (b"PK\x03\x04", b"PAR1") or sample[:2] == b"\x1f\x8b"
    if binary or sample[:2] in MARKS or foreign_kind(sample) is LFS:
        kind = foreign_kind(sample) or BINARY
        if kind in (UTF_16, UTF_32):
            encoding = kind.noun.removesuffix(" text")
            raise TableError(f"{path.name} is {encoding}, by its first bytes; CSV is read as UTF-8", "encoding")
        is_what = "contains binary data, not text" if kind is BINARY else f"is {kind.noun}; a CSV file is expected"
        is_what += f". {kind.hint.rstrip('.')}" if kind is LFS else ""
        raise TableError(f"{path.name} {is_what}", "binary")
    if not sample.removeprefix(_BOM).strip():
        raise TableError(f"{path.name} is empty: not even a header", "empty")
    return sample


def _bytes(path: Path, limits: Limits) -> bytes:
    check_csv(path, limits)
    try:
        return read_bytes(path).removeprefix(_BOM)
    except OSError as error:
        raise TableError(f"{path.name} cannot be read: {error.strerror}", "unreadable") from None


def _read_plainly(name: str, data: bytes, limits: Limits) -> Table:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TableError(
            f"{name} is not UTF-8: byte 0x{data[error.start]:02x} in line {line:,} (byte {error.start:,} of the file)",
            "encoding",
        ) from None
    csv.field_size_limit(_LONGEST_FIELD)
    reader = csv.reader(io.StringIO(text, newline=""))
    rows: list[list[str]] = []
    try:
        header = next((row for row in reader if row), None)
        if header is None:
            raise TableError(f"{name} is empty: not even a header", "empty")
        width = len(header)
        if width > limits.columns:
            raise TableError(f"{name} has {width:,} columns; at most {limits.columns:,} are read", "columns")
        for row in reader:
            if len(row) == width:
                rows.append(row)
            elif row:
                fields = count_of(len(row), "field")
                raise TableError(f"{name}, line {reader.line_num:,}: {fields} where the header has {width}", "ragged")
    except csv.Error as error:
        raise TableError(f"{name}, line {reader.line_num:,}: {error}", "unreadable") from None
    table = table_of(header, [[cell or None for cell in row] for row in rows])
    return _held_large(table) if table.height >= LARGE else table


def _held_large(table: Table) -> Table:
    return Table(table.names, tuple(table.series(i) for i in range(table.width)), table.height)


def _read_quickly(data: bytes, limits: Limits) -> Table | None:
    """The same table by a quicker reader; None wherever that one stumbles, or might read something else."""
    header = _header(data, limits)
    if header is None:
        return None
    letters = _letters(data)
    if letters.returns and data.count(b"\r") != data.count(b"\r\n"):
        return None
    try:
        frame = _frame(data, len(header), letters)
    except Exception:
        # Every library has its own errors here; the plain reader finds out what is wrong, and says it with its line.
        return None
    if frame is None:
        return None
    if frame.height < QUICKER_AS_LARGE:
        return Table(tuple(header), tuple(column.to_list() for column in frame.get_columns()), frame.height)
    return Table(tuple(header), tuple(frame.get_columns()), frame.height)


def _frame(data: bytes, width: int, letters: _Letters) -> polars.DataFrame | None:
    """All columns as texts, by the quickest reader that can be trusted with the file."""
    import polars

    columns = {f"c{index}": polars.String for index in range(width)}
    # To this reader a blank line is a row of nulls. With one column that is a row like others; else it has too few
    # commas, and as the first row it stops the reader.
    if not letters.quotes and not _has_blank_lines(data if width == 1 else data[:_SAMPLE]):
        frame = polars.read_csv(data, schema=columns, quote_char=None, has_header=False, skip_rows=1)
        # It refuses a row that is too long and fills up one that is too short: the count of commas tells.
        if letters.commas == (width - 1) * (frame.height + 1):
            return frame
        if not _has_blank_lines(data):
            return None
    return _with_arrow(data, list(columns))


def _has_blank_lines(data: bytes) -> bool:
    return b"\n\n" in data or b"\n\r\n" in data


class _Letters(NamedTuple):
    """How many commas are in a file, and whether there are quotes and carriage returns."""

    commas: int
    quotes: bool
    returns: bool


def _letters(data: bytes) -> _Letters:
    """All in one pass over pieces that stay in the processor's cache: several times quicker than one after another."""
    import numpy

    commas, quotes, returns = 0, False, False
    for start in range(0, len(data), _PIECE):
        end = min(start + _PIECE, len(data))
        quotes = quotes or data.find(b'"', start, end) >= 0
        returns = returns or data.find(b"\r", start, end) >= 0
        piece = numpy.frombuffer(data, numpy.uint8, end - start, start)
        commas += int(numpy.count_nonzero(piece == b","[0]))
    return _Letters(commas, quotes, returns)


def header_of(path: Path, limits: Limits) -> list[str]:
    """The header of a CSV file, without reading the rest. Raises :class:`TableError`."""
    sample = check_csv(path, limits).removeprefix(_BOM)
    header = _header(sample, limits)
    if header is None:
        raise TableError(
            f"{path.name}: the first line is not a header of at most {limits.columns:,} columns", "columns"
        )
    return header


def _header(data: bytes, limits: Limits) -> list[str] | None:
    end = data.find(b"\n")
    first = data[: end if end >= 0 else len(data)]
    if not first.strip() or first.count(b'"') % 2 or first.count(b",") >= limits.columns or b"\r" in first[:-1]:
        return None
    try:
        return next(csv.reader([first.decode("utf-8").rstrip("\r")]), None)
    except (UnicodeDecodeError, csv.Error):
        return None


def _with_arrow(data: bytes, names: list[str]) -> polars.DataFrame:
    import polars
    import pyarrow
    from pyarrow import csv as arrow_csv

    read = arrow_csv.read_csv(
        pyarrow.BufferReader(data),
        read_options=arrow_csv.ReadOptions(column_names=names, skip_rows=1),
        parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pyarrow.large_string()), strings_can_be_null=True, null_values=[""]
        ),
    )
    frame = polars.from_arrow(read)
    if not isinstance(frame, polars.DataFrame):
        raise TypeError("a table was expected")
    return frame
