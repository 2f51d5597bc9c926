"""Several processes on one run. Its cases are cut into parts; each process claims one after the other, asks what has no
answer yet, and says that a part is done when all its answers are stored.

A process that finds nothing left waits for the others, because the parts of one that dies become free again. When all
are done, the one that holds the run as a whole scores it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, Protocol

from karat.core.bulk.sequence import CHUNK
from karat.core.problems import Problem, UserError, count_of
from karat.core.suite import SuiteOptions
from karat.runs.calls.calling import Portion, Source, one_by_one, turns_to_ask
from karat.runs.calls.follow_up import unfinished
from karat.runs.calls.stored_answers import StoredAnswers
from karat.runs.case_order import pick
from karat.runs.job import Job
from karat.store.leases.lease_holder import Holder
from karat.store.leases.leases import Held
from karat.store.leases.shared_runs import SharedRuns
from karat.store.records import run_name

if TYPE_CHECKING:
    from karat.store.store import Store

PARTS = 64
"""Parts that a run of a few thousand cases is cut into: enough for many processes to end at about the same time."""
PAUSE = 0.25
"""Seconds between two looks at what the others do."""


class Share(Protocol):
    """What this process has to ask of a run."""

    @property
    def source(self) -> Source:
        """Where the next cases to ask come from."""

    def finish(self, portions: Sequence[Portion]) -> None:
        """All answers of these portions are stored."""

    async def more(self) -> bool:
        """Once nothing is left to ask: wait a little, and say whether there may be something again."""

    def problems(self) -> Sequence[Problem]:
        """What there is to say at the end."""


class Everything:
    """All of it: this process has the run to itself."""

    def __init__(self, job: Job, stored: StoredAnswers) -> None:
        self.source = one_by_one(job.cases, job.case_order, job.repeats, stored.of)

    def finish(self, portions: Sequence[Portion]) -> None:
        """Nobody else has to know."""

    async def more(self) -> bool:
        return False

    def problems(self) -> Sequence[Problem]:
        return ()


class Parts:
    """The parts that this process gets hold of. ``follow_up``: whether stored answers may have to be followed up."""

    def __init__(
        self,
        store: Store,
        run_id: int,
        holder: Holder,
        job: Job,
        options: SuiteOptions,
        stored: StoredAnswers,
        *,
        follow_up: bool,
    ) -> None:
        self._shared, self._run_id, self._holder = SharedRuns(store), run_id, holder
        self._job, self._options, self._stored, self._follow_up = job, options, stored, follow_up
        # Every process must cut the run in the same way, so this depends only on what is stored with it.
        self._size = min(CHUNK, max(1, job.config.concurrency, -(-len(job.cases) // PARTS)))
        self._count = -(-len(job.cases) // self._size)
        self._lost: dict[Holder, int] = {}

    async def source(self) -> Portion | None:
        return await asyncio.to_thread(self._claim)

    def _claim(self) -> Portion | None:
        claim = self._shared.claim_part(self._run_id, self._holder, self._count)
        if claim is None:
            return None
        places = self._job.case_order.places(claim.part * self._size, (claim.part + 1) * self._size)
        cases = pick(self._job.cases, places)
        self._stored.forget_begun(cases)  # another process may have gone on with them since
        found = self._stored.of(cases)
        if claim.lost is not None:
            tries = range(self._job.repeats)
            keys = ((case.id, turn, repeat) for case in cases for turn in turns_to_ask(case) for repeat in tries)
            self._lost[claim.lost] = self._lost.get(claim.lost, 0) + sum(key not in found for key in keys)
        if self._follow_up and found:
            begun = unfinished(self._job.suite, cases, self._options, found)
            self._stored.begun |= begun
            found = {key: one for key, one in found.items() if key not in begun}
        return Portion(places, cases, self._job.repeats, found, claim.part)

    def finish(self, portions: Sequence[Portion]) -> None:
        self._shared.finish_parts(self._run_id, self._holder, [portion.part for portion in portions])

    async def more(self) -> bool:
        left = await asyncio.to_thread(self._shared.parts_left, self._run_id, self._count)
        if left:
            await asyncio.sleep(PAUSE)
        return left

    def problems(self) -> Sequence[Problem]:
        """The processes that were lost, and what this may have cost."""
        hint = "They were in flight, or their answers were not stored yet. Each question has one stored answer."
        return [
            Problem(
                f"{holder.shown} was lost during {run_name(self._run_id)}: of the calls it was to make, up to "
                f"{count_of(calls, 'call')} may have been made twice",
                severity="warning",
                hint=hint,
            )
            for holder, calls in self._lost.items()
            if calls
        ]


def wait_for_cases(store: Store, run_id: int) -> None:
    """Whether a run can be shared at all; and, where it has just begun, until its cases are stored."""
    if not store.can_share:
        hint = (
            "In a SQLite file, one process works on a run. To share runs, copy the store to a PostgreSQL server with "
            f"karat store move. To resume a stopped run alone: karat run --resume {run_name(run_id)}"
        )
        raise UserError(f"{run_name(run_id)} cannot be joined: the store {store.shown} is a SQLite file", hint=hint)
    while (record := store.run(run_id)).status == "running" and len(store.case_ids(run_id)) < record.cases:
        time.sleep(PAUSE)


def join(store: Store, run_id: int, holder: Holder, *, again: bool) -> None:
    """Take part in a run that another process may be working on; resume it where none is. ``again``: it is
    finished, and some of it is to be asked again."""
    shared = SharedRuns(store)
    shared.join(run_id, holder)
    if not (again and store.run(run_id).status == "finished"):
        shared.lead(run_id, holder)
        return
    with suppress(Held):  # another process was quicker
        store.set_status(run_id, "running", holder)


def may_score(store: Store, run_id: int, holder: Holder, stop_asked: Callable[[], bool]) -> bool:
    """Wait until everything is asked and this process holds the run as a whole; False when another has finished it. A
    wish to stop ends the wait as Ctrl-C does."""
    if not store.can_share:
        return True
    shared = SharedRuns(store)
    while shared.others_at_work(run_id, holder) or not shared.lead(run_id, holder):
        if store.run(run_id).status == "finished":
            return False
        if stop_asked():
            raise KeyboardInterrupt
        time.sleep(PAUSE)
    return True


def let_go(store: Store, run_id: int, holder: Holder, status: Literal["interrupted", "failed"]) -> None:
    """Stop to work on a run. The others go on; without others, the run has this status."""
    if store.leads(run_id):
        store.set_status(run_id, status, holder)
    else:
        SharedRuns(store).leave(run_id, holder)
