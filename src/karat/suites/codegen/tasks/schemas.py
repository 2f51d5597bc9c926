"""What the tables of a task hold, looked at from outside the sandbox: columns, their kinds, the values of short text
columns.

Only the first rows are read, by the csv module or DuckDB; pandas is not needed here. What is found is kept for each
file as it is.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Literal

import msgspec

from karat.core.problems import UserError
from karat.suites.codegen.records import Schema, TableSource, Task
from karat.tables.files.probe import NotOpened, parquet_copy
from karat.tables.table import TableError

HEAD = 2_000
"""Rows that are looked at."""
MOST_VALUES = 50
LONGEST_FIELD = 2**20

ColumnKind = Literal["int", "float", "bool", "datetime", "text", "empty"]

_INTEGER = re.compile(r"[-+]?\d{1,18}")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:inf|nan)", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[-+]\d{2}:?\d{2})?)?")
_MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "#N/A", "<NA>"})
"""What pandas takes for a missing value."""


class ColumnHead(msgspec.Struct, frozen=True):
    """A column by its first rows. ``values`` are those of a text column that has few; None when it has many or is no
    text."""

    name: str
    kind: ColumnKind
    values: frozenset[str] | None = None


def schema_of(task: Task) -> Schema:
    """The columns of each table. A file that cannot be read has none."""
    return Schema({name: tuple(column.name for column in head(source)) for name, source in task.tables.items()})


def values_of(task: Task) -> dict[str, set[str]]:
    """The values of text columns with at most 50 of them, so that a question may name a value and mean its column."""
    found: dict[str, set[str]] = {}
    for source in task.tables.values():
        for column in head(source):
            if column.values is not None:
                found.setdefault(column.name, set()).update(column.values)
    return found


def head(source: TableSource) -> tuple[ColumnHead, ...]:
    """The columns of a table by its first rows."""
    if source.columns is not None:
        return tuple(_column(name, values[:HEAD]) for name, values in source.columns.items())
    path = Path(source.path)
    try:
        about = path.stat()
        return _file(path, about.st_size, about.st_mtime_ns)
    except OSError:
        return ()


def first_rows(source: TableSource, count: int) -> tuple[tuple[object, ...], ...]:
    """The first rows of a table, in the order of its columns; none when it cannot be read."""
    if source.columns is not None:
        return tuple(islice(zip(*source.columns.values(), strict=False), count))
    path = Path(source.path)
    try:
        about = path.stat()
        return _first(path, about.st_size, about.st_mtime_ns, count)
    except OSError:
        return ()


# Both remember by size and time of change too: a changed file is another file.
@lru_cache(maxsize=512)
def _first(path: Path, size: int, changed: int, count: int) -> tuple[tuple[object, ...], ...]:  # noqa: ARG001 (remembered)
    return tuple(tuple(row) for row in _read(path)[1][:count])


@lru_cache(maxsize=512)
def _file(path: Path, size: int, changed: int) -> tuple[ColumnHead, ...]:  # noqa: ARG001 (remembered)
    names, rows = _read(path)
    return tuple(
        _column(name, [row[place] if place < len(row) else None for row in rows]) for place, name in enumerate(names)
    )


def _read(path: Path) -> tuple[list[str], Sequence[Sequence[object]]]:
    """The columns' names and the first rows of a file."""
    return _parquet(path) if path.suffix.lower() in (".parquet", ".pq") else _csv(path)


def _csv(path: Path) -> tuple[list[str], list[list[str]]]:
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
            reader = csv.reader(lines)
            names = next(reader, [])
            return [name or f"Unnamed: {place}" for place, name in enumerate(names)], list(islice(reader, HEAD))
    except csv.Error:
        return [], []
    finally:
        csv.field_size_limit(before)


def _parquet(path: Path) -> tuple[list[str], list[Sequence[object]]]:
    import duckdb

    try:
        copy = parquet_copy(path, by="duckdb")
        with duckdb.connect() as engine:
            found = engine.execute("SELECT * FROM read_parquet(?) LIMIT ?", [str(copy), HEAD])
            names = [str(column[0]) for column in found.description or ()]
            return names, list(found.fetchall())
    except TableError as error:
        raise UserError(error.reason) from None
    except (NotOpened, duckdb.Error) as error:
        raise UserError(f"{path.name} is not a Parquet file: {str(error).splitlines()[0]}") from error


def _column(name: str, cells: Sequence[object]) -> ColumnHead:
    present = [cell for cell in cells if cell is not None and not (isinstance(cell, str) and cell in _MISSING)]
    kind = _kind(present)
    if kind != "text":
        return ColumnHead(name, kind)
    distinct = {str(cell) for cell in present}
    return ColumnHead(name, kind, frozenset(distinct) if len(distinct) <= MOST_VALUES else None)


def _kind(cells: Sequence[object]) -> ColumnKind:
    if not cells:
        return "empty"
    texts = [str(cell) for cell in cells]
    if all(text in ("True", "False", "TRUE", "FALSE", "true", "false") for text in texts):
        return "bool"
    if all(map(_INTEGER.fullmatch, texts)) and not any(isinstance(cell, float) for cell in cells):
        return "int"
    if all(map(_NUMBER.fullmatch, texts)):
        return "float"
    return "datetime" if all(map(_DATE.fullmatch, texts)) else "text"
