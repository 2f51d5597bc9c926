"""The best values of each question, kept while blocks of values go by in the order of their positions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.search.ranks.score import Doubles, pair_scores, turning_points
from karat.search.records import Floats, Integers


@dataclass(frozen=True)
class Candidates:
    """Pairs of a question and a value of one block that may be among the best of their question, those of a question
    together and in the order of the values."""

    asking: Floats
    values: Floats
    rows: Integers
    """In ``asking``."""
    columns: Integers
    """In ``values``."""
    products: Floats
    """Of each pair, in float32."""
    slacks: Doubles
    """How far those may be off, for each question."""
    first: int
    """Which of all questions ``asking`` begins with."""
    start: int
    """Which of all values ``values`` begins with."""


class Best:
    """For each question the ``depth`` best so far: higher scores first, equal scores in the order of the values.

    They lie in no order until the result is asked for. ``keep`` holds up to twice the depth and now and then cuts back;
    the compiled one (see ``compiled``) keeps the depth, as a heap. Different threads may add for different questions.
    """

    def __init__(self, questions: int, depth: int) -> None:
        self.depth = depth
        self.least: Floats = np.full(questions, -np.inf, np.float32)
        """A value to come must score more than this to be among the best."""
        self.scores = np.full((questions, 2 * depth), -np.inf, np.float32)
        self.positions = np.full((questions, 2 * depth), np.iinfo(np.int64).max, np.int64)
        self.held = np.zeros(questions, np.int64)

    def wanted(self, rows: slice) -> Doubles:
        """The sum above which a value to come may be among the best; minus infinity where any may."""
        return turning_points(np.nextafter(self.least[rows], np.float32(np.inf)))

    def add(self, questions: Integers, positions: Integers, scores: Floats) -> None:
        """More values. ``questions`` is in order, and for each the positions are in order and after all that were added
        before."""
        while len(questions):
            starts = np.flatnonzero(np.diff(questions, prepend=-1))
            touched, many = questions[starts], np.diff(starts, append=len(questions))
            place = np.repeat(self.held[touched] - starts, many) + np.arange(len(questions))
            fits = place < 2 * self.depth
            rows, places = questions[fits], place[fits]
            self.scores[rows, places] = scores[fits]
            self.positions[rows, places] = positions[fits]
            self.held[touched] = np.minimum(self.held[touched] + many, 2 * self.depth)
            full = touched[
                (self.held[touched] == 2 * self.depth)
                | ((self.held[touched] >= self.depth) & np.isneginf(self.least[touched]))
            ]
            self._cut(full)
            over = ~fits
            questions, positions, scores = questions[over], positions[over], scores[over]

    def result(self) -> tuple[Integers, Floats]:
        """(positions, scores), a row for each question, best first."""
        self._cut(np.arange(len(self.held)))
        return self.positions[:, : self.depth], self.scores[:, : self.depth]

    def _cut(self, rows: Integers) -> None:
        if not len(rows) or not self.depth:
            return
        scores, positions = self.scores[rows], self.positions[rows]
        order = np.lexsort((positions, -scores), axis=1)
        self.scores[rows] = np.take_along_axis(scores, order, axis=1)
        self.positions[rows] = np.take_along_axis(positions, order, axis=1)
        self.held[rows] = np.minimum(self.held[rows], self.depth)
        self.scores[rows, self.depth :] = -np.inf
        self.positions[rows, self.depth :] = np.iinfo(np.int64).max
        full = rows[self.held[rows] == self.depth]
        self.least[full] = self.scores[full, self.depth - 1]


def keep(best: Best, found: Candidates) -> None:
    """Score them exactly, and keep those that are among the best so far."""
    scores = pair_scores(found.asking, found.values, found.rows, found.columns)
    questions = found.first + found.rows
    passed = scores > best.least[questions]
    best.add(questions[passed], found.start + found.columns[passed], scores[passed])
