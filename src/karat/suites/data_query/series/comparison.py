"""The series of a target beside those of an answer.

- An entry is a box: a dataset and a set of ids for each dimension. Entries are never merged, and the dataset always
  counts.
- Both sides are seen in the dimensions that the target names for a dataset, with values or ``all``; for a dataset that
  the target does not have, in those that the answer names. A dimension that an entry does not name is ``all`` there, as
  in an SDMX key.
- With T and A the two sets of series: precision is 0 if they share none, 1 if A ⊆ T, and |A∩T| / |A| if no series of A
  has ⊥ (everything, and no codelist); else it is undefined. Recall is the same with A and T exchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import msgspec

from karat.suites.data_query.formats.operators import meaning
from karat.suites.data_query.periods.filters import TIME_DIMENSION
from karat.suites.data_query.selection.selection import DatasetSelection, Dimension
from karat.suites.data_query.series.boxes import EVERYTHING, MOST_STEPS, Box, Ids, Shared, TooMany, shared

Codes = Callable[[str, str], Collection[str] | None]
"""(dataset id, dimension) → the ids of its codelist; None: no codelist is at hand."""

NOTHING_EXPECTED = "the target names no dimension"
NOTHING_SELECTED = "nothing was selected"
TOO_MANY = f"the entries overlap in more than {MOST_STEPS:,} ways"


class SeriesComparison(msgspec.Struct, frozen=True):
    """Series counted on both sides: the target is left, the answer right."""

    counts: Shared = Shared()
    undefined: str = ""
    """Why no series metric is defined; empty where they are."""
    selected: bool = True
    """The answer has an entry."""
    open_target: tuple[str, ...] = ()
    """Dimensions in which the target takes everything, and no codelist says what that is."""
    open_answer: tuple[str, ...] = ()
    beyond: bool = False
    """The answer selects values in a dimension that the target does not name."""

    @property
    def precision(self) -> float | str:
        """The share of the selected series that are expected, or why it is undefined."""
        if self.undefined or not self.selected:
            return self.undefined or NOTHING_SELECTED
        one = self.counts
        return _share(one.meet, one.right_beyond, one.right_unknown, one.both, one.right, self._why(self.open_answer))

    @property
    def recall(self) -> float | str:
        """The share of the expected series that are selected, or why it is undefined."""
        one = self.counts
        why = self._why(self.open_target)
        return self.undefined or _share(one.meet, one.left_beyond, one.left_unknown, one.both, one.left, why)

    @property
    def f1(self) -> float | str:
        """2|A∩T| / (|A| + |T|), or why it is undefined."""
        if self.undefined:
            return self.undefined
        one = self.counts
        if not one.meet:
            return 0.0
        if not one.left_beyond and not one.right_beyond:
            return 1.0
        if one.left_unknown or one.right_unknown:
            return self._why((*self.open_target, *self.open_answer))
        return 2 * one.both / (one.left + one.right)

    @property
    def exact(self) -> bool | None:
        """The same series, and nothing selected in a dimension that the target does not name; None: undefined."""
        if self.undefined:
            return None
        one = self.counts
        return self.selected and not one.left_beyond and not one.right_beyond and not self.beyond

    def _why(self, dimensions: Iterable[str]) -> str:
        return f"everything selected in {', '.join(dict.fromkeys(dimensions))}, no codelist"


def _share(meet: bool, beyond: bool, unknown: bool, both: int, all_of_it: int, why: str) -> float | str:
    if not meet:
        return 0.0
    if not beyond:
        return 1.0
    return why if unknown else both / all_of_it


def compare_series(
    target: Sequence[DatasetSelection],
    answer: Sequence[DatasetSelection],
    left: Mapping[str, str],
    right: Mapping[str, str],
    codes: Codes,
    *,
    ignore_defaults: bool = False,
) -> SeriesComparison:
    """Two selections. ``left`` and ``right`` give the key under which each dataset id compares."""
    wanted, given = _by_dataset(target, left), _by_dataset(answer, right)
    named = {dataset: _named(parts) for dataset, parts in wanted.items()}
    if not any(named.values()):
        return SeriesComparison(undefined=NOTHING_EXPECTED)
    counts = Shared()
    open_target: list[str] = []
    open_answer: list[str] = []
    beyond = False
    for dataset in dict.fromkeys((*wanted, *given)):
        ours, theirs = wanted.get(dataset, ()), given.get(dataset, ())
        if ignore_defaults:
            theirs = [_without_defaults(part) for part in theirs]
        seen = named[dataset] if dataset in named else _named(theirs)
        beyond = beyond or (dataset in named and any(_goes_beyond(part, seen) for part in theirs))
        expected, found = [box_of(part, seen) for part in ours], [box_of(part, seen) for part in theirs]
        known = _known([*ours, *theirs], [*expected, *found], seen, codes)
        open_target += _open(expected, seen, known)
        open_answer += _open(found, seen, known)
        try:
            counts = counts.plus(shared(expected, found, list(seen), known))
        except TooMany:
            return SeriesComparison(undefined=TOO_MANY)
    return SeriesComparison(counts, "", bool(answer), tuple(open_target), tuple(open_answer), beyond)


def _by_dataset(parts: Iterable[DatasetSelection], keys: Mapping[str, str]) -> dict[str, list[DatasetSelection]]:
    found: dict[str, list[DatasetSelection]] = {}
    for part in parts:
        found.setdefault(keys.get(part.dataset_id, part.dataset_id), []).append(part)
    return found


def _named(parts: Iterable[DatasetSelection]) -> dict[str, None]:
    """The dimensions that some entry names, with values or ``all``."""
    return dict.fromkeys(one.dimension_name for part in parts for one in part.dimensions if _says(one))


def _says(dimension: Dimension) -> bool:
    if dimension.dimension_name == TIME_DIMENSION or meaning(dimension.operator) == "excluded":
        return False
    return bool(dimension.values) or dimension.everything


def _without_defaults(part: DatasetSelection) -> DatasetSelection:
    if not any(one.is_default for one in part.dimensions):
        return part
    return DatasetSelection(part.dataset_id, tuple(one for one in part.dimensions if not one.is_default), part.period)


def _goes_beyond(part: DatasetSelection, seen: Collection[str]) -> bool:
    return any(
        _says(one) and one.dimension_name not in seen and not one.is_default and not one.everything
        for one in part.dimensions
    )


def box_of(part: DatasetSelection, seen: Collection[str]) -> Box:
    """An entry as a box over some dimensions."""
    box: dict[str, Ids] = {}
    for one in part.dimensions:
        name = one.dimension_name
        if name in seen and _says(one):
            ids = _ids(one)
            box[name] = box[name].union(ids) if name in box else ids
    return box


def _ids(dimension: Dimension) -> Ids:
    if dimension.operator == "in":
        return Ids(frozenset(term.id for term in dimension.values))
    operator = meaning(dimension.operator)
    if operator == "all":
        return EVERYTHING
    return Ids(frozenset(term.id for term in dimension.values), rest=operator == "not_in")


def _known(
    parts: Sequence[DatasetSelection], boxes: Sequence[Box], seen: Iterable[str], codes: Codes
) -> dict[str, Collection[str] | None]:
    """The codes of every dimension in which an entry takes everything, from the first dataset id that has them."""
    wanted = [name for name in seen if any(box.get(name, EVERYTHING).rest for box in boxes)]
    datasets = dict.fromkeys(part.dataset_id for part in parts) if wanted else ()
    found = {name: next((held for one in datasets if (held := codes(one, name))), None) for name in wanted}
    return {name: found.get(name) for name in seen}


def _open(boxes: Iterable[Box], seen: Iterable[str], known: Mapping[str, Collection[str] | None]) -> list[str]:
    boxes = list(boxes)
    return [name for name in seen if known[name] is None and any(box.get(name, EVERYTHING).rest for box in boxes)]
