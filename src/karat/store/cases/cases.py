"""The cases of a run in and out of their blocks: the JSON of each, and the ids apart, so that one is found without
reading all."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from sqlalchemy import Connection

from karat.store.blocks.block import Block, DamagedBlock, in_blocks
from karat.store.blocks.tables import append_block, block_at, blocks_from, end_of
from karat.store.codec import from_bytes, to_bytes
from karat.store.schema import run_blocks

CASES, IDS = "cases", "case_ids"


def append_cases(connection: Connection, run_id: int, items: Iterable[tuple[str, bytes]]) -> None:
    """(id, JSON) of cases, after those that the run already has."""
    first = end_of(connection, run_blocks, run_id, IDS)
    for chunk in in_blocks(items, lambda item: len(item[1])):
        append_block(connection, run_blocks, run_id, IDS, first, [to_bytes(case_id) for case_id, _ in chunk])
        append_block(connection, run_blocks, run_id, CASES, first, [data for _, data in chunk])
        first += len(chunk)


def read_cases(connection: Connection, run_id: int) -> Iterator[bytes]:
    """The cases of a run in their order."""
    for found in blocks_from(connection, run_blocks, run_id, CASES):
        yield from found.block.items()


def cases_from(connection: Connection, run_id: int, begin: int) -> Sequence[bytes]:
    """The cases from this position to the end of its block; none past the last."""
    found = block_at(connection, run_blocks, run_id, CASES, begin)
    return [] if found is None else found.block.items()[begin - found.first :]


def read_ids(connection: Connection, run_id: int) -> list[str]:
    """The ids of a run's cases in their order."""
    blocks = blocks_from(connection, run_blocks, run_id, IDS)
    return [from_bytes(item) for found in blocks for item in found.block.items()]


def read_case(connection: Connection, run_id: int, case_id: str) -> bytes | None:
    """One case as it was when the run began; None when the run kept none of this id."""
    return read_named(connection, run_id, [case_id]).get(case_id)


def read_named(connection: Connection, run_id: int, case_ids: Iterable[str]) -> dict[str, bytes]:
    """Those of these cases that the run kept, as they were when it began. The ids are gone through once, as far as
    needed."""
    wanted = {to_bytes(case_id): case_id for case_id in case_ids}
    found: dict[str, bytes] = {}
    for stored in blocks_from(connection, run_blocks, run_id, IDS):
        if len(found) == len(wanted):
            break
        places = _places_in(stored.block, wanted)
        if not places:
            continue
        held = block_at(connection, run_blocks, run_id, CASES, stored.first)
        if held is None:
            raise DamagedBlock("the cases of a block of ids are missing")
        for one, item in zip(places, held.block.items_at(list(places.values())), strict=True):
            found.setdefault(wanted[one], item)
    return found


def _places_in(block: Block, wanted: Iterable[bytes]) -> dict[bytes, int]:
    """Where these are among what a block holds, the last place of each; those that are not there are left out."""
    data, ends = block.joined()
    found: dict[bytes, int] = {}
    for one in wanted:
        if not one and (empty := [place for place, (begin, end) in enumerate(pairwise((0, *ends))) if begin == end]):
            found[one] = empty[-1]
        at = data.find(one) if one else -1
        while at >= 0:
            place = bisect_right(ends, at)
            if (ends[place - 1] if place else 0) == at and ends[place] == at + len(one):
                found[one] = place
            at = data.find(one, at + 1)
    return found
