"""The tables given to a snippet: files, columns of plain data, or Arrow bytes, each known by the digest of its bytes.

The host reads a file itself and sends its bytes; the box never sees the place it came from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TypeAlias

import msgspec

from karat.core.problems import UserError


class GivenFile(msgspec.Struct, frozen=True):
    """A file that is not a table: it is in the working folder under its name, and nobody reads it but the code."""

    path: Path


TableSource: TypeAlias = "Path | str | bytes | Mapping[str, Sequence[object]] | GivenFile"
"""A path of a CSV or Parquet file, Arrow IPC bytes, or columns as lists; or a file of any kind."""
FILE = "file"

KINDS = {".csv": "csv", ".parquet": "parquet", ".pq": "parquet"}


class GivenTable(msgspec.Struct, frozen=True):
    """One table: its name in the code, what it is, how its bytes are found, and under which file names the code sees
    it."""

    name: str
    kind: str
    digest: str
    files: tuple[str, ...]
    data: bytes | Path

    def bytes(self) -> bytes:
        return self.data if isinstance(self.data, bytes) else _read(self.data, self.name)


class Shelf:
    """Turns what was given into tables. Remembers the digests of files, so that an unchanged one is not read again."""

    def __init__(self) -> None:
        self._digests: dict[tuple[str, int, int, int], str] = {}

    def tables(self, given: Mapping[str, TableSource]) -> tuple[GivenTable, ...]:
        return tuple(self._table(name, source) for name, source in given.items())

    def _table(self, name: str, source: TableSource) -> GivenTable:
        if not name or "/" in name or "\0" in name or name.startswith(".") or len(name.encode()) > 200:
            raise UserError(
                f"{name!r} cannot be the name of a table",
                hint="It is also used as a file name: no slash, no leading dot.",
            )
        if isinstance(source, GivenFile):
            return GivenTable(name, FILE, self._digest(name, FILE, source.path), (source.path.name,), source.path)
        if isinstance(source, str | Path):
            return self._file(name, Path(source))
        if isinstance(source, bytes):
            return GivenTable(name, "arrow", _digest("arrow", source), (f"{name}.csv",), source)
        data = _columns(name, source)
        return GivenTable(name, "columns", _digest("columns", data), (f"{name}.csv",), data)

    def _file(self, name: str, path: Path) -> GivenTable:
        kind = KINDS.get(path.suffix.lower())
        if kind is None:
            raise UserError(f'the table "{name}" is {path.name}, which is neither .csv nor .parquet')
        digest = self._digest(name, kind, path)
        files = dict.fromkeys((f"{name}.{kind}", f"{name}.csv", path.stem + "." + kind))
        return GivenTable(name, kind, digest, tuple(files), path)

    def _digest(self, name: str, kind: str, path: Path) -> str:
        try:
            about = path.stat()
        except OSError as error:
            raise UserError(f'the table "{name}" cannot be read: {path}: {error.strerror}') from error
        key = (f"{kind} {path.absolute()}", about.st_mtime_ns, about.st_size, about.st_ino)
        if key not in self._digests:
            self._digests[key] = _digest(kind, _read(path, name))
        return self._digests[key]


def _read(path: Path, name: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f'the table "{name}" cannot be read: {path}: {error.strerror}') from error


def _digest(kind: str, data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=20, person=kind.encode()).hexdigest()


def _columns(name: str, source: Mapping[str, Sequence[object]]) -> bytes:
    """Columns as JSON; dates travel as texts, and the column says that they are dates."""
    columns, heights = [], set()
    for label, values in source.items():
        cells = list(values)
        heights.add(len(cells))
        dated = any(isinstance(cell, date) for cell in cells)
        if dated and all(cell is None or isinstance(cell, datetime | date) for cell in cells):
            cells = [cell.isoformat() if isinstance(cell, date) else None for cell in cells]
        columns.append({"name": label, "values": cells, "kind": "datetime" if dated else ""})
    if len(heights) > 1:
        raise UserError(f'the columns of the table "{name}" are of different lengths: {sorted(heights)}')
    try:
        return json.dumps(columns).encode()
    except (TypeError, ValueError) as error:
        raise UserError(f'the table "{name}" contains something other than plain data: {error}') from error
