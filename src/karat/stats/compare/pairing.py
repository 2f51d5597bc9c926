"""Which cases of two runs belong together, and their values as columns."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from karat.core.metric import Kind
from karat.core.results.clusters import cluster_names
from karat.core.results.columns.columns import Columns
from karat.core.results.columns.packed_numbers import Coded
from karat.core.results.result import CaseResult
from karat.stats.compare.paired import Difference, paired_difference
from karat.stats.compare.value_pairs import ValueCells, ValuePairs
from karat.stats.intervals.spread import numbered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Integers = NDArray[np.int64]


class Column:
    """One metric over all pairs. Where a run has no value, its number is NaN; that NaN never leaves this package.

    Where both runs keep the metric as codes, pairs of equal values are counted instead of gone through.
    """

    def __init__(self, a: Side, b: Side, metric: str) -> None:
        self._a, self._b, self._metric = a, b, metric
        first, second = a.coded(metric), b.coded(metric)
        self._cells = None if first is None or second is None else ValueCells(first, second)

    @cached_property
    def a(self) -> Floats:
        """The values of run a."""
        return self._a.column(self._metric)

    @cached_property
    def b(self) -> Floats:
        """The values of run b."""
        return self._b.column(self._metric)

    @cached_property
    def known(self) -> Flags:
        """Both runs have a value."""
        import numpy as np

        return ~(np.isnan(self.a) | np.isnan(self.b)) if self._cells is None else self._cells.known()

    @property
    def test(self) -> bytes:
        """Stands for the values of both runs: metrics that agree here are tested by one test."""
        return hashlib.sha256(self.a.tobytes() + self.b.tobytes()).digest()

    def counted(self, rows: Integers | None = None) -> ValuePairs:
        """The pairs of values in these rows, or in all, each with its number."""
        if self._cells is not None:
            return self._cells.counted(rows)
        return ValuePairs(*((self.a, self.b) if rows is None else (self.a[rows], self.b[rows])))


class Side(NamedTuple):
    """One of the two runs, and the places of its cases among the pairs; None: all of them, in their order."""

    columns: Columns
    places: Integers | None

    def column(self, metric: str) -> Floats:
        """The values of the pairs."""
        found = self.columns.column(metric)
        return found if self.places is None else found[self.places]

    def coded(self, metric: str) -> Coded | None:
        """The same as codes."""
        found = self.columns.coded(metric)
        return found if found is None or self.places is None else Coded(found.table, found.codes[self.places])


class Pairs(msgspec.Struct, frozen=True):
    """The cases of both runs in the order of a, their clusters where some have one, and a column for each metric."""

    a: Columns
    b: Columns
    places_a: Integers
    """Of each pair, its place in run a."""
    places_b: Integers
    only_a: Integers
    """The places of the cases that the other run does not have."""
    only_b: Integers
    clusters: Integers | None
    """The number of each pair's cluster."""
    columns: dict[str, Column]
    kinds: dict[str, Kind]

    def __len__(self) -> int:
        return len(self.places_a)

    @property
    def ids(self) -> list[str]:
        """The id of each pair."""
        return [self.a.case_ids[place] for place in self.places_a.tolist()]

    def difference(self, metric: str, rows: Integers | None = None, *, tests: int = 0) -> Difference | None:
        """The difference over these rows, or all; None when no case there has a value in both runs. ``tests`` as in
        ``paired``."""

        column, kind = self.columns[metric], self.kinds[metric]
        if self.clusters is None:
            found = column.counted(rows).known()
            if not len(found.a):
                return None
            return paired_difference(found.a, found.b, counts=found.counts, kind=kind, tests=tests)
        chosen = column.known.nonzero()[0] if rows is None else rows[column.known[rows]]
        if not len(chosen):
            return None
        return paired_difference(column.a[chosen], column.b[chosen], self.clusters[chosen], kind=kind, tests=tests)


class Measured(Protocol):
    """What is compared: a metric, or what a page knows of one."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> Kind: ...


def pair_columns(a: Columns, b: Columns, metrics: Sequence[Measured] = ()) -> Pairs:
    """The cases that are in both runs. A case's value is its mean over turns and repeats, as the run has it.

    Where an id is twice in a run, b's last case of that id counts, and each one of a is paired with it.
    """
    import numpy as np

    found, twice = _places(a.case_ids, b.case_ids)
    places_a, only_a = np.flatnonzero(found >= 0), np.flatnonzero(found < 0)
    places_b = found[places_a]
    first, second = (Side(run, None if _all_of(run, own) else own) for run, own in ((a, places_a), (b, places_b)))
    columns = {metric.name: Column(first, second, metric.name) for metric in metrics}
    kinds = {metric.name: metric.kind for metric in metrics}
    only_b = _unpaired(a, b, places_b, twice=twice)
    return Pairs(a, b, places_a, places_b, only_a, only_b, _clusters(a, b, places_a, places_b), columns, kinds)


def _all_of(run: Columns, places: Integers) -> bool:
    """Whether these are all cases of the run, in their order."""
    import numpy as np

    return len(places) == len(run) and bool((places == np.arange(len(run))).all())


def _places(ids: Sequence[str], others: Sequence[str]) -> tuple[Integers, bool]:
    """The last place of each id among the others, -1 where it is not there; and whether one of the others comes
    twice."""
    import numpy as np

    if ids == others and len(set(ids)) == len(ids):
        return np.arange(len(ids), dtype=np.int64), False
    later = {case: place for place, case in enumerate(others)}
    return np.fromiter((later.get(case, -1) for case in ids), np.int64, len(ids)), len(later) < len(others)


def value_of(case: CaseResult, metric: str) -> float | None:
    """The case's value, when it has one that is a number."""
    score = case.scores.get(metric)
    value = None if score is None else score.value
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _unpaired(a: Columns, b: Columns, places_b: Integers, *, twice: bool) -> Integers:
    """The places of b's cases that a does not have. ``twice``: an id may be in b twice, and only its last is paired."""
    import numpy as np

    seen = np.zeros(len(b), dtype=np.bool_)
    seen[places_b] = True
    left = np.flatnonzero(~seen)
    if not twice:
        return left
    earlier = set(a.case_ids)
    return np.array([place for place in left.tolist() if b.case_ids[place] not in earlier], dtype=np.int64)


def _clusters(a: Columns, b: Columns, places_a: Integers, places_b: Integers) -> Integers | None:
    """The cluster of each pair; a failed call has no details, so the other run may have to say it."""
    if a.clusters is None and b.clusters is None:
        return None
    first = [""] * len(places_a) if a.clusters is None else [a.clusters[place] for place in places_a.tolist()]
    second = [""] * len(places_b) if b.clusters is None else [b.clusters[place] for place in places_b.tolist()]
    names = [x or y for x, y in zip(first, second, strict=True)]
    ids = [a.case_ids[place] for place in places_a.tolist()]
    found = cluster_names(names, ids)
    return None if found is None else numbered(found)
