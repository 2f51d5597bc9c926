"""SQL on a folder of CSV files: every file is a table, read into memory with SQLite when the engine is opened.

::

    engines:
      "": {engine: csv_folder, settings: {folder: tables}}

A column whose cells are all numbers is one of numbers. A number with zeros in front (``007``) is a
text, and an empty cell is a null.
"""

import csv
import hashlib
import re
import sqlite3
import time
from itertools import zip_longest
from pathlib import Path

from karat import EngineConfig, EngineError, EngineType, ResultTable, UserError, check_query, result_table

NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")


class CsvFolderConfig(EngineConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    folder: str


class CsvFolder:
    name, dialect = "csv_folder", "sqlite"

    def __init__(self, files: list[Path]) -> None:
        self._hash = hashlib.sha256()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        for file in files:
            self._hash.update(f"{file.name}\n".encode() + file.read_bytes())
            self._add(file)
        self._database.execute("PRAGMA query_only = ON")

    def _add(self, file: Path) -> None:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            names, *rows = csv.reader(lines)
        if uneven := [number for number, row in enumerate(rows, start=2) if len(row) != len(names)]:
            raise UserError(f"{file}: row {uneven[0]} does not have the {len(names)} cells of the first row")
        numeric = [all(NUMBER.fullmatch(cell) for cell in column if cell) for column in zip(*rows)]
        kinds = ["NUMERIC" if numbers else "TEXT" for numbers in numeric]
        columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in zip_longest(names, kinds, fillvalue="TEXT"))
        self._database.execute(f"CREATE TABLE {quoted(file.stem)} ({columns})")
        values = ([cell or None for cell in row] for row in rows)
        self._database.executemany(f"INSERT INTO {quoted(file.stem)} VALUES ({', '.join('?' * len(names))})", values)

    def run(self, sql: str, *, timeout: float, row_limit: int) -> ResultTable:
        query, began = check_query(sql, self.dialect), time.monotonic()
        self._database.set_progress_handler(lambda: time.monotonic() - began > timeout, 10_000)
        try:
            cursor = self._database.execute(query)
            rows = cursor.fetchmany(row_limit + 1)
        except sqlite3.Error as error:
            if time.monotonic() - began > timeout:
                raise EngineError("timeout", f"after {timeout:g} s") from error
            raise EngineError("sql_error", str(error)) from error
        names = [column[0] for column in cursor.description]
        return result_table(names, rows[:row_limit], len(rows) > row_limit, time.monotonic() - began)

    def fingerprint(self) -> str:
        return self._hash.hexdigest()

    def close(self) -> None:
        self._database.close()


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def open_folder(config: CsvFolderConfig, folder: Path) -> CsvFolder:
    files = sorted((folder / config.folder).glob("*.csv"))
    if not files:
        raise UserError(f"there are no CSV files in {config.folder}", hint="Give the folder that holds the tables.")
    return CsvFolder(files)


engine = EngineType("csv_folder", "a folder of CSV files as tables", CsvFolderConfig, open_folder)
