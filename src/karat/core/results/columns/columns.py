"""The cases of a run as columns of numbers: all that a comparison or a gate looks at, without an object for each case.

A store that keeps columns hands them out through :class:`StoredCases`; for a result in memory they are computed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.core.results.columns.case_words import CaseWords, CaseWordsBuilder
from karat.core.results.columns.figures import Figures
from karat.core.results.columns.packed_numbers import Coded
from karat.core.results.result import CaseResult, RunResult, has_errors
from karat.core.scores import State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from karat.core.results.failures.failure_columns import FailureColumns

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

STATES: tuple[State, ...] = ("scored", "not_applicable", "error", "missing")
"""A status is a place here."""
CODES = {state: code for code, state in enumerate(STATES)}


class Columns(msgspec.Struct, frozen=True):
    """All cases of a scoring, in their order."""

    case_ids: list[str]
    statuses: NDArray[np.int8]
    clusters: list[str] | None
    """What each case is a variant of, empty for none; None: no case has one."""
    metrics: tuple[str, ...]
    figures: Figures
    """A column for each of the metrics; NaN where a case has no value."""
    failed: NDArray[np.bool_]
    """The case, or one of the tries at it, failed: what it counts with errors is not in the figures."""
    words: CaseWords
    """Tags and groups."""

    def __len__(self) -> int:
        return len(self.case_ids)

    def column(self, metric: str) -> Floats:
        """The values of one metric; NaN for all cases where the scoring does not have it."""
        import numpy as np

        if metric in self.metrics:
            return self.figures[self.metrics.index(metric)]
        return np.full(len(self.case_ids), np.nan)

    def coded(self, metric: str) -> Coded | None:
        """The same as codes of few different values; None where it is kept as numbers, or not at all."""
        return self.figures.coded(self.metrics.index(metric)) if metric in self.metrics else None

    def has_status(self, *states: State) -> NDArray[np.bool_]:
        """Which cases are in one of the states."""
        import numpy as np

        found: NDArray[np.bool_] = np.isin(self.statuses, [CODES[state] for state in states])
        return found

    def has_tag(self, *tags: str) -> NDArray[np.bool_]:
        """Which cases have one of the tags."""
        import numpy as np

        own = self.words.tags.entries(np.arange(len(self)))
        wanted = [code for code, word in enumerate(self.words.tags.words) if word[0] in tags]
        found = np.zeros(len(self), dtype=np.bool_)
        found[own.rows[np.isin(own.codes, wanted)]] = True
        return found

    def status_counts(self) -> dict[State, int]:
        """How many cases are in each state, in the order in which the states first come."""
        import numpy as np

        codes, first, counts = np.unique(self.statuses, return_index=True, return_counts=True)
        return {STATES[codes[place]]: int(counts[place]) for place in np.argsort(first)}

    def take(self, places: Integers) -> Columns:
        """The same for these cases only."""
        some = places.tolist()
        clusters = None if self.clusters is None else [self.clusters[place] for place in some]
        return Columns(
            [self.case_ids[place] for place in some],
            self.statuses[places],
            clusters if clusters and any(clusters) else None,
            self.metrics,
            self.figures.take(places),
            self.failed[places],
            self.words.take(places),
        )


class StoredCases(Sequence[CaseResult]):
    """Cases that are read when they are looked at. Columns and single cases are there without reading the others."""

    @abstractmethod
    def columns(self, *, groups: bool = True) -> Columns:
        """All cases as columns; the groups' may be left empty where nobody needs them."""

    @abstractmethod
    def failures(self) -> FailureColumns:
        """What is wrong with each case, as columns."""

    @abstractmethod
    def at(self, places: Sequence[int]) -> list[CaseResult]:
        """The cases at these places, in this order, read together."""


class SelectedCases(StoredCases):
    """Some of the cases, by their places."""

    def __init__(self, cases: StoredCases, places: Integers) -> None:
        self._cases, self._places = cases, places

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, place: int | slice) -> CaseResult | tuple[CaseResult, ...]:  # type: ignore[override]  # narrower
        if isinstance(place, slice):
            return tuple(self._cases.at(self._places[place].tolist()))
        return self._cases.at([int(self._places[place])])[0]

    def columns(self, *, groups: bool = True) -> Columns:
        """The columns of these cases."""
        return self._cases.columns(groups=groups).take(self._places)

    def failures(self) -> FailureColumns:
        """The failures of these cases."""
        return self._cases.failures().take(self._places)

    def at(self, places: Sequence[int]) -> list[CaseResult]:
        """The cases at these places among the selected."""
        return self._cases.at(self._places[list(places)].tolist() if places else [])


def columns_of(result: RunResult, *, groups: bool = True) -> Columns:
    """The columns of a run: the store's, or computed from the cases in memory. Without ``groups`` those are empty."""
    if isinstance(result.cases, StoredCases):
        return result.cases.columns(groups=groups)
    return make_columns(result.run.suite, result.cases, groups=groups)


def selected(cases: Sequence[CaseResult], places: Integers) -> Sequence[CaseResult]:
    """The cases at these places, read when they are looked at where they are stored."""
    if isinstance(cases, StoredCases):
        return SelectedCases(cases, places)
    return tuple(cases[place] for place in places.tolist())


def cases_at(cases: Sequence[CaseResult], places: Sequence[int]) -> list[CaseResult]:
    """The cases at these places."""
    return cases.at(places) if isinstance(cases, StoredCases) else [cases[place] for place in places]


def make_columns(suite: str, cases: Iterable[CaseResult], *, groups: bool = True) -> Columns:
    """Columns from cases, which may come from anywhere and are not kept."""
    import numpy as np

    ids: list[str] = []
    clusters: list[str] = []
    statuses, failed = bytearray(), bytearray()
    rows: dict[str, list[float | None]] = {}
    words = CaseWordsBuilder()
    for place, case in enumerate(cases):
        ids.append(case.id)
        clusters.append(case.cluster)
        statuses.append(CODES[case.status])
        failed.append(has_errors(case))
        for name, score in case.scores.items():
            row = rows.setdefault(name, [])
            if len(row) < place:
                row.extend([None] * (place - len(row)))
            row.append(score.value)
        words.add(suite if groups else None, case)
    values = np.full((len(rows), len(ids)), np.nan)
    for number, row in enumerate(rows.values()):
        values[number, : len(row)] = np.array(row, dtype=np.float64)  # None becomes NaN
    values[~np.isfinite(values)] = np.nan
    return Columns(
        ids,
        np.frombuffer(bytes(statuses), dtype=np.int8),
        clusters if any(clusters) else None,
        tuple(rows),
        Figures(list(values), len(ids)),
        np.frombuffer(bytes(failed), dtype=np.bool_),
        words.built(),
    )
