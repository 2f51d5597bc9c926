"""Which cases of two runs to show: by how they moved, newly right, newly wrong, or with another answer."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.reports.answer_text import answers_of
from karat.reports.changes import Answers, Move, Side
from karat.reports.comparison import Compared
from karat.reports.console.run import reason_of
from karat.stats.compare.pairing import pair_columns
from karat.store import RunRow
from karat.web.baseline_diff import columns_in
from karat.web.figures import figures_of, main_figure
from karat.web.lookup import scoring_of
from karat.web.page import Viewer

BATCH = 1000
WORDS = {
    "newly_wrong": "newly wrong",
    "newly_right": "newly right",
    "worse": "worse",
    "mixed": "mixed",
    "better": "better",
    "status": "status changed",
    "only_a": "only before",
    "only_b": "only after",
    "answer": "another answer",
}


class Shown(msgspec.Struct, frozen=True):
    """A case in both runs. ``kind``: a key of ``WORDS``, or ``same`` when no figure of it moved."""

    id: str
    kind: str
    question: str
    moves: tuple[Move, ...]
    a: Side
    b: Side


def counts_of(viewer: Viewer, first: RunRow, second: RunRow, found: Compared) -> dict[str, int | None]:
    """How many cases each way has. None: not counted yet, as all answers of both runs would have to be read."""
    right, wrong = newly(viewer, first, second)
    key = _answers_key(viewer, first, second)
    answers = len(changed_answers(viewer, first, second)) if key in viewer.kept else None
    every: dict[str, int | None] = {"newly_wrong": len(wrong), "newly_right": len(right), **found.counts()}
    return {word: every.get(word, answers) for word in WORDS}


def chosen(viewer: Viewer, first: RunRow, second: RunRow, found: Compared, kind: str) -> list[str]:
    """The ids of the cases of one kind, or of all that changed, in the order of the comparison."""
    if kind in ("newly_right", "newly_wrong"):
        own = newly(viewer, first, second)[0 if kind == "newly_right" else 1]
        order = found.changes.ids
        return [*(case for case in order if case in own), *sorted(own.difference(order))]
    if kind == "answer":
        return list(changed_answers(viewer, first, second))
    return found.changes.of_kind(kind).ids if kind else found.changes.ids


def newly(viewer: Viewer, first: RunRow, second: RunRow) -> tuple[frozenset[str], frozenset[str]]:
    """(right now and not before, right before and not now), by the figure that says right or wrong. A failed call is
    not right."""
    before, after = main_figure(figures_of(first)), main_figure(figures_of(second))
    if before is None or after is None or before.name != after.name:
        return frozenset(), frozenset()

    def compare() -> tuple[frozenset[str], frozenset[str]]:
        pairs = pair_columns(columns_in(viewer, first), columns_in(viewer, second))
        was = pairs.a.column(before.name)[pairs.places_a] == 1
        now = pairs.b.column(after.name)[pairs.places_b] == 1
        ids = pairs.ids
        gained, lost = (frozenset(ids[row] for row in which.nonzero()[0]) for which in (now & ~was, was & ~now))
        return gained, lost

    return viewer.kept(("newly", scoring_of(first), scoring_of(second)), compare)


def changed_answers(viewer: Viewer, first: RunRow, second: RunRow) -> tuple[str, ...]:
    """The cases of both runs whose answers are not the same, letter for letter; read in batches, and kept."""

    def compare() -> tuple[str, ...]:
        shared = pair_columns(columns_in(viewer, first), columns_in(viewer, second)).ids
        found: list[str] = []
        for begin in range(0, len(shared), BATCH):
            batch = shared[begin : begin + BATCH]
            a, b = (_answers(viewer, row, batch) for row in (first, second))
            found += [case for case in batch if a.get(case) != b.get(case)]
        return tuple(found)

    return viewer.kept(_answers_key(viewer, first, second), compare)


def shown(viewer: Viewer, first: RunRow, second: RunRow, found: Compared, ids: Sequence[str], cut: int) -> list[Shown]:
    """These cases with both answers, as much of each as a page holds."""
    known = found.changes.of_cases(ids)
    answers = [_answers(viewer, row, ids) for row in (first, second)]
    listed = []
    for case in ids:
        if case in known:
            change = known[case]
            kind: str = change.kind
            question, moves, sides = change.question, change.moves, (change.a, change.b)
        else:
            kind, moves = "same", ()
            question, sides = _unmoved(viewer, first, second, case)
        a, b = (_with(side, own.get(case, ""), cut) for side, own in zip(sides, answers, strict=True))
        listed.append(Shown(case, kind, question, moves, a, b))
    return listed


def _unmoved(viewer: Viewer, first: RunRow, second: RunRow, case: str) -> tuple[str, tuple[Side, Side]]:
    sides, question = [], ""
    for row in (first, second):
        line = next(iter(viewer.viewing.lines(scoring_of(row), [case])), None)
        result = viewer.store.case_result(scoring_of(row), line.position) if line is not None else None
        question = result.question if result is not None else question
        sides.append(Side() if result is None else Side(result.status, result.error or reason_of(row.suite, result)))
    return question, (sides[0], sides[1])


def _with(side: Side, answer: str, cut: int) -> Side:
    return msgspec.structs.replace(side, answer=answer[:cut] + (" …" if len(answer) > cut else ""))


def _answers(viewer: Viewer, row: RunRow, ids: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for begin in range(0, len(ids), BATCH):
        batch = ids[begin : begin + BATCH]
        found |= answers_of(viewer.store.case_predictions(row.id, batch), set(batch))
    return found


def answers_in(viewer: Viewer, row: RunRow) -> Answers:
    """The answers of a run, read for the cases that are asked for."""
    return lambda ids: _answers(viewer, row, ids)


def _answers_key(viewer: Viewer, first: RunRow, second: RunRow) -> tuple[str | int, ...]:
    newest = (viewer.viewing.newest_prediction(row.id) for row in (first, second))
    return ("answers", scoring_of(first), scoring_of(second), *newest)
