"""A table where there is no pandas: a dict of columns, each a list. Parquet and Arrow need pyarrow, or polars."""

from __future__ import annotations

import csv
import datetime
import io
import json
from typing import Any  # Any: columns as the host sends them in JSON, and what other libraries make of them

Columns = dict[str, list[Any]]


def load(kind: str, data: bytes) -> Columns:
    """The columns of a table's bytes."""
    if kind == "csv":
        return from_csv(data)
    if kind == "columns":
        return {str(column["name"]): _given(column) for column in json.loads(data)}
    return _with_a_library(kind, data)


def from_csv(data: bytes) -> Columns:
    """Whole numbers, numbers and texts, column by column; an empty field is None."""
    rows = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    names = next(rows, [])
    cells = [row for row in rows if row]
    return {name: _typed([row[place] if place < len(row) else "" for row in cells]) for place, name in enumerate(names)}


def to_csv(columns: Columns) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values()))  # noqa: B905 (Python 3.9)
    return text.getvalue().encode("utf-8", "replace")


def size(columns: Columns) -> int:
    """About how many bytes they take."""
    return sum(64 * len(cells) for cells in columns.values())


def _typed(texts: list[str]) -> list[Any]:
    for kind in (int, float):
        try:
            return [None if text == "" else kind(text) for text in texts]
        except ValueError:
            continue
    return [None if text == "" else text for text in texts]


def _given(column: Any) -> list[Any]:
    if column.get("kind") != "datetime":
        return list(column["values"])
    return [None if text is None else datetime.datetime.fromisoformat(text) for text in column["values"]]


def _with_a_library(kind: str, data: bytes) -> Columns:
    try:
        import polars
    except ImportError:
        return _with_arrow(kind, data)
    if kind == "parquet":
        found = polars.read_parquet(io.BytesIO(data))
    else:
        read = polars.read_ipc if data[:6] == b"ARROW1" else polars.read_ipc_stream
        found = read(io.BytesIO(data))
    return found.to_dict(as_series=False)


def _with_arrow(kind: str, data: bytes) -> Columns:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ValueError(f"to read {kind}, the environment needs pandas with pyarrow, polars or pyarrow") from None
    source = pyarrow.py_buffer(data)
    if kind == "parquet":
        return dict(pyarrow.parquet.read_table(source).to_pydict())
    opened = pyarrow.ipc.open_file if data[:6] == b"ARROW1" else pyarrow.ipc.open_stream
    return dict(opened(source).read_all().to_pydict())
