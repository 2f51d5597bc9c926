"""What is wrong with each case of a scoring, in and out of its blocks: the keys of failure groups. All of them are read
as numbers; texts are read again for the few groups that somebody looks at."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from sqlalchemy import Connection

from karat.core.results.failure_columns import FailureColumns, numbers_in
from karat.core.results.word_lists import PackedBlock, Word, unpack_block
from karat.store.block_tables import block_at, blocks_from, end_of
from karat.store.blocks import DamagedBlock
from karat.store.schema import scoring_blocks

FAILURES = "failures"
MOST_KNOWN = 50_000
"""Texts whose numbers are remembered from block to block."""

ReadBlock = Callable[[int], PackedBlock]
"""The failures of the block that holds a position."""


def read_failures(connection: Connection, scoring: int, count: int, read: ReadBlock) -> FailureColumns | None:
    """The failures of all cases; None where they are not kept for all of them, as in a scoring of an older store."""
    import numpy as np

    if end_of(connection, scoring_blocks, scoring, FAILURES) != count:
        return None
    labels, families, counts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    firsts, ends = list[int](), [0]
    known: dict[bytes, int] = {}
    for stored in blocks_from(connection, scoring_blocks, scoring, FAILURES):
        found = unpack_block(stored.block.items()[0])
        if len(known) > MOST_KNOWN:
            known.clear()
        own = [np.array(numbers, np.int64) for numbers in numbers_in(found, known)]
        labels.append(own[0][found.codes])
        families.append(own[1][found.codes])
        counts.append(np.diff(found.starts))
        firsts.append(stored.first)
        ends.append(ends[-1] + len(found.codes))
    starts = np.concatenate(([0], np.cumsum(np.concatenate(counts)))).astype(np.int64)

    def word_of(entry: int) -> Word:
        place = bisect_right(ends, entry) - 1
        return read(firsts[place]).word_of(entry - ends[place])

    return FailureColumns(starts, np.concatenate(labels), np.concatenate(families), word_of)


def read_failure_block(connection: Connection, scoring: int, position: int) -> PackedBlock:
    """The failures of the block that holds a position."""
    stored = block_at(connection, scoring_blocks, scoring, FAILURES, position)
    if stored is None:
        raise DamagedBlock(f"the failures of the case {position} are missing")
    return unpack_block(stored.block.items()[0])
