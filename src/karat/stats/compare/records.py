"""What comparing two runs yields. Everywhere b - a: a is the run before, b the run after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any  # Any: a place or a slice of places, as in any sequence

import msgspec

from karat.core.metric import Kind
from karat.core.results.result import RunInfo
from karat.stats.compare.case_changes import CaseChanges
from karat.stats.compare.paired import Difference
from karat.stats.compare.right_wrong import RightWrong
from karat.stats.compare.significance.mcnemar import McNemar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


class MetricComparison(msgspec.Struct, frozen=True):
    """One metric over the cases that have a value in both runs."""

    metric: str
    title: str
    kind: Kind
    headline: bool
    difference: Difference | None
    mcnemar: McNemar | None
    """For a ``rate`` whose values are all 0 or 1; None with repeats or turns that made fractions of them."""
    p_adjusted: float | None
    """By Holm over the family of headline metrics (all metrics, when none is one). None outside the family: such a p is
    a hint."""
    undefined: str
    """Why there is no difference, in words; empty when there is one."""
    higher_is_better: bool = True
    only_a: int = 0
    """Shared cases with a value in run a alone: they take no part."""
    only_b: int = 0


class TagComparison(msgspec.Struct, frozen=True, gc=False):
    """A headline metric over the cases with one tag. Its p is not adjusted."""

    tag: str
    metric: str
    difference: Difference


class GroupComparison(msgspec.Struct, frozen=True, gc=False):
    """A figure over the cases with one dimension, function or field. Its p is not adjusted."""

    kind: str
    name: str
    metric: str
    difference: Difference


class SharedPlaces(Sequence[tuple[int, int]]):
    """Of each case that both runs have, its place in a and in b; in the order of a."""

    def __init__(self, a: Integers, b: Integers) -> None:
        self.a, self.b = a, b

    def __len__(self) -> int:
        return len(self.a)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return list(zip(self.a[place].tolist(), self.b[place].tolist(), strict=True))
        return int(self.a[place]), int(self.b[place])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SharedPlaces) and self[:] == other[:]

    __hash__ = None  # type: ignore[assignment]  # as a list


class RunComparison(msgspec.Struct, frozen=True):
    """Two runs, case by case."""

    run_a: RunInfo
    run_b: RunInfo
    n_paired: int
    """Cases of both runs with a value in both for some metric."""
    n_shared: int
    """Cases of both runs, whatever became of them."""
    metrics: tuple[MetricComparison, ...]
    tags: tuple[TagComparison, ...]
    groups: tuple[GroupComparison, ...]
    cases: CaseChanges
    """A sequence of :class:`CaseChange`."""
    warnings: tuple[str, ...]
    right_wrong: RightWrong | None = None
    """None: no metric says right or wrong."""
    shared: SharedPlaces | None = None
