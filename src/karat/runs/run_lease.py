"""Holding a run while it is worked on: nobody else works on it, and when this process dies another may resume
it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from karat.core.problems import UserError
from karat.store.leases.lease_holder import Holder

if TYPE_CHECKING:
    from karat.store.store import Store


@contextmanager
def signs_of_life(store: Store, run_id: int, holder: Holder) -> Iterator[None]:
    """Renew what is held in the background until the work is done. Of several processes that share a run, one takes the
    run as a whole when the one that had it is gone.

    A sign that cannot be given says nothing here: when the run is lost or the store is gone, the next write says so.
    """
    from karat.store.leases.leases import HEARTBEAT
    from karat.store.leases.shared_runs import SharedRuns

    done = threading.Event()

    def beat() -> None:
        while not done.wait(HEARTBEAT):
            with suppress(UserError):
                store.renew_lease(run_id, holder)
                if store.can_share and not store.leads(run_id):
                    SharedRuns(store).lead(run_id, holder)

    thread = threading.Thread(target=beat, name=f"karat holds {run_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
