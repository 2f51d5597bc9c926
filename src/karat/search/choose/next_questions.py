"""What it takes to pass one or two questions more than the choice does."""

from __future__ import annotations

import time
from typing import Literal

import msgspec
import numpy as np

from karat.search.choose.choice import ORDER, Choice, Wanted, best_combination, choice_of
from karat.search.choose.options import options_on
from karat.search.choose.outcome import Pick
from karat.search.choose.problem import Problem
from karat.search.choose.solvers.combinations import Program, Solved, program_of, value
from karat.search.records import NOT_A_VALUE


class More(msgspec.Struct, frozen=True):
    """What it takes to pass this many questions more."""

    questions: int
    outcome: Literal["found", "beyond", "never", "unknown", "all_pass"]
    """``all_pass``: every question passes already; ``beyond``: only with an n above the limit; ``never``: by no n, for
    truths are not among the values; ``unknown``: no time to tell."""
    tokens: int | None = None
    more_tokens: int | None = None
    fields: tuple[Pick, ...] = ()
    at_most: bool = False
    """There may be a cheaper way, with a larger n than values were ranked to."""


def more_questions(problem: Problem, choice: Choice, more: int, *, time_limit: float = 10.0) -> More:
    """The least tokens, whatever the budget, that pass this many questions more than the choice does."""
    wanted = choice.passed + more
    if choice.passed == choice.questions:
        return More(more, "all_pass")
    if wanted > answerable(problem):
        return More(more, "never")
    everything = np.arange(problem.questions)
    program = program_of([options_on(one, everything) for one in problem.candidates], problem.limits.passes)
    deadline = time.monotonic() + time_limit
    least = _least_budget(program, wanted, choice.tokens, deadline)
    if least.taken is None:
        return More(more, "beyond" if least.proven else "unknown")
    # At the least budget nothing cheaper passes as many: the best choice there is the cheapest that does.
    budget = choice_of(problem, program, least).tokens
    best = best_combination(program, ORDER, Wanted(budget, wanted), deadline=deadline)
    found = choice_of(problem, program, best if best.taken is not None else least)
    unsure = not least.proven or known_to(problem) < found.tokens
    return More(more, "found", found.tokens, found.tokens - choice.tokens, found.picks, at_most=unsure)


def _least_budget(program: Program, wanted: int, too_small: int, deadline: float) -> Solved:
    """A combination that passes this many questions, and whose tokens are the least budget that allows it.

    Whatever fits a budget fits a larger one, so the budgets are halved between one that is too small and one that will
    do. Each time any combination will do, which is far quicker than to look for the cheapest at once.
    """
    everything = int(sum(field.options[-1].tokens for field in program.fields))
    low, high, step = too_small, too_small, 16
    found: Solved | None = None
    while found is None or high - low > 1:
        budget = (low + high) // 2 if found else min(low + step, everything)
        tried = best_combination(program, (), Wanted(budget, wanted), deadline=deadline)
        if not tried.proven and tried.taken is None:
            return Solved(found.taken, False) if found else tried
        if tried.taken is not None:
            found = tried
            high = -value(program, "tokens", tried.taken)
        elif budget >= everything:
            return tried
        else:
            low, step = budget, step * 2
    return found


def known_to(problem: Problem) -> int:
    """Up to this cost every choice was looked at: an n beyond the depth of a pass, at which a truth would be found,
    costs more."""
    limits, costs = problem.limits, []
    for field in problem.fields:
        for model in field.models:
            depth = model.tokens.shape[1]
            ranks = np.concatenate([np.empty(0, np.int64), *model.ranks])
            deeper = (ranks > depth) & (ranks <= (limits.max_n or ranks.max(initial=0)))
            if (deeper.any() or (ranks < NOT_A_VALUE).any()) and (limits.max_n is None or limits.max_n > depth):
                first = int(ranks[deeper].min()) - depth if deeper.any() else 1
                paid = max(0, first - field.free)  # of these values
                costs.append(int(model.tokens[:, -1:].max(initial=0)) + paid - 1)
    return min(costs, default=2**62)


def answerable(problem: Problem) -> int:
    """The questions that pass when everything is retrieved: they have truths, and enough of them are values."""
    there = [
        np.max([[(ranks != NOT_A_VALUE).sum() for ranks in model.ranks] for model in field.models], axis=0)
        for field in problem.fields
    ]
    need = problem.need
    return int(((np.sum(there, axis=0) >= need) & (need > 0)).sum())
