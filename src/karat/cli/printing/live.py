"""The figures of a run on the terminal, while it goes on."""

from __future__ import annotations

import time
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

from karat.core.problems import UserError

if TYPE_CHECKING:
    from rich.text import Text

    from karat.core.metric import Metric
    from karat.core.results.live import LiveBatch
    from karat.reports.live_run import LiveBaseline
    from karat.store.store import Store

EVERY = 1.0
"""Seconds between two computations of the figures, at least; and ten times as long as one takes."""


class LiveFigures:
    """What was scored so far, in lines that are redrawn about every second."""

    def __init__(self, metrics: Sequence[Metric], cases: int = 0) -> None:
        from karat.reports.live_run import LiveRun

        self._live, self._cases = LiveRun(metrics), cases
        self._baseline: LiveBaseline | None = None
        self._lock = Lock()
        self._next, self._words = 0.0, ""
        self._shown: list[Text] = []

    def begin(self, store: Store, run: str, baseline: str = "") -> None:
        """Take what was scored of the run before, and look for its baseline: what the project calls so."""
        from karat.store.live import LiveRuns

        try:
            found = store.run(store.find_run(run))
            self._cases = found.cases
            for batch in LiveRuns(store).read(found.id)[0]:
                self.add(batch)
            self._baseline = _baseline(store, found.suite, run, baseline)
        except UserError:  # the figures of the run itself do not need it
            return

    def add(self, batch: LiveBatch) -> None:
        """Cases that were scored; on any thread."""
        with self._lock:
            self._live.add(batch)

    def lines(self) -> list[Text]:
        """The figures so far."""
        self._compute()
        return self._shown

    def words(self) -> str:
        """The main figure so far, in a few words."""
        self._compute()
        return self._words

    def _compute(self) -> None:
        from rich.text import Text

        from karat.reports.console.live import live_lines, live_words

        now = time.monotonic()
        if now < self._next:
            return
        with self._lock:
            lines = live_lines(self._live, self._cases, self._baseline)
            self._words = live_words(self._live)
        texts = []
        for spans in lines:
            text = Text(no_wrap=True, overflow="ellipsis")
            for words, style in spans:
                text.append(words, style or None)
            texts.append(text)
        self._shown = texts
        after = time.monotonic()
        self._next = after + max(EVERY, 10 * (after - now))


def _baseline(store: Store, suite: str, run: str, named: str) -> LiveBaseline | None:
    from karat.core.results.columns.columns import columns_of
    from karat.core.results.failures.failure_columns import failure_columns_of
    from karat.core.results.result import RunResult
    from karat.reports.live_run import LiveBaseline
    from karat.runs.baseline import baselines_in
    from karat.stats.gates.rules import BASELINE

    found = baselines_in(store, suite, run, named)(BASELINE)
    if not isinstance(found, RunResult):
        return None
    columns = columns_of(found, groups=False)
    places = {case: place for place, case in enumerate(columns.case_ids)}
    return LiveBaseline(found.run.id, columns, failure_columns_of(found), places)
