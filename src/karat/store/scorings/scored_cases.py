"""The cases of a scoring as a sequence that reads them when they are asked for, a block at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import overload

from karat.core.bulk.gc_pause import no_collecting
from karat.core.results.columns.columns import Columns, StoredCases, make_columns
from karat.core.results.failures.failure_columns import FailureColumns, make_failures
from karat.core.results.result import CaseResult

ReadFrom = Callable[[int], Sequence[CaseResult]]
"""The results from a position to the end of its block; none past the last."""
ReadAt = Callable[[Sequence[int]], list[CaseResult]]
"""The results at these positions."""
ReadColumns = Callable[[], Columns | None]
"""All cases as columns; None where their words are not kept."""
ReadFailures = Callable[[], FailureColumns | None]
"""What is wrong with each case; None where that is not kept."""


class ScoredCases(StoredCases):
    """Like a tuple of results, with one block of them in memory. It can be read as long as the store is there, whether
    or not it was closed."""

    def __init__(
        self,
        suite: str,
        count: int,
        read_from: ReadFrom,
        read_at: ReadAt,
        read_columns: ReadColumns,
        read_failures: ReadFailures,
    ) -> None:
        self._suite = suite
        self._count = count
        self._read_from = read_from
        self._read_at = read_at
        self._read_columns = read_columns
        self._read_failures = read_failures
        self._held: tuple[int, Sequence[CaseResult]] = (0, ())

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> CaseResult: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[CaseResult, ...]: ...
    def __getitem__(self, index: int | slice) -> CaseResult | tuple[CaseResult, ...]:
        if isinstance(index, slice):
            begin, end, step = index.indices(self._count)
            if step == 1:
                return tuple(islice(self.iterate(begin), max(end - begin, 0)))
            return tuple(self._at(place) for place in range(begin, end, step))
        if not -self._count <= index < self._count:
            raise IndexError("there is no case at this position")
        return self._at(index % self._count)

    def __iter__(self) -> Iterator[CaseResult]:
        return self.iterate(0)

    def iterate(self, begin: int) -> Iterator[CaseResult]:
        """The results from a position on."""
        while begin < self._count:
            block = self._read_from(begin)
            if not block:
                raise LookupError("cases of a scoring are missing in the store: its run was deleted, or it is damaged")
            yield from block
            begin += len(block)

    def columns(self, *, groups: bool = True) -> Columns:
        """All cases as columns: as the store keeps them, or made in one pass over the cases of an older store."""
        if (found := self._read_columns()) is not None:
            return found
        with no_collecting():
            return make_columns(self._suite, self, groups=groups)

    def failures(self) -> FailureColumns:
        """What is wrong with each case: as the store keeps it, or made in one pass over the cases of an older store."""
        if (found := self._read_failures()) is not None:
            return found
        with no_collecting():
            return make_failures(self._suite, self)

    def at(self, places: Sequence[int]) -> list[CaseResult]:
        """The cases at these places, in this order."""
        return self._read_at(places)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # equal to tuples, which have another hash

    def __repr__(self) -> str:
        return f"<{self._count:,} cases>"

    def _at(self, position: int) -> CaseResult:
        first, block = self._held
        if not first <= position < first + len(block):
            first, block = position, self._read_from(position)
            self._held = first, block
        return block[position - first]
