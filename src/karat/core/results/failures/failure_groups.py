"""Failure groups: the cases of a run that are not right, put together by what is wrong with them.

1. A label that two cases or more have is a group of its own (``COUNTRY wrong: asked MEX, got USA``). A case whose label
   no other case has is counted in the label's family (``COUNTRY wrong``).
2. A case with several failures has one main group: the largest that it is in; where two are equally large, the one
   that its explanation names first. So each case is counted once, and the groups add up to all cases that are not
   right.
3. The largest group comes first. Groups of one case are folded into ``single cases``.

With a baseline, sizes are over both runs, so that a case with the same faults in both is in the same group in both,
and the change is counted on the cases that both have. Labels are read for the groups that are shown alone: memory does
not grow with the number of texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from karat.core.results.columns.word_lists import Word
from karat.core.results.failures.failure_columns import FailureColumns, number_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

SINGLE = "single cases"
MOST = 50
"""Groups that are named; the rest is counted."""


class FailureGroup(msgspec.Struct, frozen=True, omit_defaults=True):
    """Cases with the same main fault."""

    key: str
    """What identifies the group across runs."""
    label: str
    """What a person reads."""
    outcome: str
    """``wrong``, ``error``, ``missing`` or ``needs_review``; empty for the group of single cases."""
    cases: int
    """Cases whose main fault this is."""
    family: str = ""
    """The label without values such as column names, if it contains any."""
    found_in: int = 0
    """Cases that have this fault at all, including those in a larger group."""
    on_same_cases: int | None = None
    """With a baseline: of the cases in both runs, how many are in this group now."""
    baseline: int | None = None
    """With a baseline: of the cases in both runs, how many were in this group then."""

    @property
    def change(self) -> int | None:
        """How many more cases than in the baseline, on the same cases; None without one."""
        return None if self.on_same_cases is None or self.baseline is None else self.on_same_cases - self.baseline

    @property
    def head(self) -> str:
        """The label without values."""
        return self.family if self.family and self.label.startswith(f"{self.family}: ") else self.label

    @property
    def detail(self) -> str:
        """The values: what the label says beyond its head."""
        return self.label[len(self.head) + 2 :]


class FailureGroups(msgspec.Struct, frozen=True):
    """All groups of a run."""

    groups: tuple[FailureGroup, ...]
    """The largest first; single cases at the end."""
    failing: int
    """Cases that are not right: each is in one group."""
    further: int
    """Groups that are too small to be named, beyond ``MOST``, and not of a single case."""
    further_cases: int
    main: Integers
    """Of each case, the number of its main group; 0: it is right."""
    singles: tuple[FailureGroup, ...]
    """What the single cases are, as many as are named."""
    unfolded: Integers
    """As ``main``, with single cases as groups of their own."""
    found: FailureColumns
    """What they were made from."""

    def places(self, key: str) -> Integers:
        """The places of the cases in a group; none where the run has no such group."""
        import numpy as np

        number = number_of(key)
        own = np.flatnonzero((self.main == number) | (self.unfolded == number))
        if len(own):
            return own
        # Drawn against another baseline: the cases that have this fault at all.
        inside = (self.found.labels == number) | (self.found.families == number)
        return np.unique(self.found.rows()[inside])

    def find(self, place: int) -> FailureGroup | None:
        """The group of one case, if it is named."""
        number = int(self.main[place])
        return next((group for group in self.groups if number_of(group.key) == number), None)


def group_failures(
    found: FailureColumns,
    baseline: FailureColumns | None = None,
    pairs: tuple[Integers, Integers] | None = None,
    most: int = MOST,
) -> FailureGroups:
    """The groups of a run. ``baseline`` with ``pairs``: the failures of another run, and the places of the cases that
    both have, in this run and in that one."""
    import numpy as np

    before = None if baseline is None or pairs is None else baseline.take(pairs[1])
    keys, old_keys = _keys(found, before)
    sizes = _Sizes(np.concatenate((_once(found, keys), _once(before, old_keys))))
    unfolded = _main(found, keys, sizes)
    old = _main(before, old_keys, sizes) if before is not None else np.zeros(0, np.int64)
    alone = _alone(_Sizes(unfolded[unfolded != 0]), _Sizes(old[old != 0]))
    single = number_of(SINGLE)
    main = np.where(np.isin(unfolded, alone), single, unfolded)
    old = np.where(np.isin(old, alone), single, old)
    same = main[pairs[0]] if before is not None and pairs is not None else None
    counted = _Counted(
        _Sizes(main[main != 0]),
        _Sizes(_once(found, keys)),
        None if same is None else _Sizes(same[same != 0]),
        _Sizes(old[old != 0]),
    )
    entries = _Entries(found, keys, before, old_keys)
    listed = np.unique(np.concatenate((counted.cases.numbers, counted.baseline.numbers)))
    listed = listed[listed != single]
    order = listed[np.lexsort((entries.firsts(listed), -counted.baseline.of(listed), -counted.cases.of(listed)))]
    named = _told_apart([_group(number, entries, counted) for number in order[:most].tolist()])
    named.sort(key=lambda group: (-group.cases, -(group.baseline or 0), group.label))
    if single in counted.cases.numbers or single in counted.baseline.numbers:
        own = counted.cases.count(single)
        named.append(FailureGroup(SINGLE, SINGLE, "", own, "", own, *counted.compared(single)))
    rest = order[most:][counted.cases.of(order[most:]) > 0]
    few = unfolded[main == single][:most].tolist()
    return FailureGroups(
        groups=tuple(named),
        failing=int(np.count_nonzero(main)),
        further=len(rest),
        further_cases=int(counted.cases.of(rest).sum()),
        main=main,
        singles=tuple(_single(number, entries) for number in few),
        unfolded=unfolded,
        found=found,
    )


def _group(number: int, entries: _Entries, counted: _Counted) -> FailureGroup:
    (outcome, label, family), exact = entries.word_of(number)
    return FailureGroup(
        label if exact else family,
        label if exact else family,
        outcome,
        counted.cases.count(number),
        family if exact and family != label else "",
        counted.found_in.count(number),
        *counted.compared(number),
    )


def _single(number: int, entries: _Entries) -> FailureGroup:
    """A case of its own, with its values."""
    (outcome, label, family), exact = entries.word_of(number)
    return FailureGroup(label if exact else family, label, outcome, 1, family if family != label else "", 1)


class _Counted(msgspec.Struct, frozen=True):
    """How many cases each group has."""

    cases: _Sizes
    found_in: _Sizes
    same: _Sizes | None
    baseline: _Sizes

    def compared(self, number: int) -> tuple[int | None, int | None]:
        """(now, in the baseline) on the same cases."""
        return (None, None) if self.same is None else (self.same.count(number), self.baseline.count(number))


class _Sizes:
    """How often each number comes."""

    def __init__(self, numbers: Integers) -> None:
        import numpy as np

        self.numbers, self.counts = np.unique(numbers, return_counts=True)

    def of(self, wanted: Integers) -> Integers:
        import numpy as np

        if not len(self.numbers):
            return np.zeros(len(wanted), np.int64)
        place = np.minimum(np.searchsorted(self.numbers, wanted), len(self.numbers) - 1)
        return np.where(self.numbers[place] == wanted, self.counts[place], 0).astype(np.int64)

    def count(self, number: int) -> int:
        import numpy as np

        return int(self.of(np.array([number], np.int64))[0])


def _keys(found: FailureColumns, before: FailureColumns | None) -> tuple[Integers, Integers]:
    """The number of the group of each entry: of its label where two cases of a run have it, else of its family."""
    import numpy as np

    old = before.labels if before is not None else np.zeros(0, np.int64)
    now, then = _Sizes(found.labels), _Sizes(old)

    def of(columns: FailureColumns) -> Integers:
        shared = np.maximum(now.of(columns.labels), then.of(columns.labels)) > 1
        return np.where(shared, columns.labels, columns.families)

    return of(found), of(before) if before is not None else old


def _once(columns: FailureColumns | None, keys: Integers) -> Integers:
    """The number of each group, once for each case in it."""
    import numpy as np

    if columns is None or not len(keys):
        return np.zeros(0, np.int64)
    order = np.argsort(keys, kind="stable")
    rows, sorted_keys = columns.rows()[order], keys[order]
    first = np.ones(len(order), bool)
    first[1:] = (rows[1:] != rows[:-1]) | (sorted_keys[1:] != sorted_keys[:-1])
    return sorted_keys[first]


def _main(columns: FailureColumns, keys: Integers, sizes: _Sizes) -> Integers:
    """Of each case, the number of the largest group that it is in, of its first where two are as large; 0 where it is
    in none."""
    import numpy as np

    main = np.zeros(len(columns), np.int64)
    if not len(keys):
        return main
    rows, own = columns.rows(), sizes.of(keys)
    there = np.flatnonzero(np.diff(columns.starts))
    largest = np.zeros(len(columns), np.int64)
    largest[there] = np.maximum.reduceat(own, columns.starts[there])
    entries = np.flatnonzero(own == largest[rows])[::-1]  # of several entries of a case, the first is written last
    main[rows[entries]] = keys[entries]
    return main


def _alone(now: _Sizes, then: _Sizes) -> Integers:
    """The groups that have one case at the most in either run."""
    import numpy as np

    every = np.unique(np.concatenate((now.numbers, then.numbers)))
    return every[np.maximum(now.of(every), then.of(every)) < 2]


class _Entries:
    """The first entry of each group, in this run or else in the baseline."""

    def __init__(
        self, found: FailureColumns, keys: Integers, before: FailureColumns | None, old_keys: Integers
    ) -> None:
        import numpy as np

        self._found, self._before = found, before
        every = np.concatenate((keys, old_keys))
        self._numbers, self._firsts = np.unique(every, return_index=True)

    def firsts(self, numbers: Integers) -> Integers:
        import numpy as np

        return self._firsts[np.searchsorted(self._numbers, numbers)]

    def word_of(self, number: int) -> tuple[Word, bool]:
        """(outcome, label, family), and whether the group is that of the label."""
        import numpy as np

        columns, entry = self._found, int(self.firsts(np.array([number]))[0])
        if self._before is not None and entry >= len(columns.labels):
            columns, entry = self._before, entry - len(columns.labels)
        return columns.word_of(entry), bool(columns.labels[entry] == number)


def _told_apart(groups: list[FailureGroup]) -> list[FailureGroup]:
    """A family beside groups with its values is named as what is left of it."""
    split = {group.family for group in groups if group.family}
    return [
        msgspec.structs.replace(group, label=f"{group.label}: other values", family=group.label)
        if group.key in split
        else group
        for group in groups
    ]
