"""The cases that changed between two runs, each with both answers. The list is arrays; a case is read when it is looked
at, and only then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal  # Any: one change or a tuple of them, by what is asked for

import msgspec

from karat.core.explanation import Explanation
from karat.core.json_types import JsonMapping
from karat.core.presentation.case_explanation import explanation_of, target_of
from karat.core.results.columns.columns import cases_at
from karat.core.results.result import CaseResult, RunResult
from karat.reports.compare.answer_changes import PartChange, answer_changes, only_answer
from karat.reports.console.run import reason_of
from karat.stats.compare.case_changes import CHANGES, CaseChanges, number
from karat.stats.compare.right_wrong import VERDICTS, RightWrong, Verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

Kind = Literal["worse", "mixed", "better", "status", "only_a", "only_b", "same"]
ORDER: tuple[Kind, ...] = ("worse", "mixed", "better", "status", "only_a", "only_b")
SECTIONS = {
    "newly_wrong": "newly wrong",
    "status": "status changed",
    "newly_right": "newly right",
    "worse": "worse, same verdict",
    "mixed": "mixed, same verdict",
    "better": "better, same verdict",
    "only_a": "only before",
    "only_b": "only after",
}
"""The order in which changed cases are shown, in words. A case is in one section: a verdict that changed comes before
any other figure."""
ANSWER_CUT = 20_000
"""Characters of an answer that a file keeps."""
BLOCK = 500
"""Cases that are read together."""

Answers = Callable[[Sequence[str]], Mapping[str, str]]
"""Case ids → their answers, as a person reads them; those that have none may be left out."""


StoredCases = Callable[[Sequence[str]], Mapping[str, JsonMapping]]
"""Case ids → the cases as they were asked, as JSON values; those that were not kept may be left out."""


def no_answers(_: Sequence[str]) -> Mapping[str, str]:
    """For results that were never stored."""
    return {}


def no_cases(_: Sequence[str]) -> Mapping[str, JsonMapping]:
    """For results whose cases are not at hand."""
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

    ``mixed``: better by one headline metric and worse by another. ``same``: no headline metric moved.
    """

    id: str
    kind: Kind
    question: str
    moves: tuple[Move, ...]
    a: Side
    b: Side
    verdict: Verdict = ""
    """Right or wrong, before and after; empty where one of the runs does not tell."""
    parts: tuple[PartChange, ...] = ()
    """How the two answers differ, in the suite's own terms."""

    @property
    def section(self) -> str:
        """A key of ``SECTIONS``, or ``same``."""
        return self.verdict if self.verdict in SECTIONS else self.kind

    @property
    def words(self) -> str:
        """``newly wrong``, ``better, still wrong``, ``only after``."""
        if self.kind == "same" and self.verdict in ("right", "wrong"):
            return f"{self.verdict} in both"
        if self.kind in ("worse", "mixed", "better") and self.verdict in ("right", "wrong"):
            return f"{self.kind}, still {self.verdict}"
        return SECTIONS.get(self.section, "no figure changed").removesuffix(", same verdict")


class Source(msgspec.Struct, frozen=True):
    """Where one side of the changes is read from."""

    suite: str
    cases: Sequence[CaseResult]
    answers: Answers = no_answers
    stored: StoredCases = no_cases


class Changes(Sequence[Change]):
    """Each case once: the newly wrong ones first, then in the order of ``SECTIONS``, the largest move on top."""

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

    def sections(self) -> dict[str, int]:
        """How many cases each section has; all sections are there, and a case is in one of them."""
        import numpy as np

        found = np.bincount(self._grouped.sections[self._rows], minlength=len(SECTIONS)).tolist()
        return dict(zip(SECTIONS, found, strict=True))

    def of_section(self, section: str) -> Changes:
        """Those of one section, in the same order."""
        import numpy as np

        code = list(SECTIONS).index(section) if section in SECTIONS else -1
        rows = self._rows[np.flatnonzero(self._grouped.sections[self._rows] == code)]
        return Changes(self._found, self._grouped, rows, self._a, self._b)

    def firsts(self, sections: Sequence[str], most: int) -> dict[str, list[Change]]:
        """The first of each of these sections, all of them read together."""
        import numpy as np

        names = list(SECTIONS)
        own = self._grouped.sections[self._rows]
        rows = {name: self._rows[np.flatnonzero(own == names.index(name))[:most]] for name in sections}
        read = iter(self._read(np.concatenate([np.zeros(0, np.int64), *rows.values()])))
        return {name: [next(read) for _ in range(len(some))] for name, some in rows.items()}

    def of_cases(self, ids: Sequence[str]) -> list[Change]:
        """These cases, whether they changed or not."""
        rows = self._rows_of(ids)
        places_a, places_b = self.places(ids)
        return self._read_at(ids, rows, places_a, places_b)

    def places(self, ids: Sequence[str]) -> tuple[list[int], list[int]]:
        """Where these cases are in both runs; -1: not there."""
        rows = self._rows_of(ids)
        if all(row >= 0 for row in rows):
            return self._grouped.a[rows].tolist(), self._grouped.b[rows].tolist()
        return self._found.places_of(ids, 0), self._found.places_of(ids, 1)

    def _rows_of(self, ids: Sequence[str]) -> list[int]:
        wanted = dict.fromkeys(ids, -1)
        for row, case in enumerate(self._grouped.ids):
            if case in wanted:
                wanted[case] = row
        return [wanted[case] for case in ids]

    def with_answers(self, a: Answers, b: Answers) -> Changes:
        """The same, with answers read from elsewhere."""
        sides = (msgspec.structs.replace(side, answers=own) for side, own in ((self._a, a), (self._b, b)))
        return Changes(self._found, self._grouped, self._rows, *sides)

    def with_cases(self, a: StoredCases, b: StoredCases) -> Changes:
        """The same, with the cases as they were asked: some suites compare texts with what was expected."""
        sides = (msgspec.structs.replace(side, stored=own) for side, own in ((self._a, a), (self._b, b)))
        return Changes(self._found, self._grouped, self._rows, *sides)

    def _read(self, rows: Integers) -> list[Change]:
        grouped, some = self._grouped, rows.tolist()
        ids = [grouped.ids[row] for row in some]
        return self._read_at(ids, some, grouped.a[rows].tolist(), grouped.b[rows].tolist())

    def _read_at(
        self, ids: Sequence[str], rows: Sequence[int], places_a: Sequence[int], places_b: Sequence[int]
    ) -> list[Change]:
        """Cases by their places in both runs; a row of -1: no figure of the case moved."""
        before, after = _sides(self._a, places_a), _sides(self._b, places_b)
        changes = []
        for case, row, place, first, second in zip(ids, rows, places_a, before, after, strict=True):
            kind: Kind = ORDER[self._grouped.kinds[row]] if row >= 0 else "same"
            question = second.question or first.question
            was, now = first.why, second.why
            parts = answer_changes(was, now) if was and now else only_answer(was, now)
            verdict = self._grouped.verdict(place)
            changes.append(Change(case, kind, question, self._moves(row), first.side, second.side, verdict, parts))
        return changes

    def _moves(self, row: int) -> tuple[Move, ...]:
        if row < 0:
            return ()
        found, starts = self._found, self._grouped.starts
        entries = self._grouped.entries[starts[row] : starts[row + 1]].tolist()
        return tuple(
            Move(found.metrics[found.metric[e]], number(found.values_a[e]), number(found.values_b[e]))
            for e in entries
            if found.metric[e] >= 0
        )


