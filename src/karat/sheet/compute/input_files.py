"""Read tables from files: CSV, Parquet, and the tables of a DuckDB file.

A file named in a sheet lies in the sheet's folder or below it; one bound on the command line may lie anywhere. A CSV
column holds numbers when every filled cell of it is one, as a person writes them: ``001`` and ``1,5`` are text. An
empty cell is NA.
"""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from karat.core.files.named_files import file_named
from karat.core.files.reading import open_bytes
from karat.core.installed.extras import install_command
from karat.core.problems import count_of, did_you_mean, nearest
from karat.core.remote.address import url_inside
from karat.sheet.values import NA, Array, TableValue, Value, Wrong
from karat.tables.files.probe import NotOpened, duckdb_copy, parquet_copy
from karat.tables.table import TableError

if TYPE_CHECKING:
    import duckdb

_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_BROKEN = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,17})?([eE][+-]?[0-9]{1,2})?")
LONGEST_CELL = 10_000_000


def find_input(folder: Path, name: str) -> Path:
    """The file of this name under the folder. Raises :class:`Wrong` when there is none, or when it lies outside."""
    base = folder.resolve()
    path = file_named(base, name) if name.strip() else None
    if path is None:
        raise Wrong("INPUT needs the name of a file")
    if url := url_inside(name):
        hint = f"Put the file next to the sheet, or bind it: karat sheet FILE --table NAME={url}."
        raise Wrong(f'"{url}" is a URL; a sheet cannot name a file by a URL', hint)
    if not path.is_relative_to(base):
        hint = "Put the file next to the sheet, or bind it: karat sheet FILE --table NAME=FILE."
        raise Wrong(f'"{name}" is outside the folder of the sheet', hint)
    if not path.is_file():
        raise Wrong(f'there is no file "{name}" in the folder of the sheet', nearest_file(base, name))
    return path


def nearest_file(folder: Path, name: str) -> str:
    near = folder / Path(name).parent
    known = [entry.name for entry in near.iterdir() if entry.is_file()] if near.is_dir() else []
    close = nearest(Path(name).name, known)
    if close:
        return f'Did you mean "{(Path(name).parent / close[0]).as_posix()}"?'
    tables = sorted(entry for entry in known if entry.endswith((".csv", ".tsv", ".parquet", ".duckdb")))
    return f"Files there: {', '.join(tables[:8])}." if tables else "Paths are relative to the sheet."


def read_table(path: Path, table: str = "") -> TableValue:
    """The table in a file, by the ending of its name."""
    ending = path.suffix.lower()
    if ending in (".duckdb", ".db"):
        return _duckdb(path, table)
    if table:
        raise Wrong(
            f"{path.name} has no tables to choose from", "Only a DuckDB file has tables: leave out the second argument."
        )
    if ending == ".parquet":
        return _parquet(path)
    if ending in (".csv", ".tsv", ".txt"):
        return read_csv(path, "\t" if ending == ".tsv" else ",")
    raise Wrong(
        f"{path.name} is not a supported kind of file",
        "Supported: CSV (.csv, .tsv), Parquet (.parquet) and DuckDB (.duckdb).",
    )


# -- CSV
# ----------------------------------------------------------------------------------------------------------------


def read_csv(path: Path, delimiter: str = ",") -> TableValue:
    """A CSV file with a line of headings."""
    csv.field_size_limit(LONGEST_CELL)
    try:
        with TextIOWrapper(open_bytes(path), encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, delimiter=delimiter, strict=True)
            names = next(reader, None)
            if not names:
                raise Wrong(f"{path.name} is empty", "It needs a header line.")
            names = [name.strip() for name in names]
            _check_names(names, path)
            rows = []
            for row in reader:
                if len(row) > len(names):
                    cells, headings = count_of(len(row), "cell"), count_of(len(names), "heading")
                    raise Wrong(
                        f"{path.name}:{reader.line_num}: {cells} under {headings}",
                        "Put quotes around a cell that contains a comma.",
                    )
                if row:
                    rows.append(row + [""] * (len(names) - len(row)))
    except (csv.Error, UnicodeDecodeError) as error:
        raise Wrong(
            f"{path.name} cannot be read as CSV: {error}",
            "It must be UTF-8, with quotes around cells that contain a comma.",
        ) from None
    except OSError as error:
        raise Wrong(f"{path.name} cannot be read: {error.strerror}") from None
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    return TableValue({name: _typed(column) for name, column in zip(names, columns, strict=True)}, len(rows))


