"""Copies of a task's tables as the task itself gives them: files under their own names where it gives files.

Code may read a table by the name of its file. It must find a changed or larger copy there too.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from karat.sandbox.tables import TableSource as Given
from karat.suites.codegen.records import Columns, Task
from karat.suites.codegen.results.tables import text_of


@contextmanager
def placed(task: Task, tables: Mapping[str, Columns]) -> Iterator[dict[str, Given]]:
    """The copies for the sandbox; the files are gone afterwards."""
    with TemporaryDirectory(prefix="karat-tables-") as folder:
        given: dict[str, Given] = {}
        for place, (name, columns) in enumerate(tables.items()):
            source = task.tables[name]
            if source.columns is not None:
                given[name] = columns
                continue
            file = Path(folder, str(place), Path(source.path).name)
            file.parent.mkdir()
            _write(file, columns)
            given[name] = file
        yield given


def _write(file: Path, columns: Columns) -> None:
    if file.suffix.lower() != ".csv":
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.table(columns), file)
        return
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*([_field(value) for value in values] for values in columns.values()), strict=True))


def _field(value: object) -> str:
    return text_of(value) or ""
