"""The rank of every truth, and each question's best values, in one pass over the values as vectors. Nothing is sorted.

Each block of values is multiplied with the questions once, in float32. A value whose product is clear of a truth's score by more than the
product may stray is counted there and then; the few that are not are scored exactly (see ``dense_score``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from threading import Lock

import numpy as np

from karat.search.blocks import Rows, blocks, loaded, rows_of
from karat.search.dense_best import Best
from karat.search.dense_kernels import Kernels, kernels
from karat.search.dense_score import Doubles, lengths, scores_at, slack, surely, turning_points
from karat.search.dense_screen import Screen
from karat.search.dense_settle import CROWDED, settle
from karat.search.processors import Begun, Workers, processors
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
) -> Found:
    """Ranks of ``truths``, rows of (question, position of the value; less than 0: not among the values), and the ``depth`` best values.

    ``block`` is how many values are worked on together, 0 for what suits; ``watch`` is told how many values are done, of how many.
    """
    questions, rows = loaded(questions), rows_of(values)
    steps = kernels(len(questions) * rows.count)
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
        _go(steps, questions[plan.order], rows, plan, counts, best, block, watch, workers)
    ranks = np.full(len(truths), NOT_A_VALUE, np.int64)
    ranks[known] = counts[plan.level, plan.place[asked]]
    found, found_scores = best.result()
    return Found(ranks, found[plan.place], found_scores[plan.place])


@dataclass(frozen=True)
class _Plan:
    """In which order the questions are worked, and each truth's level: a question's highest scoring truth is on level 0, and so on."""

    order: Integers
    """Questions with many truths, and with badly scoring ones, stand together, so that others do not pay for them; in groups that are dealt
    out to the workers in turn, so that all have as much to do."""
    place: Integers
    """Where each question stands in that order."""
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


def _go(
    steps: Kernels,
    questions: Floats,
    rows: Rows,
    plan: _Plan,
    counts: Integers,
    best: Best,
    block: int,
    watch: Watch,
    workers: Workers,
) -> None:
    """The pass: for each block of values, panels of questions side by side on the processors.

    Who is done with a block begins the next; a panel's blocks are never worked on at the same time.
    """
    step = max(1, min(PANEL, -(-len(questions) // workers.count)))
    panels = [slice(low, min(low + step, len(questions))) for low in range(0, len(questions), step)]
    room: SimpleQueue[Floats] = SimpleQueue()
    for _ in range(workers.count):
        room.put(np.empty(step * min(block, rows.count), np.float32))
    turns = {panel.start: Lock() for panel in panels}

    def ready(part: tuple[int, Floats]) -> tuple[int, Floats, Doubles]:
        values = loaded(part[1])
        return part[0], values, slack(values.shape[1], plan.lengths, float(lengths(values).max(initial=0.0)))

    def work(panel: slice, start: int, values: Floats, slacks: Doubles) -> None:
        with turns[panel.start]:
            products = room.get()
            try:
                own = counts[:, panel]
                _panel(
                    steps,
                    questions[panel],
                    values,
                    products,
                    plan.marks[:, panel],
                    slacks[panel],
                    own,
                    best,
                    panel,
                    start,
                )
            finally:
                room.put(products)

    before = Begun()
    for start, values, slacks in workers.ahead(ready, blocks(rows, block)):
        begun = workers.begin(partial(work, start=start, values=values, slacks=slacks), panels)
        before.finish()
        watch(start, rows.count)
        before = begun
    before.finish()
    watch(rows.count, rows.count)


def _panel(
    steps: Kernels,
    asking: Floats,
    values: Floats,
    room: Floats,
    marks: Doubles,
    slacks: Doubles,
    counts: Integers,
    best: Best,
    panel: slice,
    start: int,
) -> None:
    """One product, and all that follows from it for these questions."""
    tile = room[: len(asking) * len(values)].reshape(-1, len(values))
    np.matmul(asking, values.T, out=tile)
    marks = marks[: np.count_nonzero(np.isfinite(marks).any(axis=1))]
    seen = steps.look(Screen(tile, *surely(marks, slacks), best.depth, best.wanted(panel), slacks))
    counts[: len(marks)] += seen.counts
    rows, columns = np.divmod(seen.unsure, len(values))
    passed = settle(steps, asking, values, rows, columns, marks[seen.levels, rows], slacks)
    np.add.at(counts, (seen.levels[passed], rows[passed]), 1)
    if best.depth:
        _add_best(steps, asking, values, seen.wanted, slacks, best, panel, start)


def _add_best(
    steps: Kernels,
    asking: Floats,
    values: Floats,
    wanted: Integers,
    slacks: Doubles,
    best: Best,
    panel: slice,
    start: int,
) -> None:
    """Of the places in a tile that may be among the best of their question, those that are, so far."""
    rows, columns = np.divmod(wanted, len(values))
    if len(wanted) * CROWDED > len(asking) * len(values):
        passed = settle(steps, asking, values, rows, columns, best.wanted(panel)[rows], slacks)
        rows, columns = rows[passed], columns[passed]
    scores = steps.scores(asking, values, rows, columns)
    passed = scores > best.least[panel][rows]
    best.add(panel.start + rows[passed], start + columns[passed], scores[passed])
