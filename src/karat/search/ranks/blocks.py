"""The rows of a field's values, block by block, so that memory stays bounded: from an array, a mapped file or a Parquet
column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from karat.search.records import Floats


@dataclass(frozen=True)
class Rows:
    """Rows that come in pieces: how many there are, and a function that gives the pieces again each time it is called.

    A pass over the values asks twice: for the truths' own rows, then for all of them, a block at a time.
    """

    count: int
    pieces: Callable[[], Iterable[Floats]]


def rows_of(values: Floats | Rows) -> Rows:
    """An array (also a memory-mapped one) as rows; rows as they are."""
    if isinstance(values, Rows):
        return values
    return Rows(len(values), lambda: (values,))


def blocks(rows: Rows, size: int) -> Iterator[tuple[int, Floats]]:
    """Each block with the position of its first row. No block is longer than ``size``; a piece that is shorter stays
    alone."""
    start = 0
    for piece in rows.pieces():
        for low in range(0, len(piece), size):
            part = piece[low : low + size]
            yield start + low, part
        start += len(piece)
    if start != rows.count:
        raise ValueError(f"{rows.count} rows were promised and {start} came")


def loaded(block: Floats) -> Floats:
    """The block in memory, in the order of the rows, as float32."""
    return np.ascontiguousarray(block, dtype=np.float32)


def parquet_rows(path: Path, column: str, *, size: int = 65536) -> Rows:
    """The vectors in a column of lists of a Parquet file. Needs ``pyarrow`` (extra ``[arrow]``)."""
    from pyarrow import parquet

    def pieces() -> Iterator[Floats]:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=size, columns=[column]):
                lists = batch.column(0)
                if lists.null_count:
                    raise ValueError(f"{path.name}, column {column}: a vector is missing")
                numbers = lists.flatten().to_numpy(zero_copy_only=False)
                yield np.asarray(numbers, dtype=np.float32).reshape(len(lists), -1)

    with parquet.ParquetFile(path) as file:
        return Rows(file.metadata.num_rows, pieces)
