"""One option for each field, the best in one respect after another: every combination, less the branches that cannot
hold the best.

Field by field an option is taken. For what is left, each field is thought to have the whole rest of the budget to
itself and to find all that any of its options finds for it: no combination of this branch can be better than that.
Where that is no better than the best so far, the branch is cut. All in whole numbers, so the answer is exact.

With a few fields this mostly takes milliseconds, where a general solver takes seconds
(``benchmarks/retrieval_tune.py``). With more, the branches may be too many: it stops at the deadline and says that
nothing is proven.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from karat.search.choose.solvers.combinations import Program, Solved, Step
from karat.search.choose.solvers.passed_groups import State, passing_of
from karat.search.records import Integers


def branch(
    program: Program, steps: Sequence[Step], *, budget: int, passed: int = 0, deadline: float = float("inf")
) -> Solved:
    """The best combination within the budget that passes this many questions; without steps, any such. The deadline is
    a moment of ``time.monotonic``."""
    search = _Search(program, steps, budget, passed, deadline)
    search.down(0, search.passing.start(), np.zeros(3, dtype=np.int64), [])
    if search.best is None:
        return Solved(None, not search.late)
    taken = tuple(search.best[search.order.index(field)] for field in range(len(program.fields)))
    return Solved(taken, not search.late)


class _Search:
    """What stays the same along all branches, and the best combination so far."""

    def __init__(self, program: Program, steps: Sequence[Step], budget: int, passed: int, deadline: float) -> None:
        self.steps, self.budget, self.passed, self.deadline = steps, budget, passed, deadline
        sizes = [len(field.options) for field in program.fields]
        # The field with the most options comes last: the last is looked at in one go.
        self.order = sorted(range(len(sizes)), key=lambda field: sizes[field])
        self.passing = passing_of(program, self.order)
        self.figures: list[Integers] = []
        for field in self.order:
            start, end = program.starts[field], program.starts[field + 1]
            columns = [program.recall, -program.tokens, -program.rest]
            self.figures.append(np.stack([column[start:end] for column in columns], axis=1))
        self.any_recall = [np.maximum.accumulate(figures[:, 0]) for figures in self.figures]
        self.tokens = [-figures[:, 1] for figures in self.figures]
        least = np.array([tokens[0] for tokens in self.tokens])
        self.least_after = [int(least[level + 1 :].sum()) for level in range(len(least))]
        best_rest = np.array([figures[:, 2].max() for figures in self.figures])
        self.rest_after = [int(best_rest[level + 1 :].sum()) for level in range(len(least))]
        self.best: list[int] | None = None
        self.worth: tuple[int, ...] = ()
        self.late = False

    def down(self, level: int, state: State, figures: Integers, taken: list[int]) -> None:
        """All combinations that begin with the taken options; ``state`` and ``figures`` are what these have so far."""
        last = level == len(self.figures) - 1
        room = self.budget + int(figures[1]) - self.least_after[level]
        count = int(np.searchsorted(self.tokens[level], room, side="right"))
        if not count:
            return
        states = self.passing.taken(level, count, state)
        sums = self.figures[level][:count] + figures
        hopes = self._hopes(level, states, sums, room - self.tokens[level][:count])
        for index in np.lexsort(-hopes.T[::-1]):  # the most hopeful first, so that the others are cut early
            hope = tuple(hopes[index].tolist())
            if hope[0] < 0 or (self.best is not None and hope <= self.worth):
                return
            if last:  # nothing is left to hope for: this is what it is worth
                self.best, self.worth = [*taken, int(index)], hope
                return
            self.late = self.late or time.monotonic() > self.deadline
            if self.late:
                return
            self.down(level + 1, states[index], sums[index], [*taken, int(index)])

    def _hopes(self, level: int, states: State, sums: Integers, slack: Integers) -> Integers:
        """[option, step]: no combination with this option is worth more. First whether it can pass as many questions as
        it must."""
        recall = sums[:, 0].copy()
        affordable = []
        for later in range(level + 1, len(self.figures)):
            affordable.append(np.searchsorted(self.tokens[later], slack + self.tokens[later][0], side="right") - 1)
            recall += self.any_recall[later][affordable[-1]]
        passed = self.passing.hope(level, states, affordable)
        figures: dict[Step, Integers] = {
            "passed": passed,
            "recall": recall,
            "tokens": sums[:, 1] - self.least_after[level],
            "rest": sums[:, 2] + self.rest_after[level],
        }
        enough = np.where(passed >= self.passed, 0, -1)
        return np.stack([enough, *(figures[step] for step in self.steps)], axis=1)
