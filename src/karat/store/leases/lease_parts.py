"""Parts of a run that several processes share. Each holds the parts that it works on, as rows of ``leases`` that are
numbered from 0; a part that is done keeps its row, without a holder, until the run is finished.

A part is claimed under the lock of the run's row, so that only one of two processes gets it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import msgspec
from sqlalchemy import Connection, delete, func, insert, select, update

from karat.store.leases.lease_holder import Holder
from karat.store.leases.leases import (
    WHOLE_RUN,
    Held,
    Lease,
    clock,
    lease_columns,
    lease_of,
    lost,
    own_columns,
    read_lease,
    refuse_live,
    release_lease,
    take_lease,
)
from karat.store.records import Status, run_name
from karat.store.schema import leases, runs

NOBODY = Holder("", "", "", 0, 0)
"""Whose row says that a part is done."""


class Claim(msgspec.Struct, frozen=True):
    """A part that is held from now on; and who held it before and was lost with it, if anyone."""

    part: int
    lost: Holder | None = None


def claim_part(connection: Connection, run_id: int, holder: Holder, parts: int) -> Claim | None:
    """The first part that is neither done nor held by a live process; None when there is none, or the run is
    finished."""
    if _status(connection, run_id) == "finished":
        return None
    held = dict(_part_leases(connection, run_id))
    for part in range(parts):
        before = held.get(part)
        if before is not None and (before.holder in (NOBODY, holder) or not before.over):
            continue
        now = clock(connection)
        connection.execute(delete(leases).where(leases.c.run_id == run_id, leases.c.part == part))
        row = {"run_id": run_id, "part": part, "taken": now, "renewed": now, **own_columns(holder)}
        connection.execute(insert(leases).values(**row))
        return Claim(part, None if before is None else before.holder)
    return None


def finish_parts(connection: Connection, run_id: int, holder: Holder, parts: Sequence[int]) -> None:
    """All answers of these parts are stored."""
    own = (leases.c.run_id == run_id, leases.c.part.in_(parts), leases.c.holder == holder.id)
    if connection.execute(update(leases).where(*own).values(**own_columns(NOBODY))).rowcount != len(parts):
        raise lost(connection, run_id)


def parts_left(connection: Connection, run_id: int, parts: int) -> bool:
    """Whether some of a run's parts are not done."""
    if _status(connection, run_id) == "finished":
        return False
    done = (leases.c.run_id == run_id, leases.c.part >= 0, leases.c.holder == NOBODY.id)
    return connection.execute(select(func.count()).select_from(leases).where(*done)).scalar_one() < parts


def others_at_work(connection: Connection, run_id: int, holder: Holder) -> bool:
    """Whether another live process holds a part of the run."""
    return any(lease.holder not in (NOBODY, holder) and not lease.over for _, lease in _part_leases(connection, run_id))


def forget_done(connection: Connection, run_id: int) -> None:
    """Work on a run begins again: which parts were done before does not count."""
    connection.execute(delete(leases).where(leases.c.run_id == run_id, leases.c.holder == NOBODY.id))


def lead(connection: Connection, run_id: int, holder: Holder) -> bool:
    """Take the run as a whole, if it is not finished and its last holder is gone or has let go. True if it is held
    now."""
    if _status(connection, run_id) == "finished":
        return False
    found = read_lease(connection, run_id)
    if found is not None and found.holder.id == holder.id:
        return True
    if found is not None and not found.over:
        return False
    take_lease(connection, run_id, holder)
    return True


def take_or_let_go(connection: Connection, run_id: int, holder: Holder, status: Status) -> None:
    """A holder says ``running`` to take a run, and anything else to let go of it."""
    if status != "running":
        let_go(connection, run_id, holder, status)
        return
    take_lease(connection, run_id, holder)
    if not others_at_work(connection, run_id, holder):
        forget_done(connection, run_id)


def let_go(connection: Connection, run_id: int, holder: Holder, status: Status) -> None:
    """The one who has the run as a whole leaves it with this status. A finished run has no parts any more."""
    check_parts(connection, run_id, holder, {WHOLE_RUN})
    release_lease(connection, run_id, None if status == "finished" else holder)


def check_parts(connection: Connection, run_id: int, holder: Holder, parts: Collection[int]) -> None:
    """That all these are still held by this holder. Checked before each write that a holder makes."""
    query = select(leases.c.part).where(leases.c.run_id == run_id, leases.c.holder == holder.id)
    if not set(connection.execute(query).scalars()).issuperset(parts):
        raise lost(connection, run_id)


def refuse_any_live(connection: Connection, run_id: int, what: str) -> None:
    """An error that names a process which works on the run or on a part of it, when there is one that is not known to
    be gone."""
    refuse_live(connection, run_id, what)
    for _, lease in _part_leases(connection, run_id):
        if lease.holder != NOBODY and not lease.over:
            hint = "It shares the run with others. Wait for it, or stop it."
            raise Held(f"{run_name(run_id)} {what}: {lease.holder.shown} is working on it", hint=hint)


def _part_leases(connection: Connection, run_id: int) -> Iterator[tuple[int, Lease]]:
    query = select(leases.c.part, *lease_columns(connection)).where(leases.c.run_id == run_id, leases.c.part >= 0)
    for row in connection.execute(query).mappings().all():
        found = lease_of(run_id, row)
        if found is not None:
            yield row["part"], found


def _status(connection: Connection, run_id: int) -> Status:
    found: Status = connection.execute(select(runs.c.status).where(runs.c.id == run_id)).scalar_one()
    return found
