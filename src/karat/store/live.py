"""What a run leaves in the store while it goes on: the cases that were scored so far, and whether it was asked to stop.

Scored cases are blocks of the run, which are removed when it is finished: then its scoring says the same. A wish to
stop is a row of ``leases`` that belongs to no part; the processes that work on the run look for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import Connection, delete, insert, select

from karat.core.problems import UserError
from karat.core.results.live import LiveBatch
from karat.store.blocks.tables import append_block, blocks_from, end_of
from karat.store.leases.lease_holder import this_process
from karat.store.leases.leases import clock, own_columns
from karat.store.records import run_name
from karat.store.runs import lock_run, read_run
from karat.store.schema import leases, run_blocks

if TYPE_CHECKING:
    from karat.store.store import Store

LIVE = "live"
"""The kind of the blocks."""
STOP = -2
"""The part of a row that asks for the end of its run."""

read_batch = msgspec.msgpack.Decoder(LiveBatch).decode


class LiveRuns:
    """A view of an open store. Each method is one transaction."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, run_id: int, batch: LiveBatch) -> None:
        """Cases that were scored; they follow those that were added before. A run that another process has finished
        meanwhile needs none."""
        with self._store._writing() as connection:
            self._store._lock(connection, run_id)
            if read_run(connection, run_id).status == "finished":
                return
            first = end_of(connection, run_blocks, run_id, LIVE)
            data = msgspec.msgpack.encode(batch)
            append_block(connection, run_blocks, run_id, LIVE, first, [data], len(batch.cases))

    def read(self, run_id: int, begin: int = 0) -> tuple[list[LiveBatch], int]:
        """What was scored from the ``begin``-th case on, in the order in which it was; and where to go on next time. A
        case that was scored again is there twice: the later one counts."""
        with self._store._reading() as connection:
            blocks = list(blocks_from(connection, run_blocks, run_id, LIVE, begin))
            return [read_batch(stored.block.items()[0]) for stored in blocks], blocks[-1].end if blocks else begin

    def ask_to_stop(self, run_id: int) -> None:
        """Ask the processes that work on a run to stop, as with Ctrl-C."""
        with self._store._writing() as connection:
            lock_run(connection, run_id)
            if (status := read_run(connection, run_id).status) != "running":
                raise UserError(f"{run_name(run_id)} is not running: it is {status}")
            if not _asked(connection, run_id):
                now = clock(connection)
                row = {"run_id": run_id, "part": STOP, "taken": now, "renewed": now, **own_columns(this_process())}
                connection.execute(insert(leases).values(**row))

    def stop_asked(self, run_id: int) -> bool:
        """Whether the run was asked to stop, and has not ended since."""
        with self._store._reading() as connection:
            return _asked(connection, run_id)

    def forget_stop(self, run_id: int) -> None:
        """The run has stopped, or goes on."""
        with self._store._writing() as connection:
            lock_run(connection, run_id)
            connection.execute(delete(leases).where(leases.c.run_id == run_id, leases.c.part == STOP))


def drop_live(connection: Connection, run_id: int) -> None:
    """Remove the cases that were scored while a run went on."""
    connection.execute(delete(run_blocks).where(run_blocks.c.run_id == run_id, run_blocks.c.kind == LIVE))


def _asked(connection: Connection, run_id: int) -> bool:
    query = select(leases.c.part).where(leases.c.run_id == run_id, leases.c.part == STOP)
    return connection.execute(query).first() is not None
