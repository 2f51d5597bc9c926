"""The best values of each question, kept while blocks of values go by in the order of their positions."""

from __future__ import annotations

import numpy as np

from karat.search.ranks.score import Doubles, turning_points
from karat.search.records import Floats, Integers


class Best:
    """For each question the ``depth`` best so far: higher scores first, equal scores in the order of the values.

    Twice the depth is held and now and then cut back. Different threads may add for different questions.
    """

    def __init__(self, questions: int, depth: int) -> None:
        self.depth = depth
        self.least: Floats = np.full(questions, -np.inf, np.float32)
        """A value to come must score more than this to be among the best."""
        self._scores = np.full((questions, 2 * depth), -np.inf, np.float32)
        self._positions = np.full((questions, 2 * depth), np.iinfo(np.int64).max, np.int64)
        self._held = np.zeros(questions, np.int64)

    def wanted(self, rows: slice) -> Doubles:
        """The sum above which a value to come may be among the best; minus infinity where any may."""
        return turning_points(np.nextafter(self.least[rows], np.float32(np.inf)))

    def add(self, questions: Integers, positions: Integers, scores: Floats) -> None:
        """More values. ``questions`` is in order, and for each the positions are in order and after all that were added
        before."""
        while len(questions):
            starts = np.flatnonzero(np.diff(questions, prepend=-1))
            touched, many = questions[starts], np.diff(starts, append=len(questions))
            place = np.repeat(self._held[touched] - starts, many) + np.arange(len(questions))
            fits = place < 2 * self.depth
            rows, places = questions[fits], place[fits]
            self._scores[rows, places] = scores[fits]
            self._positions[rows, places] = positions[fits]
            self._held[touched] = np.minimum(self._held[touched] + many, 2 * self.depth)
            full = touched[
                (self._held[touched] == 2 * self.depth)
                | ((self._held[touched] >= self.depth) & np.isneginf(self.least[touched]))
            ]
            self._cut(full)
            over = ~fits
            questions, positions, scores = questions[over], positions[over], scores[over]

    def result(self) -> tuple[Integers, Floats]:
        """(positions, scores), a row for each question, best first."""
        self._cut(np.arange(len(self._held)))
        return self._positions[:, : self.depth], self._scores[:, : self.depth]

    def _cut(self, rows: Integers) -> None:
        if not len(rows) or not self.depth:
            return
        scores, positions = self._scores[rows], self._positions[rows]
        order = np.lexsort((positions, -scores), axis=1)
        self._scores[rows] = np.take_along_axis(scores, order, axis=1)
        self._positions[rows] = np.take_along_axis(positions, order, axis=1)
        self._held[rows] = np.minimum(self._held[rows], self.depth)
        self._scores[rows, self.depth :] = -np.inf
        self._positions[rows, self.depth :] = np.iinfo(np.int64).max
        full = rows[self._held[rows] == self.depth]
        self.least[full] = self._scores[full, self.depth - 1]
