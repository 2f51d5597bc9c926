"""A run while it goes on, in figures: what the terminal and the viewer show of the cases that were scored so far."""

from __future__ import annotations

import math
import time
from array import array
from collections import Counter, deque
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from karat.core.metric import Kind, Metric
from karat.core.results.columns.word_lists import WordListsBuilder
from karat.core.results.failures.failure_columns import FailureColumns, from_words
from karat.core.results.failures.failure_groups import FailureGroups, group_failures
from karat.core.results.live import LiveBatch, LiveCase
from karat.core.results.result import Estimate
from karat.stats.compare.paired import Difference, paired_difference
from karat.stats.intervals.estimates import estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from karat.core.results.columns.columns import Columns

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

NEWEST = 5
"""Wrong answers that are listed."""
RECENT = 200
"""Cases that the rate is measured over."""
STEPS = 24
"""Points of the curve of a figure over the cases so far."""
FEW = 10
"""Cases below which nothing is estimated from them."""


class LiveFigure(msgspec.Struct, frozen=True):
    """A headline metric over the cases so far; with a baseline, also on the cases that it has."""

    metric: str
    title: str
    kind: Kind
    estimate: Estimate
    difference: Difference | None = None


class CurvePoint(msgspec.Struct, frozen=True):
    """A figure after a number of cases."""

    cases: int
    estimate: Estimate


class LiveBaseline(msgspec.Struct, frozen=True):
    """What a run is compared with while it goes on."""

    name: str
    columns: Columns
    failures: FailureColumns
    places: dict[str, int]
    """Case id → its place in the baseline."""


