"""The rank of every truth, and each question's best values, in one pass over the values as vectors. Nothing is sorted.

Each block of values is multiplied with the questions once, in float32. A value whose product is clear of a truth's
score by more than the product may stray is counted there and then; the few that are not are scored exactly (see
``ranks.score``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from threading import Lock

import numpy as np

from karat.search.ranks.best import Best, Candidates
from karat.search.ranks.blocks import Rows, blocks, loaded, rows_of
from karat.search.ranks.kernels import Steps, steps_for
from karat.search.ranks.processors import Begun, Workers, processors
from karat.search.ranks.recheck import CROWDED, settle
from karat.search.ranks.score import Doubles, lengths, scores_at, slack, surely, turning_points
from karat.search.ranks.screen import Screen
from karat.search.records import NOT_A_VALUE, Floats, Integers

Watch = Callable[[int, int], None]

PANEL = 512
"""Questions in one product."""
_GROUP = 16
"""Questions that are looked at together."""


@dataclass(frozen=True)
class Found:
    """What one pass gave."""

    ranks: Integers
    """For each truth, as they were given."""
    best: Integers
    """[question, n - 1]: the position of its n-th best value; as many columns as the depth, or as there are values."""
    scores: Floats
    """Their scores."""


def unwatched(done: int, of: int) -> None:
    """Nobody looks on."""


def rank_rows(
    questions: Floats,
    values: Floats | Rows,
    truths: Integers,
    *,
    depth: int = 0,
    block: int = 0,
    watch: Watch = unwatched,
    steps: Steps | None = None,
) -> Found:
    """Ranks of ``truths``, rows of (question, position of the value; less than 0: not among the values), and the
    ``depth`` best values.

    ``block`` is how many values are worked on together, 0 for what suits; ``watch`` receives how many values are done,
    of how many; ``steps`` is the way to take them, None for the quickest.
    """
    questions, rows = loaded(questions), rows_of(values)
    steps = steps or steps_for(len(questions) * rows.count)
    block = block or steps.block
    truths = np.asarray(truths, np.int64).reshape(-1, 2)
    known = np.flatnonzero(truths[:, 1] >= 0)
    asked, positions = truths[known].T
    if known.size and int(positions.max()) >= rows.count:
        raise ValueError(f"a truth is value {positions.max()} of {rows.count}")
    scores = scores_at(questions, rows, asked, positions, block)
    best = Best(len(questions), min(depth, rows.count))
    with processors(len(questions) * rows.count) as workers:
        plan = _planned(lengths(questions), asked, scores, workers.count)
        counts = np.zeros(plan.marks.shape, np.int64)
        size = max(1, min(PANEL, -(-len(questions) // workers.count)))
        panels = [
            _Panel(steps, part, questions[plan.order[part]], plan.marks[:, part], counts[:, part], best)
            for part in (slice(low, min(low + size, len(questions))) for low in range(0, len(questions), size))
        ]
        _go(panels, rows, plan.lengths, block, watch, workers)
    ranks = np.full(len(truths), NOT_A_VALUE, np.int64)
    ranks[known] = counts[plan.level, plan.place[asked]]
    found, found_scores = best.result()
    return Found(ranks, found[plan.place], found_scores[plan.place])


@dataclass(frozen=True)
class _Plan:
    """In which order the questions are worked, and each truth's level: a question's highest scoring truth is on level
    0, and so on."""

    order: Integers
    """Questions with many truths, and with badly scoring ones, are put together, so that others do not pay for them; in
    groups that are dealt out to the workers in turn, so that all have as much to do."""
    place: Integers
    """Where each question is in that order."""
    lengths: Doubles
    """Of the questions in that order."""
    level: Integers
    """Of each truth."""
    marks: Doubles
    """[level, place]: a value counts for that truth when its sum is above; infinite where there is no truth."""


def _planned(sizes: Doubles, asked: Integers, scores: Floats, workers: int) -> _Plan:
    by_question = np.lexsort((-scores, asked))
    ordered = asked[by_question]
    level = np.empty(len(asked), np.int64)
    level[by_question] = np.arange(len(asked)) - np.searchsorted(ordered, ordered)
    many = np.bincount(asked, minlength=len(sizes))
    lowest = np.full(len(sizes), np.inf)
    np.minimum.at(lowest, asked, scores / sizes[asked])
    order = np.lexsort((lowest, many))
    order = order[np.argsort(np.arange(len(order)) // _GROUP % workers, kind="stable")]
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    marks = np.full((int(many.max(initial=0)), len(sizes)), np.inf)
    marks[level, place[asked]] = turning_points(scores)
    return _Plan(order, place, sizes[order], level, marks)


@dataclass(frozen=True)
class _Panel:
    """Some questions that are multiplied together."""

    steps: Steps
    part: slice
    """Which they are, in the order of the plan."""
    asking: Floats
    marks: Doubles
    counts: Integers
    best: Best
    """Of all questions."""
    turn: Lock = field(default_factory=Lock)
    """Its blocks are never worked on at the same time."""

    def work(self, start: int, values: Floats, slacks: Doubles, room: Floats) -> None:
        """One product, and all that follows from it for these questions."""
        tile = room[: len(self.asking) * len(values)].reshape(-1, len(values))
        np.matmul(self.asking, values.T, out=tile)
        marks = self.marks[: np.count_nonzero(np.isfinite(self.marks).any(axis=1))]
        screen = Screen(tile, *surely(marks, slacks), self.best.depth, self.best.wanted(self.part), slacks)
        seen = self.steps.look(screen)
        self.counts[: len(marks)] += seen.counts
        rows, columns = np.divmod(seen.unsure, len(values))
        passed = settle(self.steps, self.asking, values, rows, columns, marks[seen.levels, rows], slacks)
        np.add.at(self.counts, (seen.levels[passed], rows[passed]), 1)
        if self.best.depth:
            self._add_best(start, values, slacks, seen.wanted, tile)

    def _add_best(self, start: int, values: Floats, slacks: Doubles, wanted: Integers, tile: Floats) -> None:
        """Of the places in a tile that may be among the best of their question, those that are, so far."""
        rows, columns = np.divmod(wanted, len(values))
        if len(wanted) * CROWDED > len(self.asking) * len(values):
            marks = self.best.wanted(self.part)[rows]
            passed = settle(self.steps, self.asking, values, rows, columns, marks, slacks)
            rows, columns = rows[passed], columns[passed]
        products = tile[rows, columns]
        found = Candidates(self.asking, values, rows, columns, products, slacks, self.part.start, start)
        self.steps.keep(self.best, found)


def _go(panels: Sequence[_Panel], rows: Rows, sizes: Doubles, block: int, watch: Watch, workers: Workers) -> None:
    """The pass: for each block of values, the panels side by side on the processors. Who is done with a block begins
    the next.

    ``sizes`` are the lengths of the questions in the order of the plan.
    """
    most = max((len(panel.asking) for panel in panels), default=0)
    rooms: SimpleQueue[Floats] = SimpleQueue()
    for _ in range(workers.count):
        rooms.put(np.empty(most * min(block, rows.count), np.float32))

    def ready(part: tuple[int, Floats]) -> tuple[int, Floats, Doubles]:
        values = loaded(part[1])
        return part[0], values, slack(values.shape[1], sizes, float(lengths(values).max(initial=0.0)))

    def work(panel: _Panel, start: int, values: Floats, slacks: Doubles) -> None:
        with panel.turn:
            room = rooms.get()
            try:
                panel.work(start, values, slacks[panel.part], room)
            finally:
                rooms.put(room)

    before = Begun()
    for start, values, slacks in workers.ahead(ready, blocks(rows, block)):
        begun = workers.begin(partial(work, start=start, values=values, slacks=slacks), panels)
        before.finish()
        watch(start, rows.count)
        before = begun
    before.finish()
    watch(rows.count, rows.count)
