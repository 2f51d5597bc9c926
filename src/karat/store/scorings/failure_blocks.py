"""What is wrong with each case of a scoring, in and out of its blocks: the keys of failure groups. All of them are read
as numbers; texts are read again for the few groups that somebody looks at."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache

from sqlalchemy import Connection

from karat.core.results.columns.word_lists import PackedBlock, Word, unpack_block
from karat.core.results.failures.failure_columns import FailureColumns, numbers_in
from karat.store.blocks.block import DamagedBlock
from karat.store.blocks.tables import block_at, blocks_from, end_of
from karat.store.schema import scoring_blocks

FAILURES = "failures"
MOST_HELD = 32
"""Blocks that are held while the words of groups are looked up: most of them are in the first few."""

ReadBlock = Callable[[int], PackedBlock]
"""The failures of the block that holds a position."""


def read_failures(connection: Connection, scoring: int, count: int, read: ReadBlock) -> FailureColumns | None:
    """The failures of all cases; None where they are not kept for all of them, as in a scoring of an older store."""
    import numpy as np

    if end_of(connection, scoring_blocks, scoring, FAILURES) != count:
        return None
    labels, families, counts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    firsts, ends = list[int](), [0]
    for stored in blocks_from(connection, scoring_blocks, scoring, FAILURES):
        found = unpack_block(stored.block.items()[0])
        own_labels, own_families = numbers_in(found)
        labels.append(own_labels[found.codes])
        families.append(own_families[found.codes])
        counts.append(np.diff(found.starts))
        firsts.append(stored.first)
        ends.append(ends[-1] + len(found.codes))
    starts = np.concatenate(([0], np.cumsum(np.concatenate(counts)))).astype(np.int64)

    read_once = lru_cache(MOST_HELD)(read)

    def word_of(entry: int) -> Word:
        place = bisect_right(ends, entry) - 1
        return read_once(firsts[place]).word_of(entry - ends[place])

    return FailureColumns(starts, np.concatenate(labels), np.concatenate(families), word_of)


def read_failure_block(connection: Connection, scoring: int, position: int) -> PackedBlock:
    """The failures of the block that holds a position."""
    stored = block_at(connection, scoring_blocks, scoring, FAILURES, position)
    if stored is None:
        raise DamagedBlock(f"the failures of the case {position} are missing")
    return unpack_block(stored.block.items()[0])