class LiveRun:
    """The cases of a run that were scored so far. A case that is scored again replaces itself."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        """``metrics``: those of the run's suite."""
        self._known = {metric.name: metric for metric in metrics}
        self._names: tuple[str, ...] = ()
        self._values: list[array[float]] = []
        self._ids: list[str] = []
        self._clusters: list[str] = []
        self._clustered = False
        self._outcomes: list[str] = []
        self._current: dict[int, int] = {}
        """Place of a case → its number here."""
        self._words = WordListsBuilder()
        self._costs, self._tokens = array("d"), array("d")
        self._times: deque[float] = deque(maxlen=RECENT)
        self._wrong: deque[LiveCase] = deque(maxlen=50)
        self.at_random = False

    def __len__(self) -> int:
        return len(self._current)

    @property
    def version(self) -> int:
        """Another number whenever something was added."""
        return len(self._ids)

    def add(self, batch: LiveBatch) -> None:
        """Cases that were scored."""
        if not self._names:
            self._names = batch.metrics
            self._values = [array("d") for _ in batch.metrics]
            self.at_random = batch.at_random
        for case in batch.cases if batch.metrics == self._names else ():
            self._current[case.place] = len(self._ids)
            for column, value in zip(self._values, case.values, strict=True):
                column.append(math.nan if value is None else value)
            self._ids.append(case.case_id)
            self._clusters.append(case.cluster)
            self._clustered = self._clustered or bool(case.cluster)
            self._outcomes.append(case.outcome)
            self._words.add(case.failures)
            self._costs.append(math.nan if case.cost is None else case.cost)
            self._tokens.append(math.nan if case.tokens is None else case.tokens)
            self._times.append(case.at)
            if case.outcome not in ("right", "not_applicable"):
                self._wrong.append(case)

    def outcomes(self) -> Counter[str]:
        """How many cases came out how."""
        return Counter(self._outcomes[number] for number in self._current.values())

    def newest_wrong(self, most: int = NEWEST) -> list[LiveCase]:
        """The wrong answers that came last, the newest first."""
        return list(self._wrong)[: -most - 1 : -1]

    def cost(self) -> float | None:
        """Money so far; None where no case has a cost."""
        return self._sum(self._costs)

    def tokens(self) -> float | None:
        """Tokens so far; None where no case has any."""
        return self._sum(self._tokens)

    def rate(self, now: float | None = None) -> float | None:
        """Cases per second lately; None where too few came to tell. A long pause before them, in which the run was
        stopped, does not count."""
        times = list(self._times)
        gaps = [after - before for before, after in pairwise(times)]
        longest = max(60.0, 20 * sorted(gaps)[len(gaps) // 2]) if gaps else 0.0
        start = max((place + 1 for place, gap in enumerate(gaps) if gap > longest), default=0)
        spent = max((time.time() if now is None else now), times[-1]) - times[start] if times else 0.0
        return (len(times) - start - 1) / spent if len(times) - start >= FEW and spent > 0 else None

    def figures(self, baseline: LiveBaseline | None = None) -> list[LiveFigure]:
        """Every headline figure with its interval."""
        order = self._order()
        pairs = None if baseline is None else self._pairs(order, baseline)
        found = []
        for name, column in zip(self._names, self._arrays(), strict=True):
            metric = self._known.get(name)
            kind: Kind = metric.kind if metric else "share"
            own = self._estimate(column[order], order, kind)
            difference = self._difference(name, column[order], order, kind, baseline, pairs)
            found.append(LiveFigure(name, metric.title if metric else name, kind, own, difference))
        return found

    def curve(self) -> tuple[str, list[CurvePoint]]:
        """(its title, the main figure after more and more cases): the first rate, else the first figure."""
        kinds = [self._known[name].kind if name in self._known else "share" for name in self._names]
        place = next((at for at, kind in enumerate(kinds) if kind == "rate"), 0)
        order = self._order()
        if len(order) < FEW or not self._names:
            return "", []
        column, kind = self._arrays()[place], kinds[place]
        ends = sorted({round(FEW + (len(order) - FEW) * step / STEPS) for step in range(STEPS + 1)})
        points = [CurvePoint(end, self._estimate(column[order[:end]], order[:end], kind)) for end in ends]
        name = self._names[place]
        return self._known[name].title if name in self._known else name, points

    def groups(self, baseline: LiveBaseline | None = None) -> FailureGroups:
        """The failure groups so far; with a baseline, how each was there on the same cases."""
        order = self._order()
        found = from_words(self._words.built()).take(order)
        if baseline is None:
            return group_failures(found)
        here, there = self._pairs(order, baseline)
        return group_failures(found, baseline.failures, (here, there))

    def _order(self) -> Integers:
        """The numbers of the cases that count, in the order in which they came."""
        import numpy as np

        return np.sort(np.fromiter(self._current.values(), np.int64, len(self._current)))

    def _arrays(self) -> list[Floats]:
        import numpy as np

        return [np.array(column, np.float64) for column in self._values]

    def _estimate(self, values: Floats, order: Integers, kind: Kind) -> Estimate:
        import numpy as np

        known = np.flatnonzero(np.isfinite(values))
        clusters = self._numbers(order[known]).tolist() if self._clustered else None
        return estimate(values[known].tolist(), kind, clusters)

    def _numbers(self, cases: Integers) -> Integers:
        """The number of the cluster of each of these cases; one that is alone has one of its own, below 0."""
        import numpy as np

        names: dict[str, int] = {}
        found = [
            names.setdefault(name, len(names)) if (name := self._clusters[at]) else -1 - at for at in cases.tolist()
        ]
        return np.array(found, np.int64)

    def _pairs(self, order: Integers, baseline: LiveBaseline) -> tuple[Integers, Integers]:
        """The places in ``order`` of the cases that the baseline has too, and their places there."""
        import numpy as np

        there = [baseline.places.get(self._ids[at], -1) for at in order.tolist()]
        found = np.array(there, np.int64)
        return np.flatnonzero(found >= 0), found[found >= 0]

    def _difference(
        self,
        name: str,
        values: Floats,
        order: Integers,
        kind: Kind,
        baseline: LiveBaseline | None,
        pairs: tuple[Integers, Integers] | None,
    ) -> Difference | None:
        import numpy as np

        if baseline is None or pairs is None or name not in baseline.columns.metrics:
            return None
        now, then = values[pairs[0]], baseline.columns.column(name)[pairs[1]]
        both = np.flatnonzero(np.isfinite(now) & np.isfinite(then))
        if not len(both):
            return None
        clusters = self._numbers(order[pairs[0]][both]) if self._clustered else None
        return paired_difference(then[both], now[both], clusters, kind=kind)

    def _sum(self, column: array[float]) -> float | None:
        known = [column[number] for number in self._current.values() if column[number] == column[number]]
        return math.fsum(known) if known else None


def seconds_left(of: int, done: int, rate: float | None) -> float | None:
    """How long a run will take, at this rate."""
    return max(of - done, 0) / rate if rate else None


def in_words(seconds: float) -> str:
    """``40 s``, ``3 min 50 s``, ``2 h 10 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole < 600 and whole % 60 else f"{round(whole / 60)} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
