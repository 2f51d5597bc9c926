"""The cases of a run in and out of their blocks: the JSON of each, and the ids apart, so that one is found without
reading all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import Connection

from karat.store.block_tables import append_block, block_at, blocks_from, end_of
from karat.store.blocks import DamagedBlock, in_blocks
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
        payload = stored.block.payload()
        near = [one for one in wanted if one in payload]
        places = {one: place for place, one in enumerate(stored.block.items()) if one in wanted} if near else {}
        if not places:
            continue
        held = block_at(connection, run_blocks, run_id, CASES, stored.first)
        if held is None:
            raise DamagedBlock("the cases of a block of ids are missing")
        items = held.block.items()
        for one, place in places.items():
            found.setdefault(wanted[one], items[place])
    return found
