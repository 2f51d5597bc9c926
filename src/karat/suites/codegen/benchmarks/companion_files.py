"""What lies beside a published file: folders of data by their usual names, files by name, other lists by their ids."""

from __future__ import annotations

import csv
from functools import lru_cache
from pathlib import Path, PurePath

import msgspec

from karat.core.files import json
from karat.core.json_types import JsonMapping
from karat.suites.codegen.records import TableSource

LEVELS = 4
MOST_FILES = 50_000
LONGEST_NAME = 200


class LeftOut(msgspec.Struct, frozen=True):
    """A task that cannot run here, and why; tasks of one reason are reported together."""

    set_name: str
    id: str
    reason: str


class Neighbours:
    """Looked up once for a whole file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._files: dict[str, dict[str, Path]] = {}
        self._lists: dict[str, dict[str, JsonMapping]] = {}

    def folder(self, *names: str) -> Path | None:
        """The nearest folder of one of these names, beside the file or beside a folder above it."""
        for place in list(self.file.resolve().parents)[:LEVELS]:
            for name in names:
                if (place / name).is_dir():
                    return place / name
        return None

    def named(self, folder: Path, name: str) -> Path | None:
        """A file of that name anywhere below a folder; a name with folders in it is looked up as it is."""
        direct = (folder / name).resolve()
        if direct.is_file() and direct.is_relative_to(folder.resolve()):
            return direct
        if str(folder) not in self._files:
            found: dict[str, Path] = {}
            for number, place in enumerate(folder.rglob("*")):
                if number > MOST_FILES:
                    break
                if place.is_file():
                    found.setdefault(place.name, place)
            self._files[str(folder)] = found
        return self._files[str(folder)].get(Path(name).name)

    def all_named(self, folder: Path, name: str) -> list[Path]:
        """The files that a name stands for, below a folder: one file, all of a folder (``a/``, ``a/*``), or those of a
        pattern (``a/*2015*.csv``). Of several places with that name the shallowest counts; two of them are none."""
        wanted = name.strip().strip("/")
        if name.rstrip().endswith("/"):
            wanted += "/*"
        if not wanted or ".." in PurePath(wanted).parts or PurePath(wanted).is_absolute():
            return []
        for pattern in (wanted, f"*/{wanted}", f"*/*/{wanted}", f"**/{wanted}"):
            try:
                found = [place for place in sorted(folder.glob(pattern)) if not place.name.startswith(".")]
            except (ValueError, NotImplementedError):
                return []
            if [place for place in found if place.is_dir()] and not [place for place in found if place.is_file()]:
                return self.all_named(folder, f"{wanted}/*") if "*" not in wanted else []
            files = [place for place in found if place.is_file()]
            if len({place.parent for place in files}) > 1 and pattern != wanted and "**" not in wanted:
                return []
            if files:
                return files
        return []

    def rows_with(self, key: str) -> dict[str, JsonMapping]:
        """The rows with that key of JSONL files beside the file, or in a folder ``eval`` near it, by their ids."""
        if key not in self._lists:
            rows: dict[str, JsonMapping] = {}
            for place in (self.file.resolve().parent, self.folder("eval")):
                for other in sorted(place.glob("*.jsonl")) if place is not None else ():
                    rows.update((number, row) for number, row in _rows(other).items() if key in row)
            self._lists[key] = rows
        return self._lists[key]


def _rows(file: Path) -> dict[str, JsonMapping]:
    found: dict[str, JsonMapping] = {}
    try:
        lines = file.read_bytes().splitlines()
    except OSError:
        return found
    for line in lines:
        try:
            row = json.decode(line)
        except json.BadJson:
            continue
        if isinstance(row, dict) and "id" in row:
            found[str(row["id"])] = row
    return found


def inputs_of(files: list[Path]) -> tuple[dict[str, TableSource], tuple[str, ...]]:
    """CSV and Parquet files as tables by their stem, all others as files. Left out: what a desktop leaves in a folder.

    A CSV that pandas does not read as it is, for its encoding or its rows, is a file only: the code finds out how.
    """
    shown = [place for place in files if not place.name.startswith(".") and len(place.name.encode()) <= LONGEST_NAME]
    readable = [place for place in shown if place.suffix.lower() == ".parquet" or _is_csv(place)]
    tables = {place.stem: TableSource(path=str(place.resolve())) for place in readable}
    used = {source.path for source in tables.values()}
    return tables, tuple(str(place.resolve()) for place in shown if str(place.resolve()) not in used)


def _is_csv(place: Path) -> bool:
    if place.suffix.lower() != ".csv":
        return False
    about = place.stat()
    return _is_table(place, about.st_size, about.st_mtime_ns)


@lru_cache(maxsize=4096)
def _is_table(place: Path, _size: int, _time: int) -> bool:
    """Whether the file, in that state, is UTF-8 and no row has more cells than the first two: pandas reads it as it
    is."""
    try:
        with place.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file)
            head = next(rows, [])
            first = next(rows, [])
            most = max(len(head), len(first))
            return bool(head) and all(len(row) <= most for row in rows)
    except (OSError, UnicodeDecodeError, csv.Error):
        return False
