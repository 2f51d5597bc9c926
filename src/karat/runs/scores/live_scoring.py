"""Scoring cases while the run goes on: each as soon as all its answers are there.

It happens on a thread, or on the run's executor, and calls do not wait for it until ``MOST`` cases do. The results are
kept for the scoring at the end of the run. What goes wrong here ends nothing: what has no result is scored at the end.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from time import perf_counter

from karat.core.records import AnyCase, Prediction
from karat.core.results.result import CaseResult
from karat.core.struct_types import settle_types
from karat.core.suite import Suite, SuiteOptions
from karat.runs.executors.batch_size import Pace
from karat.runs.executors.engine import as_engine
from karat.runs.scores.kept_results import KeptResults
from karat.runs.scores.scoring import Tries, score_case, submit_batch
from karat.store.predictions.predictions import as_stored

MOST = 1_000
"""Cases that may wait to be scored before the calls wait too."""
PAUSE = 0.02
"""Seconds between two looks at whether there is room."""
PATIENCE = 2.0
"""Seconds that a run which is stopped waits for the case that is being scored."""
LARGEST = 64
"""Cases that are scored before anybody hears of them."""

Work = tuple[int, AnyCase, Tries, bool]
Tell = Callable[[Sequence[tuple[int, CaseResult]]], None]


class LiveScoring:
    """A queue of whole cases and the thread that scores them. ``tell`` hears of results as they come, on any
    thread."""

    def __init__(
        self,
        suite: Suite,
        cases: int,
        options: SuiteOptions,
        repeats: int,
        executor: Executor | None,
        tell: Tell = lambda _: None,
    ) -> None:
        self.kept = KeptResults(cases)
        self._suite, self._options, self._repeats, self._tell = suite, options, repeats, tell
        self._engine = None if executor is None else as_engine(executor)
        self._pace = Pace() if self._engine is None else self._engine.pace
        self._waiting: deque[Work] = deque()
        self._under_way: set[Future[tuple[float, Sequence[CaseResult]]]] = set()
        self._change = threading.Condition()
        self._ending = self._dropped = False
        settle_types()
        self._thread = threading.Thread(target=self._run, name="karat scores", daemon=True)
        self._thread.start()

    async def offer(
        self, place: int, case: AnyCase, tries: Mapping[int, Mapping[int, Prediction]], *, fresh: bool = True
    ) -> None:
        """Score this case some time soon. Waits for room. A case that is not ``fresh``, whose answers were stored
        before, is left for the end where there is none, and nobody hears of it."""
        while len(self._waiting) >= MOST and not self._ending:
            if not fresh:
                return
            await asyncio.sleep(PAUSE)
        stored = {repeat: {turn: as_stored(one) for turn, one in turns.items()} for repeat, turns in tries.items()}
        with self._change:
            if not self._ending:
                self._waiting.append((place, case, stored, fresh))
                self._change.notify_all()

    def finish(self, *, drop: bool = False) -> KeptResults:
        """No further cases come: score those that wait, or ``drop`` them. The results."""
        with self._change:
            self._ending = True
            if drop:
                self._dropped = True
                self._drop()
            self._change.notify_all()
        self._thread.join(PATIENCE if drop else None)
        return self.kept

    def _run(self) -> None:
        try:
            while batch := self._next():
                if self._engine is None:
                    began = perf_counter()
                    results = [
                        score_case(self._suite, case, tries, self._options, self._repeats)
                        for _, case, tries, _ in batch
                        if not self._dropped
                    ]
                    self._pace.measured(len(batch), perf_counter() - began)
                    self._take(batch, results)
                else:
                    self._send(batch)
        except Exception:  # the scoring at the end meets the same, and says so
            with self._change:
                self._ending = True
                self._drop()

    def _next(self) -> list[Work]:
        """The next cases; none when there will be no more."""
        with self._change:
            most = 0 if self._engine is None else self._engine.slots
            while (not self._waiting and not self._ending) or len(self._under_way) > most:
                self._change.wait()
            while not self._waiting and self._under_way:
                self._change.wait()
            size = min(self._pace.size, LARGEST, len(self._waiting))
            return [self._waiting.popleft() for _ in range(size)]

    def _send(self, batch: list[Work]) -> None:
        assert self._engine is not None  # noqa: S101 (only sent where there is one)
        work = [(case, tries) for _, case, tries, _ in batch]
        future = submit_batch(self._engine, self._suite, work, self._options, self._repeats)
        with self._change:
            self._under_way.add(future)

        def done(finished: Future[tuple[float, Sequence[CaseResult]]]) -> None:
            if not finished.cancelled() and finished.exception() is None:
                seconds, results = finished.result()
                self._pace.measured(len(results), seconds)
                self._take(batch, results)
            with self._change:
                self._under_way.discard(finished)
                self._change.notify_all()

        future.add_done_callback(done)

    def _take(self, batch: Sequence[Work], results: Sequence[CaseResult]) -> None:
        found = list(zip(batch, results, strict=not self._dropped))
        with self._change:
            for (place, *_), result in found:
                self.kept.add(place, result)
        self._tell([(place, result) for (place, _, _, fresh), result in found if fresh])

    def _drop(self) -> None:
        self._waiting.clear()
        for future in list(self._under_way):
            future.cancel()
        self._under_way.clear()
