"""The runs that somebody looks at while they go on: what was scored of each, read from the store as it comes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from karat.core.results.failures.failure_groups import FailureGroups
from karat.reports.live_run import CurvePoint, LiveBaseline, LiveFigure, LiveRun
from karat.store import RunRow, Store
from karat.store.live import LiveRuns
from karat.web.run_page.figures import suite_metrics

MOST = 8
"""Runs that are remembered while they go on."""
Computed = tuple[Sequence[LiveFigure], tuple[str, Sequence[CurvePoint]], FailureGroups]


class Watched:
    """The runs that somebody looks at while they go on."""

    def __init__(self, store: Store) -> None:
        self._live = LiveRuns(store)
        self._runs: OrderedDict[int, tuple[LiveRun, int]] = OrderedDict()
        self._computed: dict[int, tuple[tuple[int, str], Computed]] = {}
        self._lock = Lock()

    def of(self, row: RunRow) -> LiveRun:
        """What was scored of a run so far."""
        with self._lock:
            live, begin = self._runs.get(row.id) or (LiveRun(suite_metrics(row.suite, row.headline)), 0)
            batches, end = self._live.read(row.id, begin)
            for batch in batches:
                live.add(batch)
            self._runs[row.id] = live, end
            self._runs.move_to_end(row.id)
            while len(self._runs) > MOST:
                self._runs.popitem(last=False)
            return live

    def computed(self, row: RunRow, live: LiveRun, baseline: LiveBaseline | None) -> Computed:
        """Figures, curve and groups; computed once for what was scored so far."""
        key = (live.version, "" if baseline is None else baseline.name)
        with self._lock:
            before = self._computed.get(row.id)
            if before is not None and before[0] == key:
                return before[1]
            found = live.figures(baseline), live.curve(), live.groups(baseline)
            self._computed = {run: kept for run, kept in self._computed.items() if run in self._runs}
            self._computed[row.id] = key, found
            return found

    def stopping(self, row: RunRow) -> bool:
        """Whether the run was asked to stop and has not done so yet."""
        return row.status == "running" and self._live.stop_asked(row.id)
