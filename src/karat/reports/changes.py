"""The cases that changed between two runs, each with both answers. The list is arrays; a case is read when it is looked
at, and only then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal  # Any: one change or a tuple of them, by what is asked for

import msgspec

from karat.core.results.columns import cases_at
from karat.core.results.result import CaseResult, RunResult
from karat.reports.console.run import reason_of
from karat.stats.compare.case_changes import CHANGES, CaseChanges, number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

Kind = Literal["worse", "mixed", "better", "status", "only_a", "only_b"]
ORDER: tuple[Kind, ...] = ("worse", "mixed", "better", "status", "only_a", "only_b")
ANSWER_CUT = 20_000
"""Characters of an answer that a file keeps."""
BLOCK = 500
"""Cases that are read together."""

Answers = Callable[[Sequence[str]], Mapping[str, str]]
"""Case ids → their answers, as a person reads them; those that have none may be left out."""


def no_answers(_: Sequence[str]) -> Mapping[str, str]:
    """For results that were never stored."""
    return {}


class Move(msgspec.Struct, frozen=True):
    """A metric of a case, before and now."""

    metric: str
    a: float | None
    b: float | None


class Side(msgspec.Struct, frozen=True):
    """A case in one of the two runs; empty when it is not in that run."""

    status: str = ""
    why: str = ""
    answer: str = ""


class Change(msgspec.Struct, frozen=True):
    """A case that is not in the second run as it was in the first, with both answers.

    ``mixed``: better by one headline metric and worse by another.
    """

    id: str
    kind: Kind
    question: str
    moves: tuple[Move, ...]
    a: Side
    b: Side


class Source(msgspec.Struct, frozen=True):
    """Where one side of the changes is read from."""

    suite: str
    cases: Sequence[CaseResult]
    answers: Answers = no_answers


class Changes(Sequence[Change]):
    """Each case once: the worse ones first, the largest move on top."""

    def __init__(self, found: CaseChanges, grouped: Grouped, rows: Integers, a: Source, b: Source) -> None:
        self._found, self._grouped, self._rows, self._a, self._b = found, grouped, rows, a, b

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return tuple(self._read(self._rows[place]))
        return self._read(self._rows[[place]])[0]

    def __iter__(self) -> Iterator[Change]:
        for begin in range(0, len(self._rows), BLOCK):
            yield from self._read(self._rows[begin : begin + BLOCK])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(Change.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]  # as a list

    def __repr__(self) -> str:
        return f"<{len(self):,} changed cases>"

    @property
    def ids(self) -> list[str]:
        """The ids of the cases, in order; nothing is read for them."""
        return [self._grouped.ids[row] for row in self._rows.tolist()]

    def counts(self) -> dict[str, int]:
        """How many cases changed in each way; all ways are there."""
        import numpy as np

        found = np.bincount(self._grouped.kinds[self._rows], minlength=len(ORDER)).tolist()
        return dict(zip(ORDER, found, strict=True))

    def of_kind(self, kind: str) -> Changes:
        """Those of one kind, in the same order."""
        import numpy as np

        code = ORDER.index(kind) if kind in ORDER else -1
        rows = self._rows[np.flatnonzero(self._grouped.kinds[self._rows] == code)]
        return Changes(self._found, self._grouped, rows, self._a, self._b)

    def of_cases(self, ids: Sequence[str]) -> dict[str, Change]:
        """Those of these cases that changed, by id."""
        wanted = set(ids)
        places = [place for place, case in enumerate(self.ids) if case in wanted]
        return {change.id: change for change in self._read(self._rows[places])} if places else {}

    def with_answers(self, a: Answers, b: Answers) -> Changes:
        """The same, with answers read from elsewhere."""
        sides = (msgspec.structs.replace(side, answers=own) for side, own in ((self._a, a), (self._b, b)))
        return Changes(self._found, self._grouped, self._rows, *sides)

    def _read(self, rows: Integers) -> list[Change]:
        grouped, found = self._grouped, self._found
        before = _sides(self._a, grouped.a[rows].tolist())
        after = _sides(self._b, grouped.b[rows].tolist())
        changes = []
        for row, (first, side_a), (second, side_b) in zip(rows.tolist(), before, after, strict=True):
            entries = grouped.entries[grouped.starts[row] : grouped.starts[row + 1]].tolist()
            either = second or first
            moves = tuple(
                Move(found.metrics[found.metric[e]], number(found.values_a[e]), number(found.values_b[e]))
                for e in entries
                if found.metric[e] >= 0
            )
            kind = ORDER[grouped.kinds[row]]
            question = either.question if either is not None else ""
            changes.append(Change(grouped.ids[row], kind, question, moves, side_a, side_b))
        return changes


def _sides(source: Source, places: Sequence[int]) -> list[tuple[CaseResult | None, Side]]:
    """The cases at these places with what is shown of them; (None, empty) for -1."""
    there = [place for place in places if place >= 0]
    read = dict(zip(there, cases_at(source.cases, there), strict=True))
    answers = source.answers([case.id for case in read.values()]) if read else {}
    found: list[tuple[CaseResult | None, Side]] = []
    for place in places:
        case = read.get(place)
        found.append((case, Side() if case is None else _side(source.suite, case, answers.get(case.id, ""))))
    return found


def _side(suite: str, case: CaseResult, answer: str) -> Side:
    if len(answer) > ANSWER_CUT:
        answer = f"{answer[:ANSWER_CUT]}… ({len(answer) - ANSWER_CUT:,} more characters)"
    return Side(case.status, case.error or reason_of(suite, case), answer)


class Grouped(msgspec.Struct, frozen=True):
    """The changes of each case: ``entries[starts[i]:starts[i + 1]]`` are those of the i-th, which is at these places of
    both runs."""

    ids: list[str]
    entries: Integers
    starts: Integers
    kinds: NDArray[np.int8]
    a: Integers
    b: Integers


def changes_between(a: RunResult, b: RunResult, found: CaseChanges, answers_a: Answers, answers_b: Answers) -> Changes:
    """The changed cases of a comparison, in their order."""
    grouped, order = _grouped(found)
    sides = (Source(run.run.suite, run.cases, own) for run, own in ((a, answers_a), (b, answers_b)))
    return Changes(found, grouped, order, *sides)


def _grouped(found: CaseChanges) -> tuple[Grouped, Integers]:
    """The changes by case, and the order of the cases: by kind, the largest move on top, then by id."""
    import numpy as np

    own = found.cases()
    there = np.zeros(int(own.max(initial=-1)) + 1, dtype=np.bool_)
    there[own] = True
    case, count = (np.cumsum(there) - 1)[own], int(there.sum())
    entries = np.argsort(case, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(case, minlength=count)))).astype(np.int64)
    ids = found.ids_at(entries[starts[:-1]])
    better, worse = (_any(case, found.kinds == CHANGES.index(kind), count) for kind in ("better", "worse"))
    other = _any(case, found.kinds > CHANGES.index("worse"), count)
    codes = np.array([ORDER.index(kind) for kind in CHANGES], dtype=np.int8)
    kinds = codes[found.kinds[entries[starts[:-1]]]] if count else np.zeros(0, np.int8)
    kinds = np.where(better & worse & ~other, ORDER.index("mixed"), kinds).astype(np.int8)
    by_id = np.array(sorted(range(count), key=ids.__getitem__), dtype=np.int64)
    moved = _moved(found, entries, starts)
    order = by_id[np.lexsort((-moved[by_id], kinds[by_id]))] if count else by_id
    last_a, last_b = (_last(case, places, count) for places in (found.a, found.b))
    return Grouped(ids, entries, starts, kinds, last_a, last_b), order


def _any(case: Integers, which: NDArray[np.bool_], count: int) -> NDArray[np.bool_]:
    import numpy as np

    found = np.zeros(count, dtype=np.bool_)
    found[case[which]] = True
    return found


def _last(case: Integers, places: Integers, count: int) -> Integers:
    """The last place of each case; -1 where it has none."""
    import numpy as np

    found = np.full(count, -1, dtype=np.int64)
    found[case] = places  # where a case comes twice, the last stays
    return found


def _moved(found: CaseChanges, entries: Integers, starts: Integers) -> Floats:
    """How far each case moved, over all its metrics."""
    import numpy as np

    sizes = np.abs(found.values_b - found.values_a)
    sizes[np.isnan(sizes) | (found.metric < 0)] = 0.0
    case = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return np.bincount(case, sizes[entries], len(starts) - 1).astype(np.float64)
