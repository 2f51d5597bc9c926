"""Which cases of two runs belong together, and their values as columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any  # Any: a stored value may be something that is not a number

import msgspec

from karat.core.results.clusters import clusters_of
from karat.core.results.result import CaseResult, RunResult
from karat.core.suite import Kind, Metric
from karat.stats.compare.paired import Difference, paired_difference

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

Pair = tuple[CaseResult, CaseResult]


class Column(msgspec.Struct, frozen=True):
    """One metric over all pairs. Where a run has no value, its number is NaN; that NaN never leaves this module."""

    a: Floats
    b: Floats
    known: Flags
    """Both runs have a value."""

    @property
    def test(self) -> bytes:
        """Stands for the values of both runs: metrics that agree here are tested by one test."""
        return self.a.tobytes() + self.b.tobytes()


class Pairs(msgspec.Struct, frozen=True):
    """The cases of both runs in the order of a, their clusters where some have one, and a column for each metric."""

    pairs: list[Pair]
    clusters: list[str] | None
    columns: dict[str, Column]
    kinds: dict[str, Kind]

    def difference(self, metric: str, rows: Sequence[int] | None = None, *, tests: int = 0) -> Difference | None:
        """The difference over these rows, or all; None when no case there has a value in both runs. ``tests`` as in
        ``paired``."""
        import numpy as np

        column = self.columns[metric]
        if rows is None:
            chosen = np.flatnonzero(column.known)
        else:
            given = np.asarray(rows, dtype=np.int64)
            chosen = given[column.known[given]]
        if not len(chosen):
            return None
        clusters = None if self.clusters is None else [self.clusters[row] for row in chosen]
        return paired_difference(column.a[chosen], column.b[chosen], clusters, kind=self.kinds[metric], tests=tests)


def pair_cases(a: RunResult, b: RunResult, metrics: Sequence[Metric]) -> Pairs:
    """The cases that are in both runs. A case's value is its mean over turns and repeats, as the run has it."""
    later = {case.id: case for case in b.cases}
    pairs = [(case, later[case.id]) for case in a.cases if case.id in later]
    columns = {metric.name: _column(pairs, metric.name) for metric in metrics}
    return Pairs(pairs, _clusters(pairs), columns, {metric.name: metric.kind for metric in metrics})


def value_of(case: CaseResult, metric: str) -> float | None:
    """The case's value, when it has one that is a number."""
    score = case.scores.get(metric)
    return finite(None if score is None else score.value)


def finite(value: Any) -> float | None:
    """The value as a finite number; None for anything else."""
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _column(pairs: Sequence[Pair], metric: str) -> Column:
    import numpy as np

    def numbers(side: int) -> Floats:
        scores = [pair[side].scores.get(metric) for pair in pairs]
        values = [None if score is None else score.value for score in scores]
        found = np.array(values, dtype=np.float64)  # None becomes NaN
        found[~np.isfinite(found)] = math.nan
        return found

    a, b = numbers(0), numbers(1)
    return Column(a, b, ~(np.isnan(a) | np.isnan(b)))


def _clusters(pairs: Sequence[Pair]) -> list[str] | None:
    """The cluster of each pair; a failed call has no details, so the other run may have to say it."""
    return clusters_of([a if a.cluster else b for a, b in pairs])
