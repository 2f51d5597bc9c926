"""The cases that are not as they were, as arrays: a change becomes an object when it is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    get_args,
)  # Any: columns of several kinds of numbers, and a slice gives a tuple

import msgspec

from karat.core.results.columns.columns import STATES
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


Arrays = dict[str, Any]
"""By the names that ``CaseChanges`` reads."""


class CaseChanges(Sequence[CaseChange]):
    """The changes in their order. Of each: its place in both runs (-1: not there), its kind, its metric, both values
    (NaN: none), both states (-1: not there)."""

    def __init__(self, ids: tuple[Sequence[str], Sequence[str]], metrics: Sequence[str], arrays: Arrays) -> None:
        self._ids, self.metrics = ids, metrics
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

    def ids_at(self, places: Integers) -> list[str]:
        """The ids of the cases of these changes."""
        ids_a, ids_b = self._ids
        pairs = zip(self.a[places].tolist(), self.b[places].tolist(), strict=True)
        return [ids_a[a] if a >= 0 else ids_b[b] for a, b in pairs]

    def places_of(self, ids: Sequence[str], side: int) -> list[int]:
        """Where these cases are in run a (side 0) or b (side 1), the last where an id comes twice; -1: not there."""
        wanted = dict.fromkeys(ids, -1)
        for place, case in enumerate(self._ids[side]):
            if case in wanted:
                wanted[case] = place
        return [wanted[case] for case in ids]

    def ids_where(self, which: NDArray[np.bool_]) -> list[str]:
        """The ids of the cases of run a for which this holds."""
        return [self._ids[0][place] for place in which.nonzero()[0].tolist()]

    def cases(self) -> Integers:
        """The case of each change: its place in a, or behind all of those its place in b."""
        import numpy as np

        return np.where(self.a >= 0, self.a, len(self._ids[0]) + self.b)

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return tuple(self[one] for one in range(*place.indices(len(self))))
        import numpy as np

        first, second = int(self.statuses_a[place]), int(self.statuses_b[place])
        metric = int(self.metric[place])
        return CaseChange(
            self.ids_at(np.array([place]))[0],
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
