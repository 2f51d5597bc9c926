"""The best choice on many parts of the questions: for held-out figures, their intervals, and how stable a choice is."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from karat.search.choose.choice import ORDER, greedy
from karat.search.choose.problem import Problem, affordable_options
from karat.search.choose.solvers.branch_and_bound import branch
from karat.search.choose.solvers.combinations import program_of
from karat.search.choose.solvers.enumeration import choices_for, few_combinations
from karat.search.records import Integers


@dataclass(frozen=True)
class PartChoices:
    """What was chosen on each part, as far as the time went."""

    taken: Integers
    """[part, field]: the place of the candidate."""
    not_proven: int
    """Parts whose choice is the best found in time, and not proven to be the best."""


def choose_on_parts(problem: Problem, weights: Integers, *, time_limit: float, least: int = 0) -> PartChoices:
    """A choice for each part of the questions; costs are measured on the part alone. ``weights``: [part, question], how
    often each question is in the part.

    Where there are many combinations, each part takes its time, and only the first ones are done when the time is over;
    the first ``least`` of them are done in any case, with an equal share of the time for each.
    """
    if few_combinations(problem):
        return PartChoices(choices_for(problem, weights), 0)
    deadline = time.monotonic() + time_limit
    rows: list[list[int]] = []
    unproven = 0
    for number, row in enumerate(weights):
        now = time.monotonic()
        if number >= least and now > deadline:
            break
        share = max(0.05, (deadline - now) / max(1, least - number)) if number < least else max(0.05, deadline - now)
        taken, proven = _choose(problem, row, now + share)
        rows.append(taken)
        unproven += not proven
    return PartChoices(np.array(rows, dtype=np.int64).reshape(-1, len(problem.candidates)), unproven)


def _choose(problem: Problem, weights: Integers, deadline: float) -> tuple[list[int], bool]:
    questions = np.repeat(np.arange(len(weights)), weights)
    options = affordable_options(problem, questions)
    program = program_of(options, problem.limits.passes)
    # The general solver seldom ends in the short time of one part: branching has all of it.
    solved = branch(program, ORDER, budget=problem.limits.budget, deadline=deadline)
    taken = []
    best = solved.taken if solved.taken is not None else greedy(program, problem.limits.budget)
    for one, own, at in zip(problem.candidates, options, best, strict=True):
        option = own.options[at]
        taken.append(int(np.flatnonzero((one.model == option.model) & (one.n == option.n))[0]))
    return taken, solved.proven
