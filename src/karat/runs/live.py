"""A run while it goes on: its cases are scored as their answers come, what was scored is put into the store every
second for people who look at the run, and a wish to stop is heard.

Nothing here can end a run: a store that cannot take the figures of the moment is tried again with the next ones.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from karat.core.problems import UserError
from karat.core.records import AnyCase, Prediction
from karat.core.results.live import LiveBatch, LiveCase, live_case
from karat.core.results.result import CaseResult
from karat.core.suite import SuiteOptions
from karat.runs.case_order import WINDOW
from karat.runs.job import Job
from karat.runs.scores.kept_results import KeptResults
from karat.runs.scores.live_scoring import LiveScoring
from karat.store.live import LiveRuns

if TYPE_CHECKING:
    from karat.store.store import Store

EVERY = 1.0
"""Seconds between two writes."""
Scored = Callable[[LiveBatch], None]


class Live:
    """What is known of a run while it goes on. ``on_scored`` hears of cases as they are scored, on any thread."""

    def __init__(
        self,
        store: Store,
        run_id: int,
        job: Job,
        options: SuiteOptions,
        executor: Executor | None,
        on_scored: Scored = lambda _: None,
    ) -> None:
        self._runs, self._run_id, self._job, self._options = LiveRuns(store), run_id, job, options
        self._executor, self._on_scored = executor, on_scored
        self._scoring: LiveScoring | None = None
        self._metrics = tuple(
            metric.name for metric in job.suite.metrics_for(job.suite.headline_of(job.cases)) if metric.headline
        ) or tuple(metric.name for metric in job.suite.metrics[:3])
        self._lines: list[LiveCase] = []
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._publish, name=f"karat shows {run_id}", daemon=True)

    def __enter__(self) -> Live:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """What was scored of a run that was stopped can still be seen."""
        if self._scoring is not None:
            self._scoring.finish(drop=True)
        self._done.set()
        self._thread.join()

    def forget(self) -> None:
        """The run is scored: what was known of it meanwhile is not needed any more."""
        self._done.set()
        self._thread.join()
        self._lines.clear()

    @property
    def stop_asked(self) -> bool:
        """Whether somebody asked this run to stop."""
        return self._stop.is_set()

    def score_as_they_come(self) -> None:
        """From now on, score each case when it is whole."""
        self._scoring = LiveScoring(
            self._job.suite, len(self._job.cases), self._options, self._job.repeats, self._executor, self._tell
        )

    async def whole(
        self, place: int, case: AnyCase, tries: Mapping[int, Mapping[int, Prediction]], fresh: bool
    ) -> None:
        """A case has all its answers; ``fresh`` if one of them has just come."""
        if self._scoring is not None:
            await self._scoring.offer(place, case, tries, fresh=fresh)

    def kept(self) -> KeptResults:
        """No more answers come: the results of all cases that were whole."""
        return KeptResults(0) if self._scoring is None else self._scoring.finish()

    def watched(self, places: Iterable[int], results: Iterable[CaseResult]) -> Iterator[CaseResult]:
        """Results of the scoring at the end, as they come; ends as on Ctrl-C when the run is to stop."""
        few = len(self._job.cases) <= WINDOW
        for place, result in zip(places, results, strict=True):
            if few:
                self._tell([(place, result)])
            if self._stop.is_set():
                raise KeyboardInterrupt
            yield result

    def _tell(self, found: Sequence[tuple[int, CaseResult]]) -> None:
        moment, suite = time.time(), self._job.suite.name
        lines = tuple(live_case(suite, place, result, self._metrics, moment) for place, result in found)
        with self._lock:
            self._lines += lines
        self._on_scored(self._batch(lines))

    def _batch(self, lines: Sequence[LiveCase]) -> LiveBatch:
        return LiveBatch(self._metrics, tuple(lines), self._job.seed is not None)

    def _publish(self) -> None:
        last = False
        while not last:
            last = self._done.wait(EVERY)
            with self._lock:
                lines, self._lines = self._lines, []
            try:
                if lines:
                    self._runs.add(self._run_id, self._batch(lines))
                if not last and self._runs.stop_asked(self._run_id):
                    self._stop.set()
            except UserError:
                with self._lock:
                    self._lines = [*lines, *self._lines][-WINDOW:]
