"""A process that copies DuckDB and Parquet files for those who read them: one JSON object per line in, one per line
out.

Such a file is parsed by native code, and one that was made for it can crash or fill the process that opens it; a view
in it can compute without end. Here that costs a child, which its parent replaces (see ``probe``). Others read the copy.
Nothing of Karat is imported here.
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
    """``cells``: how many the largest table has, and more than are allowed are not copied; ``error``: that there is not
    memory enough; ``unopened``: why the file cannot be opened, in the words of the library that reads it."""
    asked = json.loads(line)
    if asked["kind"] == "arrow":
        return _copied_by_arrow(asked["path"], asked["copy"], asked["cells"])
    import duckdb

    try:
        with duckdb.connect(config=CLOSED) as connection:
            if asked["kind"] == "duckdb":
                return _copied(connection, asked["path"], asked["copy"], asked["cells"])
            return _copied_parquet(connection, asked["path"], asked["copy"], asked["cells"])
    except duckdb.OutOfMemoryException:
        return {"error": f"needs more than {MEMORY} of memory to be read"}


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


def _copied_parquet(connection: duckdb.DuckDBPyConnection, path: str, copy: str, most: int) -> dict[str, object]:
    """A Parquet file as DuckDB reads it."""
    import duckdb

    connection.execute("SET lock_configuration = true")
    source = f"read_parquet({_text(path)})"
    try:
        rows = connection.execute(f"SELECT count(*) FROM {source}").fetchall()[0][0]  # noqa: S608 (a quoted path)
        width = len(connection.execute(f"SELECT * FROM {source} LIMIT 0").description)  # noqa: S608 (as above)
        if rows * width <= most:
            connection.execute(f"COPY (FROM {source}) TO {_text(copy)} (FORMAT parquet)")
        return {"cells": int(rows * width)}
    except duckdb.OutOfMemoryException:
        raise
    except (duckdb.Error, ValueError, ArithmeticError) as error:
        return {"unopened": str(error)}


def _copied_by_arrow(path: str, copy: str, most: int) -> dict[str, object]:
    """A Parquet file as Arrow reads it."""
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            cells = int(file.metadata.num_rows) * int(file.metadata.num_columns)
            if cells <= most:
                with parquet.ParquetWriter(copy, file.schema_arrow) as written:
                    for batch in file.iter_batches():
                        batch.validate(full=True)
                        written.write_batch(batch)
            return {"cells": cells}
    except MemoryError:
        return {"error": f"needs more than {MEMORY} of memory to be read"}
    except (OSError, ValueError, TypeError, pyarrow.ArrowException) as error:
        return {"unopened": str(error)}


def main() -> None:
    """Serve until the input ends."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin:
        print(json.dumps(answer(line)), flush=True)  # noqa: T201 (this is how it speaks)


if __name__ == "__main__":
    main()
