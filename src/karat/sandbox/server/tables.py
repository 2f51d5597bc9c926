"""The tables, loaded once and kept between snippets. A child sees them through its fork, and can change only its own
copy."""

from __future__ import annotations

import io
import json
import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any  # Any: columns as the host sends them in JSON, and what pandas makes of them

from . import plain_tables
from .environment.libraries import is_there, pandas

FILE = "file"
"""What is not a table, and is only in the working folder."""
KEPT = 64
KEPT_BYTES = 2 * 1024**3
VAST = 2**53
"""From here on a float does not hold every whole number."""


class Tables:
    """Frames by the digest of their bytes, the longest unused dropped first.

    A snippet that reads a table's file gets a link to one in the server's folder. Where a child could change that file
    (``safe`` is false: no Landlock, or no seccomp), the server keeps the bytes in memory and writes a fresh copy for
    each snippet.
    """

    def __init__(self, folder: str, *, safe: bool) -> None:
        self._folder = folder
        self._safe = safe
        self._frames: OrderedDict[str, tuple[Any, int]] = OrderedDict()
        self._files: dict[tuple[str, str], bytes | None] = {}

    def missing(self, digests: Sequence[str]) -> list[str]:
        return [digest for digest in dict.fromkeys(digests) if digest not in self._frames]

    def add(self, digest: str, kind: str, data: bytes, keep: Sequence[str]) -> None:
        """Load a table. Those in ``keep`` are needed by the same snippet and stay."""
        frame = {} if kind == FILE else load(kind, data)
        if kind in ("csv", "parquet", FILE):
            self._keep(digest, kind, data)
        self._frames[digest] = frame, _size(frame) + len(data)
        while len(self._frames) > KEPT or sum(size for _, size in self._frames.values()) > KEPT_BYTES:
            oldest = next((name for name in self._frames if name not in keep and name != digest), None)
            if oldest is None:
                break
            del self._frames[oldest]
            for key in [key for key in self._files if key[0] == oldest]:
                if self._files.pop(key) is None:
                    os.unlink(self._path(*key))

    def frame(self, digest: str) -> Any:
        self._frames.move_to_end(digest)
        return self._frames[digest][0]

    def put(self, digest: str, ending: str, place: str) -> None:
        """The table as a file of that kind, in that place. A CSV is made the first time it is asked for."""
        if (digest, ending) not in self._files:
            if ending != "csv":
                return
            self._keep(digest, ending, _csv(self._frames[digest][0]))
        data = self._files[digest, ending]
        if data is None:
            os.symlink(self._path(digest, ending), place)
        else:
            _write(place, data)

    def _keep(self, digest: str, ending: str, data: bytes) -> None:
        if self._safe:
            _write(self._path(digest, ending), data)
        self._files[digest, ending] = None if self._safe else data

    def _path(self, digest: str, ending: str) -> str:
        return f"{self._folder}/{digest}.{ending}"


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)


def _size(frame: Any) -> int:
    if isinstance(frame, dict):
        return plain_tables.size(frame)
    return int(frame.memory_usage(index=True, deep=True).sum())


def _csv(frame: Any) -> bytes:
    if isinstance(frame, dict):
        return plain_tables.to_csv(frame)
    return bytes(frame.to_csv(index=False).encode("utf-8", "replace"))


def load(kind: str, data: bytes) -> Any:
    """A frame from the bytes of a CSV, a Parquet file, an Arrow stream or file, or columns in JSON; without pandas, a
    dict of lists."""
    if not is_there(pandas):
        return plain_tables.load(kind, data)
    if kind == "csv":
        return _from_csv(data)
    if kind == "parquet":
        return pandas.read_parquet(io.BytesIO(data))
    if kind == "arrow":
        return _from_arrow(data)
    columns = json.loads(data)
    return pandas.DataFrame({place: _column(column) for place, column in enumerate(columns)}).set_axis(
        [column["name"] for column in columns], axis=1
    )


def _from_csv(data: bytes) -> pandas.DataFrame:
    """As pandas reads it, but for whole numbers beside blanks that a float does not hold: their column keeps all
    digits."""
    frame = pandas.read_csv(io.BytesIO(data))
    for place, kind in enumerate(frame.dtypes):
        if kind == "float64" and frame.iloc[:, place].abs().max() >= VAST:
            texts = pandas.read_csv(io.BytesIO(data), usecols=[place], dtype=str).iloc[:, 0]
            if texts.dropna().str.fullmatch("[+-]?[0-9]+").all():
                values = [None if pandas.isna(text) else int(text) for text in texts]
                frame.isetitem(place, _whole_numbers(values))
    return frame


def _whole_numbers(values: Sequence[int | None]) -> Any:
    """Whole numbers of any size and nulls, none of them made a float."""
    for kind in ("Int64", "UInt64"):
        try:
            return pandas.Series(pandas.array(values, dtype=kind))
        except (OverflowError, TypeError, ValueError):
            continue
    return pandas.Series(values, dtype=object)


def _from_arrow(data: bytes) -> pandas.DataFrame:
    import pyarrow

    source = pyarrow.py_buffer(data)
    opened = pyarrow.ipc.open_file if data[:6] == b"ARROW1" else pyarrow.ipc.open_stream
    table = opened(source).read_all()
    table.validate(full=True)
    frame: pandas.DataFrame = table.to_pandas()
    return frame


def _column(column: Mapping[str, Any]) -> Any:
    given = column["values"]
    whole = all(value is None or type(value) is int for value in given)
    if whole and None in given and any(value is not None and abs(value) >= VAST for value in given):
        return _whole_numbers(given)
    values = pandas.Series(given)
    if column.get("kind") != "datetime":
        return values
    since_2 = int(pandas.__version__.partition(".")[0]) >= 2
    return pandas.to_datetime(values, format="ISO8601") if since_2 else pandas.to_datetime(values)
