"""The beginning of a gold table: its columns and whether a row follows, from CSV and DuckDB files; and what is wrong
with the rest of a CSV file."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import NamedTuple

from karat.core.files.kinds import LFS, foreign_kind
from karat.suites.answers.gold.lfs_pointers import is_pointer
from karat.tables.files.probe import NotOpened, duckdb_copy
from karat.tables.files.reading import read_csv
from karat.tables.files.separators import other_separator
from karat.tables.table import TableError

CSV_HINT = "Save the table as a CSV file with commas and a header."


WHOLE_BYTES = 16 * 1024 * 1024
"""The largest CSV file that is read to its end."""
HEAD_BYTES = (64 * 1024, 8 * 1024 * 1024)
"""How much of a gold table is read: the first is nearly always enough."""


class Head(NamedTuple):
    """The beginning of a gold table: its columns, whether a row follows, or why it cannot be read."""

    columns: tuple[str, ...] = ()
    has_rows: bool = False
    trouble: str = ""
    hint: str = ""
    missing_extra: str = ""
    """The extra without which the table cannot be read."""


def csv_head(file: str) -> Head:
    """The header of a CSV file and whether a row follows. Blank lines before and between do not count."""
    head = Head()
    for size in HEAD_BYTES:
        try:
            with Path(file).open("rb") as handle:
                data = handle.read(size)
        except OSError as error:
            return Head(trouble=f"cannot be read: {error.strerror}")
        kind = foreign_kind(data)
        if kind is not None or b"\0" in data:
            hint = LFS.hint if kind is LFS else CSV_HINT
            return Head(trouble=f"is {kind.noun if kind else 'not text: it contains NUL bytes'}", hint=hint)
        try:
            records = filter(None, csv.reader(io.StringIO(data.decode("utf-8-sig", errors="replace"), newline="")))
            head = Head(tuple(next(records, ())), next(records, None) is not None)
        except csv.Error as error:
            return Head(trouble=f"is not a CSV file: {error}")
        if head.has_rows or len(data) < size:
            path = Path(file)
            return Head(trouble=other.removeprefix(f"{path.name} ")) if (other := other_separator(path)) else head
    return Head(trouble=f"has no row within its first {HEAD_BYTES[-1]:,} bytes")


def csv_trouble(file: str) -> str:
    """What scoring would stumble over in a CSV file whose head is good: a row with a field less or more."""
    path = Path(file)
    if path.stat().st_size <= WHOLE_BYTES:
        try:
            read_csv(path)
        except TableError as error:
            return error.reason.removeprefix(f"{path.name}, ")
    return ""


def duckdb_heads(file: str) -> dict[str, Head] | Head:
    """The tables of a DuckDB file with their columns, or why there are none."""
    if is_pointer(file):
        return Head(trouble=f"is {LFS.noun}. {LFS.hint}")
    try:
        import duckdb
    except ImportError:
        return Head(missing_extra="answers")
    try:
        with duckdb.connect(str(duckdb_copy(Path(file))), read_only=True) as connection:
            found = connection.execute(
                "SELECT table_name, list(column_name ORDER BY ordinal_position) FROM information_schema.columns "
                "WHERE table_schema = 'main' GROUP BY table_name ORDER BY table_name"
            ).fetchall()
    except (duckdb.Error, NotOpened) as error:
        return Head(trouble=f"cannot be opened: {str(error).splitlines()[0]}")
    except TableError as error:
        return Head(trouble=f"cannot be read: {error.reason}")
    except OSError as error:
        return Head(trouble=f"cannot be read: {error.strerror}")
    return {name: Head(tuple(columns), has_rows=True) for name, columns in found}
