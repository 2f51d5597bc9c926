"""The best combination with a general solver: an integer program for HiGHS.

Variables: ``x`` (0 or 1) says whether an option is taken, one for each field; ``y`` says whether a group of questions
passes. Where each field alone lets a group pass or not, ``y`` is no more than what each taken option allows, and needs
no integrality of its own. Else ``y`` times what is needed is no more than what the taken options find together.

One solve for each step of the objective; what an earlier step reached is kept as a constraint in the later ones. Every
figure is an integer. The solver works with tolerances, we do not: each of its answers is rounded to options and counted
again in whole numbers, and an answer that falls short of an earlier step is forbidden and solved again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from karat.search.choose.solvers.combinations import NAMES, Program, Solved, Step, column_of, value, worth
from karat.search.records import Integers

if TYPE_CHECKING:
    from scipy.optimize import LinearConstraint
    from scipy.sparse import csr_array

INFEASIBLE = 2
"""As scipy's ``milp`` says it."""


def solve(
    program: Program,
    steps: Sequence[Step],
    *,
    budget: int,
    passed: int = 0,
    known: tuple[int, ...] | None = None,
    deadline: float = float("inf"),
) -> Solved:
    """The best combination within the budget that passes this many questions. ``known`` is one that does, to begin
    with.

    Without steps any such combination will do: then ``known``, or the one that passes most.
    The deadline is a moment of ``time.monotonic``.
    """
    rows = _Rows(program)
    rows.at_most(program.tokens, budget)
    if passed:
        rows.passed_at_least(passed)
    best = known
    reached: dict[Step, int] = {"passed": passed, "tokens": -budget}
    if not steps and known is not None:
        return Solved(known, True)
    for step in steps or ("passed",):
        found, bound = _solve_step(program, step, rows, reached, deadline)
        if found is not None and (best is None or worth(program, steps, found) > worth(program, steps, best)):
            best = found
        if best is None:
            return Solved(None, bound is None)
        here = value(program, step, best)
        if (
            bound is None
        ):  # the solver says that there is nothing, and yet there is: trust what was counted, and claim nothing
            return Solved(best, False, float("inf"), NAMES[step])
        if bound >= here + 0.5:
            unit = program.parts * max(1, program.pairs) if step == "recall" else 1
            return Solved(best, False, (bound - here) / unit, NAMES[step])
        reached[step] = here
        rows.keep(step, here)
    return Solved(best, True)


def _solve_step(
    program: Program, step: Step, rows: _Rows, reached: dict[Step, int], deadline: float
) -> tuple[tuple[int, ...] | None, float | None]:
    """The best combination of one step, and a bound that no worth exceeds; None and None when there is no combination
    at all."""
    from scipy.optimize import Bounds, milp

    count, groups = int(program.starts[-1]), len(program.weights)
    objective = np.zeros(count + groups)
    if step == "passed":
        objective[count:] = program.weights
    else:
        objective[:count] = (1 if step == "recall" else -1) * column_of(program, step)
    integrality = np.concatenate([np.ones(count), np.full(groups, 1 if program.allowed is None else 0)])
    ceiling = float(np.maximum.reduceat(objective[:count], program.starts[:-1]).sum() + objective[count:].sum())
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return None, ceiling
        result = milp(
            -objective,
            integrality=integrality,
            bounds=Bounds(0, 1),
            constraints=rows.constraint(),
            options={"mip_rel_gap": 0.0, "time_limit": left},
        )
        if result.status == INFEASIBLE:
            return None, None
        bound = ceiling if result.mip_dual_bound is None else min(ceiling, -float(result.mip_dual_bound))
        if result.x is None:
            return None, bound
        taken = tuple(
            int(np.argmax(result.x[start:end]))
            for start, end in zip(program.starts[:-1], program.starts[1:], strict=True)
        )
        if all(value(program, earlier, taken) >= worth for earlier, worth in reached.items()):
            return taken, bound
        rows.forbid(taken)


class _Rows:
    """The constraints as they grow from step to step."""

    def __init__(self, program: Program) -> None:
        from scipy.sparse import coo_array, csr_array, hstack, vstack

        self._program = program
        self._count, self._groups = int(program.starts[-1]), len(program.weights)
        of_field = np.repeat(np.arange(len(program.fields)), np.diff(program.starts))
        ones = np.ones(self._count)
        parts: list[csr_array] = [
            csr_array(
                coo_array(
                    (ones, (of_field, np.arange(self._count))),
                    shape=(len(program.fields), self._count + self._groups),
                )
            )
        ]
        self._low: list[float] = [1.0] * len(program.fields)
        self._high: list[float] = [1.0] * len(program.fields)
        if program.allowed is None:
            found = csr_array(-np.concatenate(program.found).T.astype(float))
            needs = csr_array(coo_array((program.need.astype(float), (np.arange(self._groups),) * 2)))
            parts.append(csr_array(hstack([found, needs])))
            self._low += [-np.inf] * self._groups
            self._high += [0.0] * self._groups
        for index, allowed in enumerate(program.allowed or ()):
            limited = np.flatnonzero(~allowed.all(axis=0))
            before, after = int(program.starts[index]), self._count - int(program.starts[index + 1])
            options = csr_array(-allowed[:, limited].T.astype(float))
            groups = csr_array(
                coo_array((np.ones(len(limited)), (np.arange(len(limited)), limited)), (len(limited), self._groups))
            )
            blocks = [csr_array((len(limited), before)), options, csr_array((len(limited), after)), groups]
            parts.append(csr_array(hstack(blocks)))
            self._low += [-np.inf] * len(limited)
            self._high += [0.0] * len(limited)
        self._matrix: csr_array = csr_array(vstack(parts))

    def constraint(self) -> LinearConstraint:
        from scipy.optimize import LinearConstraint

        return LinearConstraint(self._matrix, np.array(self._low), np.array(self._high))

    def _add(self, row: NDArray[np.float64], low: float, high: float) -> None:
        from scipy.sparse import csr_array, vstack

        self._matrix = csr_array(vstack([self._matrix, csr_array(row[None, :])]))
        self._low.append(low)
        self._high.append(high)

    def at_most(self, row: Integers, most: int) -> None:
        self._add(np.concatenate([row, np.zeros(self._groups)]), -np.inf, float(most))

    def passed_at_least(self, passed: int) -> None:
        """Half a question less, so that rounding never shuts out the answer that is already there."""
        self._add(np.concatenate([np.zeros(self._count), self._program.weights]), passed - 0.5, np.inf)

    def keep(self, step: Step, worth: int) -> None:
        """What this step reached stays, whatever comes later. Half a unit is left for rounding."""
        if step == "passed":
            self.passed_at_least(worth)
            return
        column = column_of(self._program, step) * (1.0 if step == "recall" else -1.0)
        # Counted from the worst option of each field on, so that the numbers are no greater than they must be.
        base = np.minimum.reduceat(column, self._program.starts[:-1])
        row = column - np.repeat(base, np.diff(self._program.starts))
        self._add(np.concatenate([row, np.zeros(self._groups)]), worth - base.sum() - 0.5, np.inf)

    def forbid(self, taken: Sequence[int]) -> None:
        """Not this combination again."""
        row = np.zeros(self._count + self._groups)
        row[self._program.starts[:-1] + np.asarray(taken)] = 1.0
        self._add(row, -np.inf, len(taken) - 1.0)
