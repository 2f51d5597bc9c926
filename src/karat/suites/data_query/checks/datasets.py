"""Datasets and dimensions of a target against the structures. Scoring is exact, so a name in another letter case can
never match."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from karat.core.problems import did_you_mean
from karat.suites.data_query.periods.filters import TIME_DIMENSION
from karat.suites.data_query.structures.codelists import Codelists
from karat.suites.data_query.structures.records import Ref, parse_ref

AS_PERIOD = "Write it as `period`: {start: 2015, end: 2020}."


class Fault(msgspec.Struct, frozen=True):
    """What is wrong, and the nearest valid thing."""

    message: str
    hint: str


class Datasets:
    """What a dataset and its dimensions may be called."""

    def __init__(self, codelists: Codelists) -> None:
        self._codelists = codelists
        self._known = {_short(ref) for ref in codelists.datasets()}
        self._faults: dict[str, Fault | None] = {}
        self._dimensions: dict[tuple[str, str], Fault | None] = {}

    @property
    def any(self) -> bool:
        """Whether the files hold a dataflow or a data structure at all."""
        return bool(self._known)

    def fault(self, dataset: str) -> Fault | None:
        """Why a dataset id cannot be right; None where it is known, or nothing is known of datasets."""
        if dataset not in self._faults:
            self._faults[dataset] = self._dataset(dataset)
        return self._faults[dataset]

    def dimension_fault(self, dataset: str, dimension: str) -> Fault | None:
        """Why a dimension cannot be right; None where it is known, or nothing is known of the dataset."""
        key = (dataset, dimension)
        if key not in self._dimensions:
            self._dimensions[key] = self._dimension(dataset, dimension)
        return self._dimensions[key]

    def _dataset(self, dataset: str) -> Fault | None:
        if not self._known or _short(parse_ref(dataset)) in self._known:
            return None
        return Fault(f'the dataset "{dataset}" is not in the structure files', _nearest(dataset, self._known))

    def _dimension(self, dataset: str, dimension: str) -> Fault | None:
        structure = self._codelists.structure(parse_ref(dataset)) if self.fault(dataset) is None else None
        if structure is None or not structure.dimensions:
            return None
        key = [one.id for one in structure.dimensions if not one.time]
        if dimension in key:
            return None
        if dimension in (TIME_DIMENSION, *(one.id for one in structure.dimensions)):
            return time_fault(dimension)
        return Fault(f'{structure.ref} has no dimension "{dimension}"', _nearest(dimension, key))


def time_fault(dimension: str) -> Fault:
    """The time dimension among those of a target."""
    return Fault(f"{dimension} is the time dimension and no part of a series", AS_PERIOD)


def _short(ref: Ref) -> str:
    return f"{ref.agency}:{ref.id}" if ref.agency else ref.id


def _nearest(word: str, known: Iterable[str]) -> str:
    """The same but for letter case or agency, else what is spelt most like it."""
    names = sorted(known)
    bare = _short(parse_ref(word))
    for same in (
        [one for one in names if one.casefold() == bare.casefold()],
        [one for one in names if one.rpartition(":")[2].casefold() == bare.rpartition(":")[2].casefold()],
    ):
        if same:
            return f'Did you mean "{same[0]}"?'
    return did_you_mean(bare, names)
