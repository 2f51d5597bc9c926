"""The cases that are not as they were, as arrays: a change becomes an object when it is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from karat.core.results.columns import STATES
from karat.core.scores import State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

Change = Literal["better", "worse", "status", "only_a", "only_b"]
CHANGES: tuple[Change, ...] = get_args(Change)
"""A kind of change is a place here."""


class CaseChange(msgspec.Struct, frozen=True, gc=False):
    """A case that is not as it was.

    ``better`` and ``worse``: one for each headline metric that moved. ``status``: its state changed, and nothing else
    is said of it. ``only_a`` and ``only_b``: the other run does not have it. Values are those of ``metric``.
    """

    id: str
    kind: Change
    metric: str
    value_a: float | None
    value_b: float | None
    status_a: State | None
    status_b: State | None


class CaseChanges(Sequence[CaseChange]):
    """The changes in their order. Of each: its place in both runs (-1: not there), its kind, its metric, both values
    (NaN: none), both states (-1: not there)."""

    def __init__(self, ids: Sequence[str], metrics: Sequence[str], arrays: dict[str, Any]) -> None:
        self.ids, self.metrics = ids, metrics
        self.a: Integers = arrays["a"]
        self.b: Integers = arrays["b"]
        self.kinds: NDArray[np.int8] = arrays["kind"]
        self.metric: NDArray[np.int32] = arrays["metric"]
        self.values_a: Floats = arrays["value_a"]
        self.values_b: Floats = arrays["value_b"]
        self.statuses_a: NDArray[np.int8] = arrays["status_a"]
        self.statuses_b: NDArray[np.int8] = arrays["status_b"]

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return tuple(self[one] for one in range(*place.indices(len(self))))
        first, second = int(self.statuses_a[place]), int(self.statuses_b[place])
        metric = int(self.metric[place])
        return CaseChange(
            self.ids[place],
            CHANGES[self.kinds[place]],
            self.metrics[metric] if metric >= 0 else "",
            number(self.values_a[place]),
            number(self.values_b[place]),
            STATES[first] if first >= 0 else None,
            STATES[second] if second >= 0 else None,
        )

    def __iter__(self) -> Iterator[CaseChange]:
        return (self[place] for place in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(CaseChange.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]  # as a list

    def __repr__(self) -> str:
        return f"CaseChanges({list(self)!r})"


def number(value: Any) -> float | None:
    """A value of a column; None for NaN."""
    return None if value != value else float(value)