class _Seen(msgspec.Struct, frozen=True):
    """A case in one run; nothing where it is not there."""

    side: Side = Side()
    question: str = ""
    why: Explanation | None = None


def _sides(source: Source, places: Sequence[int]) -> list[_Seen]:
    """The cases at these places with what is shown of them; empty for -1."""
    there = [place for place in places if place >= 0]
    read = dict(zip(there, cases_at(source.cases, there), strict=True))
    ids = [case.id for case in read.values()]
    answers, stored = (source.answers(ids), source.stored(ids)) if ids else ({}, {})
    seen = {
        place: _seen(source.suite, case, answers.get(case.id, ""), stored.get(case.id)) for place, case in read.items()
    }
    return [seen.get(place, _Seen()) for place in places]


def _seen(suite: str, case: CaseResult, answer: str, stored: JsonMapping | None) -> _Seen:
    if len(answer) > ANSWER_CUT:
        answer = f"{answer[:ANSWER_CUT]}… ({len(answer) - ANSWER_CUT:,} more characters)"
    side = Side(case.status, case.error or reason_of(suite, case), answer)
    target = target_of(suite, stored) if stored else None
    return _Seen(side, case.question, explanation_of(suite, case, target))


class Grouped(msgspec.Struct, frozen=True):
    """The changes of each case: ``entries[starts[i]:starts[i + 1]]`` are those of the i-th, which is at these places of
    both runs."""

    ids: list[str]
    entries: Integers
    starts: Integers
    kinds: NDArray[np.int8]
    a: Integers
    b: Integers
    sections: NDArray[np.int8]
    verdicts: NDArray[np.int8] | None
    """Of each case of run a."""

    def verdict(self, place: int) -> Verdict:
        """That of the case at this place of run a."""
        return VERDICTS[self.verdicts[place]] if self.verdicts is not None and place >= 0 else ""


def changes_between(
    a: RunResult,
    b: RunResult,
    found: CaseChanges,
    answers_a: Answers,
    answers_b: Answers,
    right_wrong: RightWrong | None = None,
) -> Changes:
    """The changed cases of a comparison, in their order."""
    grouped, order = _grouped(found, None if right_wrong is None else right_wrong.verdicts())
    sides = (Source(run.run.suite, run.cases, own) for run, own in ((a, answers_a), (b, answers_b)))
    return Changes(found, grouped, order, *sides)


def _grouped(found: CaseChanges, verdicts: NDArray[np.int8] | None) -> tuple[Grouped, Integers]:
    """The changes by case, and the order of the cases: by section, the largest move on top, then by id."""
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
    last_a, last_b = (_last(case, places, count) for places in (found.a, found.b))
    sections = _sections(kinds, last_a, verdicts)
    order = by_id[np.lexsort((-moved[by_id], sections[by_id]))] if count else by_id
    return Grouped(ids, entries, starts, kinds, last_a, last_b, sections, verdicts), order


def _sections(kinds: NDArray[np.int8], places: Integers, verdicts: NDArray[np.int8] | None) -> NDArray[np.int8]:
    """The section of each case: its verdict where that changed, else its kind."""
    import numpy as np

    names = list(SECTIONS)
    found = np.array([names.index(kind) for kind in ORDER], dtype=np.int8)[kinds]
    if verdicts is None or not len(verdicts):
        return found
    own = np.where(places >= 0, verdicts[places], 0)
    for verdict in ("newly_wrong", "newly_right"):
        found[own == VERDICTS.index(verdict)] = names.index(verdict)
    return found


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
