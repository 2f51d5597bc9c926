"""Choosing n and model for each field under a budget shared by all: exact, and it says how far it is proven.

The order: questions passed, then mean recall, then fewer tokens, then the smaller sum of n, then the cheaper model,
then the one that was given first. A field may be left out (n = 0). A truth that is not among the values is never found.
A question without truths does not count.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from karat.search.choose.infeasible import nothing_found
from karat.search.choose.limits import Limits
from karat.search.choose.options import NO_MODEL
from karat.search.choose.outcome import Pick, outcome_of
from karat.search.choose.problem import Problem, affordable_options, problem_of
from karat.search.choose.solvers.branch_and_bound import branch
from karat.search.choose.solvers.combinations import Program, Solved, Step, program_of
from karat.search.choose.solvers.integer_program import solve
from karat.search.records import FieldRanks

ORDER: tuple[Step, ...] = ("passed", "recall", "tokens", "rest")
"""The objective, the weightiest first."""
BRANCHING_SECONDS = 3.0
"""Branching has mostly ended long before this; if not, the general solver takes over with what it found."""


@dataclass(frozen=True)
class Choice:
    """The option of each field, and what they reach together."""

    picks: tuple[Pick, ...]
    passed: int
    questions: int
    """Those that have a truth in any field."""
    mean_recall: float | None
    """Over the questions, of the mean over all fields; a field without a truth counts 1."""
    recall_asked: float | None
    """Over the pairs of a question and a field that have a truth."""
    tokens: int
    optimal: bool
    gap: float
    """By how much the best could be better, in the unit of the first part of the objective that is not proven; 0 when
    all are."""
    gap_in: str
    passed_bound: int
    """No choice within the budget passes more questions than this."""
    recall_bound: float | None
    """No choice within the budget that passes as many questions has a higher mean recall than this; one that passes
    fewer may."""
    seconds: float
    question_passed: tuple[bool | None, ...] = ()
    """Of each question whether it passes; None for one without truths."""


@dataclass(frozen=True)
class Wanted:
    """What a combination must do: stay within the budget, and pass this many questions."""

    budget: int
    passed: int = 0


def choose(fields: Sequence[FieldRanks], limits: Limits, *, time_limit: float = 60.0) -> Choice:
    """The best option of each field within the budget. Raises
    :class:`~karat.search.choose.infeasible.NothingFound` when that finds nothing."""
    return choose_in(problem_of(fields, limits), time_limit=time_limit)


def choose_in(problem: Problem, *, time_limit: float = 60.0) -> Choice:
    """The same for a problem that is already made."""
    began = time.monotonic()
    program = program_of(affordable_options(problem), problem.limits.passes)
    solved = best_combination(program, ORDER, Wanted(problem.limits.budget), deadline=began + time_limit)
    choice = choice_of(problem, program, solved, time.monotonic() - began)
    if choice.questions and not found_by(program, solved):
        raise nothing_found(problem.fields, problem.limits)
    return choice


def best_combination(program: Program, order: Sequence[Step], wanted: Wanted, *, deadline: float) -> Solved:
    """By branching when that is quick, else with HiGHS from what branching found. Both are exact."""
    now = time.monotonic()
    soon = now + min(BRANCHING_SECONDS, (deadline - now) / 4)
    quick = branch(program, order, budget=wanted.budget, passed=wanted.passed, deadline=soon)
    if quick.proven:
        return quick
    known = quick.taken
    if known is None and not wanted.passed:
        known = greedy(program, wanted.budget)  # no time for anything
    return solve(program, order, budget=wanted.budget, passed=wanted.passed, known=known, deadline=deadline)


def greedy(program: Program, budget: int) -> tuple[int, ...]:
    """Field by field the option that finds most with what is left of the budget, so that something is found if anything
    can be."""
    left = budget - sum(field.options[0].tokens for field in program.fields)
    taken = []
    for place, field in enumerate(program.fields):
        cheapest = field.options[0].tokens
        fits = [at for at, option in enumerate(field.options) if option.tokens - cheapest <= left]
        taken.append(max(fits, key=lambda at: (int(program.recall[program.starts[place] + at]), -at)))
        left -= field.options[taken[-1]].tokens - cheapest
    return tuple(taken)


def found_by(program: Program, solved: Solved) -> int:
    """The truths that a combination finds."""
    return sum(int(own.found[index].sum()) for own, index in zip(program.fields, solved.taken or (), strict=True))


def picks_of(problem: Problem, program: Program, taken: Sequence[int]) -> tuple[Pick, ...]:
    """A combination in words."""
    picks = []
    for field, own, index in zip(problem.fields, program.fields, taken, strict=True):
        option = own.options[index]
        model = None if option.model == NO_MODEL else field.models[option.model].model
        picks.append(Pick(field.field, option.n, model, option.tokens))
    return tuple(picks)


def choice_of(problem: Problem, program: Program, solved: Solved, seconds: float = 0.0) -> Choice:
    """A combination with what it reaches, which is counted again from the ranks."""
    if solved.taken is None:
        raise ValueError("there is no combination")
    picks = picks_of(problem, program, solved.taken)
    outcome = outcome_of(problem.fields, picks, problem.limits.passes)
    passed, asked = int(outcome.passed.sum()), outcome.counts.any()
    mean = outcome.mean_recall if asked else None
    proven = solved.proven or solved.gap_in not in ("questions passed", "mean recall")
    bound = passed
    if solved.gap_in == "questions passed" and not solved.proven:
        bound = int(min(program.weights.sum(), passed + np.floor(solved.gap + 1e-6)))
    return Choice(
        picks=picks,
        passed=passed,
        questions=int(outcome.counts.sum()),
        mean_recall=mean,
        recall_asked=outcome.recall_asked if asked else None,
        tokens=sum(pick.tokens for pick in picks),
        optimal=solved.proven,
        gap=solved.gap,
        gap_in=solved.gap_in,
        passed_bound=bound,
        recall_bound=mean if proven or mean is None else _recall_bound(program, solved, mean),
        seconds=seconds,
        question_passed=tuple(
            bool(own) if counts else None for own, counts in zip(outcome.passed, outcome.counts, strict=True)
        ),
    )


def _recall_bound(program: Program, solved: Solved, mean: float) -> float:
    """What the fields would reach if each had the whole budget to itself."""
    if solved.gap_in == "mean recall":
        return min(1.0, mean + solved.gap)
    here = sum(int(program.recall[start + at]) for start, at in zip(program.starts, solved.taken or (), strict=False))
    most = int(np.maximum.reduceat(program.recall, program.starts[:-1]).sum())
    return min(1.0, mean + (most - here) / (program.parts * max(1, program.pairs)))
