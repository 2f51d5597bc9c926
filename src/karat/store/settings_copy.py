"""A second copy of the settings of a run, under a checksum.

An option in which a digit changes by itself, on a disk that loses bits, looks like any other, and the run would be
scored with it. ``karat store check`` compares the row with this copy, and a repair writes it again from it. Runs of an
older karat have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any  # Any: columns of a run as they are compared, whatever they have become

import msgspec
from sqlalchemy import Connection, select, update

from karat.store.blocks.block import DamagedBlock
from karat.store.blocks.tables import append_block, block_at
from karat.store.codec import to_json
from karat.store.schema import run_blocks, runs

SETTINGS = "settings"
_KEPT = ("suite", "name", "system", "created", "today", "truth_set", "cases", "repeats", "karat", "options", "config")
"""What is never changed once a run has begun."""

read_settings = msgspec.json.Decoder(dict[str, str | int]).decode
"""Column → what was written."""


def keep_settings(connection: Connection, run_id: int) -> None:
    """The copy of a run that was just begun."""
    append_block(connection, run_blocks, run_id, SETTINGS, 0, [_as_row(connection, run_id)])


def changed_setting(connection: Connection, run_id: int) -> str:
    """Which columns of a run differ from its copy, in words; empty where none does, or there is no copy."""
    changed = _changed(connection, run_id)
    return f"has another {' and '.join(changed)} than was written" if changed else ""


def restore_settings(connection: Connection, run_id: int) -> None:
    """Write again as they were the columns that changed."""
    connection.execute(update(runs).where(runs.c.id == run_id).values(**_changed(connection, run_id)))


def _changed(connection: Connection, run_id: int) -> Mapping[str, Any]:
    try:
        stored = block_at(connection, run_blocks, run_id, SETTINGS, 0)
        kept = {} if stored is None else read_settings(bytes(stored.block.items()[0]))
    except DamagedBlock:  # a finding of its own
        return {}
    there = read_settings(_as_row(connection, run_id))
    return {name: value for name, value in kept.items() if there[name] != value}


def _as_row(connection: Connection, run_id: int) -> bytes:
    query = select(*(runs.c[name] for name in _KEPT)).where(runs.c.id == run_id)
    return to_json(dict(connection.execute(query).mappings().one()))
