"""A process that opens DuckDB and Parquet files before anybody else does: one JSON object per line in, one per line
out.

Such a file is parsed by native code, and one that was made for it can crash or fill the process that opens it; a view
in it can compute without end. Here that costs a child, which its parent replaces (see ``probe``). Of a DuckDB file a
copy is written, and that is what others read. Nothing of Karat is imported here.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

MEMORY = "2GB"
CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "memory_limit": MEMORY,
}
LISTED = (
    "SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = current_database() "
    "AND table_schema NOT IN ('information_schema', 'pg_catalog') ORDER BY ALL"
)


def answer(line: str) -> dict[str, object]:
    """``cells``: how many the largest table has; ``error``: that there is not memory enough; ``unopened``: why DuckDB
    does not open a DuckDB file. What else is wrong with a Parquet file its reader says."""
    asked = json.loads(line)
    cells = _read_by_arrow(asked["path"], asked["cells"]) if asked["kind"] == "parquet" else 0
    try:
        import duckdb
    except ImportError:  # then nobody here reads a file with it
        return {"cells": cells}
    try:
        with duckdb.connect(config=CLOSED) as connection:
            if asked["kind"] == "duckdb":
                return _copied(connection, asked["path"], asked["copy"], asked["cells"])
            connection.execute("SET lock_configuration = true")
            found = _looked_through(connection, "read_parquet(?)", [asked["path"]], asked["cells"])
            return {"cells": max(cells, found)}
    except duckdb.OutOfMemoryException:
        return {"error": f"needs more than {MEMORY} of memory to be read"}
    except (duckdb.Error, ValueError, ArithmeticError):
        return {"cells": cells}


def _copied(connection: duckdb.DuckDBPyConnection, path: str, copy: str, most: int) -> dict[str, object]:
    """Every table, and every view as a table, in a new file. A table that cannot be read is a view there that says
    why."""
    import duckdb

    try:
        connection.execute(f"ATTACH {_text(path)} AS given (READ_ONLY)")
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error as error:
        return {"unopened": str(error)}
    connection.execute(f"ATTACH {_text(copy)} AS copy (BLOCK_SIZE 16384)")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    connection.execute("USE given")
    largest = 0
    for schema, name in connection.execute(LISTED).fetchall():
        table = f"{_name(schema)}.{_name(name)}"  # quoted, and the file's own
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS copy.{_name(schema)}")
        try:
            rows = connection.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]  # noqa: S608 (as above)
            width = len(connection.execute(f"SELECT * FROM {table} LIMIT 0").description)  # noqa: S608 (as above)
            largest = max(largest, rows * width)
            if largest > most:
                return {"cells": largest}
            connection.execute(f"CREATE TABLE copy.{table} AS SELECT * FROM {table}")  # noqa: S608 (as above)
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error as error:
            said = (str(error).strip().splitlines() or [type(error).__name__])[0]
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS copy.{_name(schema)}")
            connection.execute(
                f"CREATE OR REPLACE VIEW copy.{table} AS SELECT error({_text(said[:300])}) AS unreadable"
            )
    return {"cells": largest}


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _looked_through(connection: duckdb.DuckDBPyConnection, source: str, values: list[str], most: int) -> int:
    """The cells of a table, all of which have been read unless they are too many."""
    import duckdb

    try:
        rows = connection.execute(f"SELECT count(*) FROM {source}", values).fetchall()[0][0]  # noqa: S608 (names of the file)
        width = len(connection.execute(f"SELECT * FROM {source} LIMIT 0", values).description)  # noqa: S608 (names of the file)
        if rows * width <= most:
            connection.execute(f"SELECT max(hash(every_row)) FROM {source} AS every_row", values).fetchall()  # noqa: S608 (names of the file)
        return int(rows * width)
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error:
        return 0  # of this table; the reader says it when it comes to it


def _read_by_arrow(path: str, most: int) -> int:
    """The same of a Parquet file for the other library that reads it; 0 where it is not installed, or refuses the
    file."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        return 0
    try:
        with parquet.ParquetFile(path) as file:
            cells = int(file.metadata.num_rows) * int(file.metadata.num_columns)
            for batch in file.iter_batches() if cells <= most else ():
                batch.validate(full=True)
            return cells
    except (OSError, pyarrow.ArrowException):
        return 0


def main() -> None:
    """Serve until the input ends."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin:
        print(json.dumps(answer(line)), flush=True)  # noqa: T201 (this is how it speaks)


if __name__ == "__main__":
    main()
