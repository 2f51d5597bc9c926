"""A process that looks through DuckDB and Parquet files before anybody reads them: one JSON object per line in, one per
line out.

Such a file is parsed by native code, and one that was made for it can crash or fill the process that opens it; a view
in it can compute without end. Here that costs a child, which its parent replaces (see ``probe``). Nothing of Karat is
imported here.
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
    "lock_configuration": "true",
}


def answer(line: str) -> dict[str, object]:
    """``cells``: how many the largest table has; ``error``: that there is not memory enough. What else is wrong the
    reader itself says."""
    asked = json.loads(line)
    cells = _read_by_arrow(asked["path"], asked["cells"]) if asked["kind"] == "parquet" else 0
    try:
        import duckdb
    except ImportError:  # then nobody here reads a file with it
        return {"cells": cells}
    try:
        if asked["kind"] == "parquet":
            with duckdb.connect(config=CLOSED) as connection:
                found = _looked_through(connection, "read_parquet(?)", [asked["path"]], asked["cells"])
                return {"cells": max(cells, found)}
        config = {**CLOSED, "enable_external_access": "false"}
        with duckdb.connect(asked["path"], read_only=True, config=config) as connection:
            listed = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main'"
            names = [name.replace('"', '""') for (name,) in connection.execute(listed).fetchall()]
            return {
                "cells": max(
                    (_looked_through(connection, f'main."{name}"', [], asked["cells"]) for name in names), default=0
                )
            }
    except duckdb.OutOfMemoryException:
        return {"error": f"needs more than {MEMORY} of memory to be read"}
    except (duckdb.Error, ValueError, ArithmeticError):
        return {"cells": 0}


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