def _check_names(names: Sequence[str], path: Path) -> None:
    doubled = next((name for name, times in Counter(names).items() if times > 1), None)
    if doubled is not None:
        raise Wrong(f'{path.name} has two columns named "{doubled}"', "Rename one of them.")


def _typed(cells: Sequence[str]) -> list[Value]:
    """A column as numbers if all its filled cells are, else as texts."""
    filled = [cell for cell in cells if cell]
    if filled and all(_WHOLE.fullmatch(cell) for cell in filled):
        return [int(cell) if cell else NA for cell in cells]
    if filled and all(_BROKEN.fullmatch(cell) for cell in filled):
        return [(int(cell) if _WHOLE.fullmatch(cell) else float(cell)) if cell else NA for cell in cells]
    return [cell if cell else NA for cell in cells]


# -- through DuckDB
# -----------------------------------------------------------------------------------------------------


def _connect(name: str, database: Path | None = None) -> duckdb.DuckDBPyConnection:
    """A connection to a database that is only read, or to none."""
    try:
        import duckdb
    except ImportError:
        raise Wrong(f"{name} needs DuckDB to be read", f"Install it: {install_command('answers')}") from None
    if database is None:
        return duckdb.connect()
    return duckdb.connect(str(database), read_only=True, config={"enable_external_access": "false"})


def _parquet(path: Path) -> TableValue:
    connection = _connect(path.name)
    try:
        copy = parquet_copy(path, by="duckdb")
        return _fetched(connection.execute("SELECT * FROM read_parquet(?)", [str(copy)]))
    except TableError as error:
        raise Wrong(error.reason) from None
    except Exception as error:
        raise _unreadable(path, error) from None
    finally:
        connection.close()


def _duckdb(path: Path, table: str) -> TableValue:
    try:
        connection = _connect(path.name, duckdb_copy(path))
    except TableError as error:
        raise Wrong(error.reason) from None
    except NotOpened as error:
        raise _unreadable(path, error) from None
    try:
        listed = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' ORDER BY table_name"
        known = [name for (name,) in connection.execute(listed).fetchall()]
        if not table and len(known) == 1:
            table = known[0]
        if table not in known:
            said = f'{path.name} has no table "{table}"' if table else f"{path.name} has {len(known)} tables"
            raise Wrong(said, did_you_mean(table, known) if table else f"Name one: {', '.join(known[:12])}.")
        # The quoted name is one that the file itself lists.
        query = 'SELECT * FROM main."' + table.replace('"', '""') + '"'  # noqa: S608 (a quoted name)
        return _fetched(connection.execute(query))
    except Wrong:
        raise
    except Exception as error:
        raise _unreadable(path, error) from None
    finally:
        connection.close()


def _unreadable(path: Path, error: Exception) -> Wrong:
    import duckdb

    if not isinstance(error, duckdb.Error | NotOpened):
        raise error
    first = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return Wrong(f"{path.name} cannot be read: {first.replace(str(path.absolute()), path.name)[:300]}")


def _fetched(result: duckdb.DuckDBPyConnection) -> TableValue:
    names = [column[0] for column in result.description]
    rows = result.fetchall()
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    return TableValue(
        {name: [_cell(cell) for cell in column] for name, column in zip(names, columns, strict=True)}, len(rows)
    )


def _cell(cell: object) -> Value:
    """A value of a database as one of ours: a date is its text, true is 1."""
    if cell is None:
        return NA
    if isinstance(cell, bool):
        return int(cell)
    if isinstance(cell, int | str):
        return cell
    if isinstance(cell, float):
        return cell if math.isfinite(cell) else NA
    if isinstance(cell, Decimal):
        return int(cell) if cell == cell.to_integral_value() else float(cell)
    return Array([_cell(item) for item in cell]) if isinstance(cell, list | tuple) else str(cell)
