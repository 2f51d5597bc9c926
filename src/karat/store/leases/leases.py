"""Who works on a run. One process holds it and says every few seconds that it is alive; when it is gone, another may
take over.

A hold is a row of ``leases``, for the run as a whole, or for a part of it where several processes share a run
(:mod:`karat.store.leases.lease_parts`). Every write of a holder is made together with a look at its rows, so one that
was thought dead and wakes up writes nothing more.

Times are those of the server on PostgreSQL, so that the clocks of the machines do not matter, and those of this machine
for a file.
"""

from __future__ import annotations

import time
from typing import Any  # Any: a row of a query has the columns that its query chose

import msgspec
from sqlalchemy import ColumnElement, Connection, Double, cast, delete, func, insert, literal, select, update

from karat.core.problems import UserError
from karat.store.leases.lease_holder import Holder, is_dead
from karat.store.records import run_name
from karat.store.schema import leases, runs

HEARTBEAT = 5.0
"""Seconds between two signs of life."""
EXPIRES = 60.0
"""Seconds without one after which a hold is over. It is many heartbeats, for a busy disk or a slow server."""
WHOLE_RUN = -1

_OWN = ("holder", "host", "machine", "pid", "born")


class Held(UserError):
    """Another process works on the run."""


class Lease(msgspec.Struct, frozen=True):
    """A hold on a run, as it was read: ``age`` seconds after its last sign of life."""

    run_id: int
    holder: Holder
    age: float

    @property
    def over(self) -> bool:
        """Whether its holder is gone: dead on this machine, or silent for too long. A clock that was set back counts as
        silence."""
        return abs(self.age) > EXPIRES or is_dead(self.holder)


def clock(connection: Connection) -> ColumnElement[float]:
    """The time now in seconds, as a part of a query."""
    if connection.dialect.name == "postgresql":
        return cast(func.extract("epoch", func.clock_timestamp()), Double)
    return literal(time.time(), Double)


def lease_columns(connection: Connection) -> list[ColumnElement[Any]]:
    """What :func:`lease_of` reads, for queries that join the hold on the run as a whole."""
    return [*(leases.c[name] for name in _OWN), (clock(connection) - leases.c.renewed).label("lease_age")]


WHOLE = (leases.c.run_id == runs.c.id) & (leases.c.part == WHOLE_RUN)
"""How that hold is joined to its run."""


def lease_of(run_id: int, row: Any) -> Lease | None:
    """The hold in a row of a query with :func:`lease_columns`; None where there is none."""
    if row["holder"] is None:
        return None
    holder = Holder(row["holder"], row["host"], row["machine"], row["pid"], row["born"])
    return Lease(run_id, holder, row["lease_age"])


def read_lease(connection: Connection, run_id: int) -> Lease | None:
    """Who holds a run; None when nobody does."""
    query = select(*lease_columns(connection)).where(leases.c.run_id == run_id, leases.c.part == WHOLE_RUN)
    row = connection.execute(query).mappings().first()
    return None if row is None else lease_of(run_id, row)


def refuse_live(connection: Connection, run_id: int, what: str) -> None:
    """An error that names the holder, when there is one who is not known to be gone."""
    lease = read_lease(connection, run_id)
    if lease is None or lease.over:
        return
    hint = (
        f"Its last heartbeat was {max(lease.age, 0):.0f} s ago. Wait for it, or stop it. If it is dead, it is "
        f"ignored: at once on its own machine, elsewhere {EXPIRES:.0f} s after its last heartbeat."
    )
    raise Held(f"{run_name(run_id)} {what}: {lease.holder.shown} is working on it", hint=hint)


def take_lease(connection: Connection, run_id: int, holder: Holder) -> None:
    """Hold a run, whose row is locked, from now on; refused while another does."""
    refuse_live(connection, run_id, "cannot be resumed")
    connection.execute(delete(leases).where(leases.c.run_id == run_id, leases.c.part == WHOLE_RUN))
    now = clock(connection)
    row = {"run_id": run_id, "part": WHOLE_RUN, "taken": now, "renewed": now, **own_columns(holder)}
    connection.execute(insert(leases).values(**row))


def own_columns(holder: Holder) -> dict[str, str | int]:
    """What a row says of its holder."""
    return {"holder": holder.id, "host": holder.host, "machine": holder.machine, "pid": holder.pid, "born": holder.born}


def renew_lease(connection: Connection, run_id: int, holder: Holder) -> bool:
    """A sign of life for all that a holder has of a run; False when that is nothing."""
    own = (leases.c.run_id == run_id, leases.c.holder == holder.id)
    return connection.execute(update(leases).where(*own).values(renewed=clock(connection))).rowcount > 0


def release_lease(connection: Connection, run_id: int, holder: Holder | None = None) -> None:
    """Let go of all that a holder has of a run; of everything in it, without one."""
    of_holder = () if holder is None else (leases.c.holder == holder.id,)
    connection.execute(delete(leases).where(leases.c.run_id == run_id, *of_holder))


def lost(connection: Connection, run_id: int) -> UserError:
    """What a process hears that wants to write, and no longer holds what it works on."""
    found = read_lease(connection, run_id)
    now = f"{found.holder.shown} has taken it over" if found else "it is no longer held by anyone"
    hint = "This process sent no heartbeat for too long. What it stored is kept; it stores nothing more."
    return UserError(f"{run_name(run_id)} was lost: {now}", hint=hint)
