"""Runs that several processes work on: each claims parts, and one of them leads."""

from __future__ import annotations

from collections.abc import Sequence

from karat.store import runs as run_rows
from karat.store.database.retrying import retrying
from karat.store.leases import lease_parts
from karat.store.leases import leases as lease_rows
from karat.store.leases.lease_holder import Holder
from karat.store.leases.lease_parts import Claim
from karat.store.leases.leases import WHOLE_RUN
from karat.store.store import Store
from karat.store.timestamps import now


@retrying()
class SharedRuns:
    """A view of an open store. Each method is one transaction."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.patience = store.patience

    def join(self, run_id: int, holder: Holder) -> None:
        """Take part in a run: what is written from now on is written only while all parts that are claimed are held."""
        self._store._held[run_id] = (holder, set())

    def lead(self, run_id: int, holder: Holder) -> bool:
        """Take the run as a whole, if it is not finished and nobody else has it. True if it is held now."""
        with self._store._writing() as connection:
            run_rows.lock_run(connection, run_id)
            taken = lease_parts.lead(connection, run_id, holder)
            if taken:
                run_rows.update_status(connection, run_id, "running", now())
        if taken:
            self._store._held[run_id][1].add(WHOLE_RUN)
        return taken

    def leave(self, run_id: int, holder: Holder) -> None:
        """Let go of all parts that are not done; others may claim them."""
        with self._store._writing() as connection:
            run_rows.lock_run(connection, run_id)
            lease_rows.release_lease(connection, run_id, holder)
        self._store._held.pop(run_id, None)

    def claim_part(self, run_id: int, holder: Holder, parts: int) -> Claim | None:
        """Hold the next part of a run that nobody works on; None when there is none at the moment."""
        with self._store._writing() as connection:
            self._store._lock(connection, run_id)
            claim = lease_parts.claim_part(connection, run_id, holder, parts)
        if claim is not None:
            self._store._held[run_id][1].add(claim.part)
        return claim

    def finish_parts(self, run_id: int, holder: Holder, parts: Sequence[int]) -> None:
        """All answers of these parts are stored."""
        self._store._held[run_id][1].difference_update(
            parts
        )  # first: other threads write meanwhile, and look at what is held
        with self._store._writing() as connection:
            self._store._lock(connection, run_id)
            lease_parts.finish_parts(connection, run_id, holder, parts)

    def parts_left(self, run_id: int, parts: int) -> bool:
        """Whether some of a run's parts are not done."""
        with self._store._reading() as connection:
            return lease_parts.parts_left(connection, run_id, parts)

    def others_at_work(self, run_id: int, holder: Holder) -> bool:
        """Whether another live process holds a part of the run."""
        with self._store._reading() as connection:
            return lease_parts.others_at_work(connection, run_id, holder)
