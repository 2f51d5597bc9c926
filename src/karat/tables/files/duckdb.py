"""Tables out of a DuckDB file: out of a copy that a child process has made of it, which is opened only for reading."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from karat.core.problems import did_you_mean
from karat.tables.files.probe import NotOpened, duckdb_copy
from karat.tables.table import LARGE, Limits, Table, TableError

if TYPE_CHECKING:
    import duckdb

_CLOSED = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "lock_configuration": "true",
}


def duckdb_tables(path: Path, *, limits: Limits | None = None) -> tuple[str, ...]:
    """The names of the tables and views in the file's main schema, in order. Raises :class:`TableError`."""
    connection = _open(path, limits or Limits())
    try:
        return tuple(name for name, _ in _listed(connection))
    finally:
        connection.close()


def read_duckdb(path: Path, table: str, *, limits: Limits | None = None) -> Table:
    """One table of the file, every value as the text DuckDB casts it to. Raises :class:`TableError`."""
    import duckdb

    limits = limits or Limits()
    connection = _open(path, limits)
    try:
        known = dict(_listed(connection))
        name = table if table in known else next((each for each in known if each.lower() == table.lower()), None)
        if name is None:
            hint = did_you_mean(table, known)
            raise TableError(f'{path.name} has no table "{table}". {hint}'.rstrip(), "no_table")
        if known[name] > limits.columns:
            raise TableError(f"{name} has {known[name]:,} columns; at most {limits.columns:,} are read", "columns")
        return _whole(connection, name)
    except (duckdb.Error, UnicodeError) as error:
        raise TableError(f"{path.name}, table {table}: {_first_line(error)}", "unreadable") from None
    finally:
        connection.close()


def _whole(connection: duckdb.DuckDBPyConnection, name: str) -> Table:
    # The quoted name is one that the file itself lists.
    source = 'main."' + name.replace('"', '""') + '"'
    height = int(connection.execute(f"SELECT count(*) FROM {source}").fetchall()[0][0])
    query = f"SELECT COLUMNS(*)::VARCHAR FROM {source}"
    if height >= LARGE:
        frame = connection.sql(query).pl()
        return Table(tuple(frame.columns), tuple(frame.get_columns()), frame.height)
    found = connection.execute(query)
    names = tuple(column[0] for column in found.description or ())
    rows = found.fetchall()
    columns = tuple(list(column) for column in zip(*rows, strict=True)) if rows else tuple([] for _ in names)
    return Table(names, columns, len(rows))


def _listed(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, int]]:
    return connection.execute(
        "SELECT table_name, count(*) FROM information_schema.columns WHERE table_schema = 'main' "
        "GROUP BY table_name ORDER BY table_name"
    ).fetchall()


def _open(path: Path, limits: Limits) -> duckdb.DuckDBPyConnection:
    import duckdb

    if not path.is_file():
        raise TableError(f"{path.name} is not there, or not a plain file", "missing")
    size = path.stat().st_size
    if size > limits.bytes:
        raise TableError(f"{path.name} has {size:,} bytes; at most {limits.bytes:,} are read", "too_large")
    if size == 0:
        raise TableError(f"{path.name} is empty", "empty")
    with path.open("rb") as file:
        head = file.read(12)
    if head[8:12] != b"DUCK":
        raise TableError(f"{path.name} is not a DuckDB file", "binary")
    try:
        return duckdb.connect(str(duckdb_copy(path)), read_only=True, config=dict(_CLOSED))
    except (NotOpened, duckdb.Error) as error:
        message = _first_line(error).replace(str(path.absolute()), path.name)
        if "version" in message.lower():
            raise TableError(
                f"{path.name} was written by another version of DuckDB than {duckdb.__version__}: {message}", "version"
            ) from None
        raise TableError(
            f"{path.name} cannot be opened by DuckDB {duckdb.__version__}: {message}", "unreadable"
        ) from None


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
