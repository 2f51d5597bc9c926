"""From case results to the figures of a run: for each metric the mean over cases where it is defined, with its
interval.

Results come a chunk at a time and are not kept: what the figures need of them is a column of numbers for each metric.
Cases that are variants of one (see ``core.results.clusters``) are kept together: the mean is over cases, the interval
over clusters.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from math import nan

from karat.core.bulk.sequence import in_chunks
from karat.core.bulk.spool import Spool
from karat.core.expect.metrics import METRICS
from karat.core.metric import Metric
from karat.core.problems import Problem, count_of
from karat.core.results.result import CaseResult, MetricSummary, RunInfo, RunResult, has_errors, value_with_errors
from karat.core.results.usage import USAGE
from karat.core.suite import EXPECTATIONS, Suite
from karat.stats.intervals.estimates import estimate

BLOCK = 16 * 1024
"""Cases whose numbers are held before they are put away."""


def summarise(suite: Suite, info: RunInfo, cases: Iterable[CaseResult]) -> RunResult:
    """The result of a run whose cases are held. Usage (latency, tokens, cost) is listed only where it is known for some
    case."""
    columns = Columns(suite, expects=EXPECTATIONS in info.headline)
    held: list[CaseResult] = []
    for chunk in in_chunks(cases):
        columns.add(chunk)
        held += chunk
    summary, problems = columns.figures(info)
    return RunResult(info, summary, tuple(held), problems)


class _Column:
    """What is kept of one metric: its values, and how often it has none."""

    def __init__(self, metric: Metric) -> None:
        self.name = metric.name
        self.zero_on_error = metric.zero_on_error
        self.values = array("d")
        """Those that are not put away yet, NaN where a case has none."""
        self.known = 0
        self.undefined = 0
        self.failed = 0
        self.failure = ""
        self.changed: dict[int, float] = {}
        """Case → its value when a failed try counts 0, where that is another one; NaN: none."""


class Columns:
    """The numbers of a run, column by column. Add results in the order of the cases."""

    def __init__(self, suite: Suite, *, expects: bool = False) -> None:
        self._suite = suite
        self._columns = [_Column(metric) for metric in (*suite.metrics, *(METRICS if expects else ()), *USAGE)]
        self._blocks = Spool()
        self._count = 0
        self._tries = 0
        self._errors = False
        self._clusters = array("q")
        """The number of each case's cluster, -1 for a case that is alone; empty as long as all are."""
        self._names: dict[str, int] = {}

    def add(self, cases: Sequence[CaseResult]) -> None:
        """Take what the figures need of these cases."""
        for case in cases:
            self._add(case)
            if not self._count % BLOCK:
                self._put_away()

    def _add(self, case: CaseResult) -> None:
        place, scores = self._count, case.scores
        is_scored = case.status == "scored"
        plain = not case.repeats and case.status != "error"
        for column in self._columns:
            score = scores.get(column.name)
            if score is not None and score.value is not None:
                column.values.append(score.value)
                column.known += 1
            else:
                column.values.append(nan)
                column.undefined += is_scored
            if is_scored and score is not None and score.state == "error" and not case.repeats:
                column.failed += 1
                column.failure = column.failure or score.reason
        if not plain:
            self._add_tries(case, place)
        elif is_scored:
            self._tries += 1
        self._add_cluster(case.cluster, place)
        self._count += 1

    def _add_tries(self, case: CaseResult, place: int) -> None:
        """What several tries, and failed ones, say beside the case's own values."""
        self._errors = self._errors or has_errors(case)
        scored = [one for one in case.repeats or (case,) if one.status == "scored"]
        self._tries += len(scored)
        for column in self._columns:
            for one in scored if case.repeats else ():
                if (score := one.scores.get(column.name)) is not None and score.state == "error":
                    column.failed += 1
                    column.failure = column.failure or score.reason
            if column.zero_on_error:
                value = value_with_errors(case, column.name)
                own = case.scores.get(column.name)
                if value != (own.value if own is not None else None):
                    column.changed[place] = nan if value is None else value

    def _add_cluster(self, name: str, place: int) -> None:
        if name and not self._names:
            self._clusters.extend([-1] * place)
        if self._names or name:
            self._clusters.append(self._names.setdefault(name, len(self._names)) if name else -1)

    def _put_away(self) -> None:
        self._blocks.extend([column.values.tobytes() for column in self._columns])
        for column in self._columns:
            column.values = array("d")

    def figures(self, info: RunInfo) -> tuple[tuple[MetricSummary, ...], tuple[Problem, ...]]:
        """The summary of every metric, in the order in which the run has them, and the metrics that failed."""
        places = {column.name: place for place, column in enumerate(self._columns)}
        shown = [*self._suite.metrics_for(info.headline)]
        shown += [metric for metric in USAGE if self._columns[places[metric.name]].known]
        problems = tuple(self._problem(column) for m in shown if (column := self._columns[places[m.name]]).failed)
        return tuple(self._summary(metric, places[metric.name]) for metric in shown), problems

    def _problem(self, column: _Column) -> Problem:
        """A metric that failed on answers which were read: its mean is over the others only, which must not go
        unseen."""
        tries = count_of(self._tries, "answer")
        return Problem(f"{column.failure} ({column.failed:,} of {tries}; its mean is over the others)")

    def _values(self, place: int) -> array[float]:
        """All values of a column."""
        values = array("d")
        for at in range(place, len(self._blocks), len(self._columns)):
            values.frombytes(self._blocks.read(at, at + 1)[0])
        values.extend(self._columns[place].values)
        return values

    def _summary(self, metric: Metric, place: int) -> MetricSummary:
        column, values = self._columns[place], self._values(place)
        all_known = column.known == self._count
        known = values if all_known else array("d", (value for value in values if value == value))
        clusters = self._clusters_of(values) if self._names and known else None
        found = estimate(known, metric.kind, clusters)
        with_errors = None
        if metric.zero_on_error and self._errors:
            counted = known if not column.changed else array("d", _changed(values, column.changed))
            with_errors = sum(counted) / len(counted) if counted else None
        return MetricSummary(metric.name, found.mean, found.n, found.low, found.high, column.undefined, with_errors)

    def _clusters_of(self, values: array[float]) -> array[int]:
        """The cluster of each case that has a value. A case that is alone has a number of its own, below 0."""
        numbered = (cluster if cluster >= 0 else -1 - place for place, cluster in enumerate(self._clusters))
        return array("q", (cluster for cluster, value in zip(numbered, values, strict=True) if value == value))


def _changed(values: Sequence[float], changed: dict[int, float]) -> Iterator[float]:
    """The values with failed tries as 0, without those that are missing."""
    for place, value in enumerate(values):
        counted = changed.get(place, value)
        if counted == counted:
            yield counted
